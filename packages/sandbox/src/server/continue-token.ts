import { badRequest } from './api-status.ts'

/** Where a list that goes on continues: after which key, and as of which revision. */
export interface Continuation {
  readonly revision: number
  /** The key after the last one given, in the order of the keys: that key with a zero byte behind it. */
  readonly start: string
}

/** For a revision: whatever is there by then. */
export const asItIsNow = -1

const tokenVersion = 'meta.k8s.io/v1'

/** Written as the real server writes it, down to the leading slash. */
export function writeContinueToken({ revision, start }: Continuation): string {
  const content = { v: tokenVersion, rv: revision, start: `/${start}` }
  return Buffer.from(JSON.stringify(content)).toString('base64url')
}

export function readContinueToken(token: string): Continuation {
  const text = Buffer.from(token, 'base64url').toString('utf8')
  let content: { v?: unknown; rv?: unknown; start?: unknown }
  try {
    content = JSON.parse(text) as typeof content
  } catch {
    const [first = ''] = text
    throw badRequest(
      `invalid continue token: continue key is not valid: invalid character '${first}' looking for beginning of value`,
    )
  }
  const { v, rv, start } = content
  if (v !== tokenVersion || typeof rv !== 'number' || typeof start !== 'string') {
    throw badRequest(
      'invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    )
  }
  return { revision: rv, start: start.slice(1) }
}
