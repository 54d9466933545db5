import type { User } from '../resource.ts'

/** Whose a token is: a map will do. */
export interface TokenHolders {
  get(token: string): User | undefined
}

/** The user of a request's bearer token; undefined if it is missing or unknown. */
export function userOf(authorization: string | undefined, users: TokenHolders): User | undefined {
  const [scheme = '', token = ''] = (authorization ?? '').split(' ')
  return scheme.toLowerCase() === 'bearer' ? users.get(token) : undefined
}
