import { randomBytes } from 'node:crypto'

/** The bearer tokens that the API server knows. Other users prove themselves by client certificate. */
export interface Tokens {
  /** Of `admin` in `system:masters`, who may do everything. */
  readonly admin: string
  /** Of `nobody`, who has been given no right at all. */
  readonly nobody: string
}

export function makeTokens(): Tokens {
  return { admin: secret(), nobody: secret() }
}

/** As kube-apiserver's --token-auth-file wants it: token, user, uid, groups. */
export function tokenFile({ admin, nobody }: Tokens): string {
  return [`${admin},admin,admin,"system:masters"`, `${nobody},nobody,nobody`, ''].join('\n')
}

function secret(): string {
  return randomBytes(16).toString('hex')
}
