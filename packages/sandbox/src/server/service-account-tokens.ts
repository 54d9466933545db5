import { createHash, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { AnyObject } from '@portcullis/schema'
import type { User } from '../resource.ts'

/** The issuer of tokens, and their default audience. */
const issuer = 'https://kubernetes.default.svc'
export const ownAudience = issuer

export interface TokenWanted {
  readonly account: AnyObject
  readonly audiences: readonly string[]
  readonly expirationSeconds: number
  /** The pod, secret or node with which the token ends. */
  readonly bound?: { readonly kind: string; readonly name: string; readonly uid: string }
  /** `jti`: identifies a token. */
  readonly id: string
  readonly now: Date
}

interface Issued {
  readonly user: User
  readonly account: { readonly namespace: string; readonly name: string; readonly uid: string }
  readonly expiresAt: number
}

/** Tokens of service accounts: signed as the real ones are, and kept, which makes checking them easy. */
export class ServiceAccountTokens {
  readonly #issued = new Map<string, Issued>()
  readonly #find: (account: { namespace: string; name: string }) => AnyObject | undefined
  readonly #now: () => Date
  #key: KeyObject | undefined

  /** @param find a service account as it is now: its tokens end with it */
  constructor({
    find,
    now,
  }: {
    readonly find: (account: { namespace: string; name: string }) => AnyObject | undefined
    readonly now: () => Date
  }) {
    this.#find = find
    this.#now = now
  }

  issue(wanted: TokenWanted): { readonly token: string; readonly expires: Date } {
    const { namespace = '', name = '', uid = '' } = wanted.account.metadata
    const issuedAt = Math.floor(wanted.now.getTime() / 1000)
    const expires = new Date((issuedAt + wanted.expirationSeconds) * 1000)
    const token = this.#signed(claimsOf(wanted, issuedAt))
    if (wanted.audiences.includes(ownAudience)) {
      const account = { namespace, name, uid }
      this.#issued.set(token, { user: userOf(account, wanted.id), account, expiresAt: expires.getTime() })
    }
    return { token, expires }
  }

  /** Whose token it is, while it is good. */
  get(token: string): User | undefined {
    const issued = this.#issued.get(token)
    if (issued === undefined) return undefined
    const isGood =
      this.#now().getTime() < issued.expiresAt &&
      this.#find(issued.account)?.metadata.uid === issued.account.uid
    if (!isGood) this.#issued.delete(token)
    return isGood ? issued.user : undefined
  }

  #signed(claims: object): string {
    // Made when it is first needed: it takes a while.
    this.#key ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    const keyId = createHash('sha256').update(this.#key.export({ type: 'pkcs1', format: 'der' }))
    const text = [{ alg: 'RS256', kid: keyId.digest('base64url') }, claims].map(encoded).join('.')
    return `${text}.${createSign('RSA-SHA256').update(text).sign(this.#key, 'base64url')}`
  }
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

function claimsOf({ account, audiences, expirationSeconds, bound, id }: TokenWanted, issuedAt: number) {
  const { namespace, name, uid } = account.metadata
  const boundTo = bound && { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } }
  return {
    aud: audiences,
    exp: issuedAt + expirationSeconds,
    iat: issuedAt,
    iss: issuer,
    jti: id,
    'kubernetes.io': { namespace, ...boundTo, serviceaccount: { name, uid } },
    nbf: issuedAt,
    sub: `system:serviceaccount:${namespace}:${name}`,
  }
}

function userOf({ namespace, name, uid }: Issued['account'], id: string): User {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${id}`] },
  }
}
