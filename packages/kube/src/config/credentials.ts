import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { Credential, Credentials } from './access.ts'
import { type ConfigLocation, Problems } from './kubeconfig-error.ts'
import { belongTogether, certificateProblem, privateKeyProblem } from './pem.ts'
import { type PemSource, readPem } from './pem-source.ts'
import { readTextFile } from './text-file.ts'

/** How long what was read from files is used before they are looked at again. */
const rereadAfterMs = 10_000

/** The identity as far as it is stored: in the kubeconfig, or in files that others may rotate. */
export interface StoredIdentity {
  readonly token?: StoredToken
  readonly basic?: { readonly username: string; readonly password: string }
  readonly certificate?: { readonly certificate: PemSource; readonly key: PemSource }
}

/** The file wins over the value, which serves only until the file could be read once (as in client-go). */
export interface StoredToken {
  readonly location: ConfigLocation
  readonly value?: string
  readonly file?: string
}

/** Requests without credentials. */
export function anonymousCredentials(): Credentials {
  const credential: Credential = {}
  return { current: () => credential, rejected: async () => false }
}

export function sameCredential(one: Credential, other: Credential): boolean {
  return (
    one.authorization === other.authorization &&
    one.clientCertificate?.certificate === other.clientCertificate?.certificate &&
    one.clientCertificate?.key === other.clientCertificate?.key
  )
}

/** Credentials that are written down. Files are read again from time to time, and at once after a 401. */
export class StoredCredentials implements Credentials {
  readonly #identity: StoredIdentity
  readonly #clock: Clock
  readonly #log: Logger
  #latest: { readonly credential: Credential; readonly readAt: number } | undefined
  #reading: Promise<Credential> | undefined

  constructor(identity: StoredIdentity, { clock, log }: { clock: Clock; log: Logger }) {
    this.#identity = identity
    this.#clock = clock
    this.#log = log
  }

  current(signal?: AbortSignal): Credential | Promise<Credential> {
    signal?.throwIfAborted()
    if (this.#latest !== undefined && !this.#mayHaveRotated(this.#latest.readAt))
      return this.#latest.credential
    return this.#read()
  }

  async rejected(credential: Credential): Promise<boolean> {
    return (await this.#read()) !== credential
  }

  #mayHaveRotated(readAt: number): boolean {
    return isInFiles(this.#identity) && this.#clock.monotonic() - readAt >= rereadAfterMs
  }

  /** Callers that come while the files are being read share the result. */
  #read(): Promise<Credential> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readOnce(): Promise<Credential> {
    const readAt = this.#clock.monotonic()
    const before = this.#latest?.credential
    const read = before === undefined ? await readFirst(this.#identity) : await this.#readAgain(before)
    const credential = before !== undefined && sameCredential(before, read) ? before : read
    this.#latest = { credential, readAt }
    return credential
  }

  /** Half-written files are normal while someone rotates them: what worked before is kept until they are whole. */
  async #readAgain(before: Credential): Promise<Credential> {
    try {
      return await readStored(this.#identity)
    } catch (error) {
      this.#log.warn({ err: error }, 'cannot read the credentials again; keeping those from before')
      return before
    }
  }
}

function isInFiles({ token, certificate }: StoredIdentity): boolean {
  return (
    token?.file !== undefined || certificate?.certificate.kind === 'file' || certificate?.key.kind === 'file'
  )
}

/** The first time, a token file that cannot be read is made up for by the token beside it, if there is one. */
async function readFirst(identity: StoredIdentity): Promise<Credential> {
  const { token } = identity
  if (token?.file === undefined || token.value === undefined) return readStored(identity)
  const file = await readTokenFile(token.file)
  return readStored(
    'token' in file ? identity : { ...identity, token: { location: token.location, value: token.value } },
  )
}

async function readStored({ token, basic, certificate }: StoredIdentity): Promise<Credential> {
  const problems = new Problems()
  const bearer = token === undefined ? undefined : await readToken(token, problems)
  const clientCertificate = certificate === undefined ? undefined : await readPair(certificate, problems)
  problems.throwIfAny()
  const authorization = authorizationOf(bearer, basic)
  return {
    ...(authorization !== undefined && { authorization }),
    ...(clientCertificate !== undefined && { clientCertificate }),
  }
}

function authorizationOf(bearer: string | undefined, basic: StoredIdentity['basic']): string | undefined {
  if (bearer !== undefined) return `Bearer ${bearer}`
  if (basic === undefined) return undefined
  return `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`
}

async function readToken(
  { location, value, file }: StoredToken,
  problems: Problems,
): Promise<string | undefined> {
  if (file === undefined) return value
  const read = await readTokenFile(file)
  if ('token' in read) return read.token
  problems.add(location, read.problem)
  return undefined
}

async function readTokenFile(path: string): Promise<{ token: string } | { problem: string }> {
  const file = await readTextFile(path)
  if (file.kind !== 'text') return { problem: file.problem }
  const token = file.text.trim()
  return token === '' ? { problem: `${path} is empty; it must hold a token` } : { token }
}

async function readPair(
  pair: { certificate: PemSource; key: PemSource },
  problems: Problems,
): Promise<Credential['clientCertificate']> {
  const certificate = await readPem(pair.certificate, certificateProblem, problems)
  const key = await readPem(pair.key, privateKeyProblem, problems)
  if (certificate === undefined || key === undefined) return undefined
  if (belongTogether(certificate, key)) return { certificate, key }
  problems.add(
    pair.key.location,
    `is not the key of the certificate in ${pair.certificate.location.path ?? 'its pair'}; both must come from the same pair`,
  )
  return undefined
}
