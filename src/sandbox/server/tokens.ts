import type { User } from '../resource.ts'

/** Whom a request's bearer token belongs to; nobody, if it is missing or unknown. */
export function userOf(
  authorization: string | undefined,
  users: ReadonlyMap<string, User>,
): User | undefined {
  const [scheme = '', token = ''] = (authorization ?? '').split(' ')
  return scheme.toLowerCase() === 'bearer' ? users.get(token) : undefined
}
