import type { Impersonation } from './access.ts'
import type { StoredIdentity, StoredToken } from './credentials.ts'
import type { ExecPlugin } from './exec-plugin.ts'
import type { Problems } from './kubeconfig-error.ts'
import { readExec } from './kubeconfig-exec.ts'
import { Fields } from './kubeconfig-fields.ts'
import type { Entry } from './kubeconfig-file.ts'
import { pemSourceIn, resolveBesideFile } from './pem-source.ts'

/** The user that a context names: how to prove who we are, and whom to act as. */
export interface User {
  readonly identity: Identity
  readonly impersonate?: Impersonation
}

export type Identity =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'stored'; readonly stored: StoredIdentity }
  | { readonly kind: 'plugin'; readonly plugin: ExecPlugin }

export function readUser(entry: Entry, problems: Problems): User {
  const fields = new Fields(entry.location, entry.values, problems)
  checkForProvider(fields)
  checkForOneMethod(fields)
  const impersonate = readImpersonation(fields)
  return { identity: readIdentity(fields), ...(impersonate !== undefined && { impersonate }) }
}

function readIdentity(fields: Fields): Identity {
  const exec = fields.mapping('exec')
  const plugin = exec && readExec(exec)
  if (plugin !== undefined) return { kind: 'plugin', plugin }
  const token = readToken(fields)
  const basic = readBasic(fields)
  const certificate = readCertificate(fields)
  if (!token && !basic && !certificate) return { kind: 'anonymous' }
  return {
    kind: 'stored',
    stored: { ...(token && { token }), ...(basic && { basic }), ...(certificate && { certificate }) },
  }
}

function checkForProvider(fields: Fields): void {
  const provider = fields.mapping('auth-provider')
  if (provider === undefined) return
  const name = provider.text('name')
  const named = name === undefined ? '' : ` ("${name}")`
  fields.problem(
    'auth-provider',
    `is no longer supported${named}: Kubernetes replaced these providers by credential plugins; use exec with the plugin of your cloud`,
  )
}

/**
 * kubectl picks one of several in silence. Here it is an error: the one that a person meant is not to be guessed.
 * A client certificate may come with a token or a password, for they do not exclude each other.
 */
function checkForOneMethod(fields: Fields): void {
  const isSet = (name: string) => ![undefined, ''].includes(fields.raw(name) as undefined | string)
  const token = ['token', 'tokenFile'].find(isSet)
  const basic = ['username', 'password'].find(isSet)
  const certificate = ['client-certificate-data', 'client-certificate'].find(isSet)
  const candidates = fields.raw('exec') === undefined ? [token, basic] : ['exec', token, basic, certificate]
  const [first, ...others] = candidates.filter((name) => name !== undefined)
  if (first === undefined || others.length === 0) return
  fields.problem(first, `is set together with ${others.join(' and ')}; keep one of them`)
}

function readToken(fields: Fields): StoredToken | undefined {
  const value = fields.text('token')
  const file = fields.text('tokenFile')
  if (file !== undefined) {
    const path = resolveBesideFile(fields.location, file)
    return { location: fields.at('tokenFile'), file: path, ...(value !== undefined && { value }) }
  }
  return value === undefined ? undefined : { location: fields.at('token'), value }
}

function readBasic(fields: Fields): StoredIdentity['basic'] {
  const username = fields.text('username')
  const password = fields.text('password')
  if (username === undefined && password === undefined) return undefined
  return { username: username ?? '', password: password ?? '' }
}

function readCertificate(fields: Fields): StoredIdentity['certificate'] {
  const certificate = pemSourceIn(fields, 'client-certificate')
  const key = pemSourceIn(fields, 'client-key')
  if (certificate !== undefined && key !== undefined) return { certificate, key }
  if (certificate !== undefined) {
    fields.problem('client-key', 'is missing; a client certificate needs client-key or client-key-data')
  }
  if (key !== undefined) {
    fields.problem(
      'client-certificate',
      'is missing; a client key needs client-certificate or client-certificate-data',
    )
  }
  return undefined
}

function readImpersonation(fields: Fields): Impersonation | undefined {
  const user = fields.text('as')
  const uid = fields.text('as-uid')
  const groups = fields.texts('as-groups')
  const extra = readExtra(fields)
  if (user === undefined) {
    const alone = [uid && 'as-uid', groups.length > 0 && 'as-groups', extra && 'as-user-extra'].find(Boolean)
    if (alone) fields.problem(alone, 'is set without as; name the user to act as')
    return undefined
  }
  return {
    user,
    ...(uid !== undefined && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(extra !== undefined && { extra }),
  }
}

function readExtra(fields: Fields): Record<string, readonly string[]> | undefined {
  const extra = fields.mapping('as-user-extra')
  if (extra === undefined || extra.names().length === 0) return undefined
  return Object.fromEntries(extra.names().map((name) => [name, extra.texts(name)]))
}
