import type { AnyObject } from './any-object.ts'
import { decode, type StrictProblem } from './go-decode.ts'
import { goQuote, type JsonNode, JsonSyntaxError, parseJson } from './json-text.ts'
import type { Schema } from './schema.ts'

export { decode, type StrictProblem, strictDecodingError, strictProblem } from './go-decode.ts'

/** What a request must hold. */
export interface Expected {
  readonly group: string
  readonly version: string
  readonly kind: string
}

export type DecodedRequest =
  | { readonly object: AnyObject; readonly strict: readonly StrictProblem[] }
  /** The message of a 400 BadRequest. */
  | { readonly error: string }

/** Where the real server's scheme is made; its error for an unknown kind says so. */
export const scheme = 'pkg/runtime/scheme.go:111'

interface Request {
  readonly node: JsonNode
  /** As they are in the body; empty where they are not. */
  readonly apiVersion: string
  readonly kind: string
  /** What the object says it is, and where it does not, what is expected. */
  readonly found: Expected
  readonly unrecognised: (cause: string) => { readonly error: string }
  readonly unfit: (cause: string, version?: string) => { readonly error: string }
}

/** Reads of a body what kind of object it is; the server does this first. */
export function readRequest(text: string, expected: Expected): Request | { readonly error: string } {
  const unrecognised = (cause: string) => ({
    error: `the object provided is unrecognized (must be of type ${expected.kind}): ${cause} (${summary(text)})`,
  })
  let node: JsonNode
  try {
    node = parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    return unrecognised(`couldn't get version/kind; json parse error: ${error.message}`)
  }
  const type = decode(typeMeta, node)
  if ('error' in type) return unrecognised(`couldn't get version/kind; json parse error: ${type.error}`)
  const { apiVersion, kind } = type.object as { apiVersion: string; kind: string }
  const parts = apiVersion.split('/')
  if (parts.length > 2) return unrecognised(`unexpected GroupVersion string: ${apiVersion}`)
  const found = {
    group: apiVersion === '' ? expected.group : parts.length === 2 ? (parts[0] ?? '') : '',
    version: apiVersion === '' ? expected.version : (parts.at(-1) ?? ''),
    kind: kind === '' ? expected.kind : kind,
  }
  const unfit = (cause: string, version = found.version) => ({
    error: `${found.kind} in version ${goQuote(version)} cannot be handled as a ${expected.kind}: ${cause}`,
  })
  return { node, apiVersion, kind, found, unrecognised, unfit }
}

/** Reads the body of a create or update of a built-in kind as the server does: the kind first, then the object. */
export function decodeRequest(
  text: string,
  expected: Expected,
  schema: Schema,
  /** Whether the server has such a built-in kind at all: it then fails to convert it, and says so. */
  isBuiltIn: (kind: Expected) => boolean = () => false,
): DecodedRequest {
  const request = readRequest(text, expected)
  if ('error' in request) return request
  const { node, found, unfit } = request
  const groupVersion = found.group === '' ? found.version : `${found.group}/${found.version}`
  const isExpected =
    found.group === expected.group && found.version === expected.version && found.kind === expected.kind
  if (!isExpected)
    return unfit(
      isBuiltIn(found)
        ? `converting (${found.version}.${found.kind}) to (${internalPackage(expected.group)}.${expected.kind}): unknown conversion`
        : `no kind ${goQuote(found.kind)} is registered for version ${goQuote(groupVersion)} in scheme ${goQuote(scheme)}`,
    )
  const decoded = decode(schema, node)
  if ('error' in decoded) return unfit(decoded.error)
  const object = Object.assign(decoded.object as AnyObject, { kind: found.kind, apiVersion: groupVersion })
  return { object, strict: decoded.strict }
}

function internalPackage(group: string): string {
  return group === '' ? 'core' : (group.split('.')[0] ?? group)
}

/** The beginning of a body, for a message. */
function summary(text: string): string {
  if (text === '') return '<empty>'
  const bytes = Buffer.from(text)
  const [start, more] = bytes.length > 30 ? [bytes.subarray(0, 30), ' ...'] : [bytes, '']
  return text.startsWith('{') ? `${start.toString()}${more}` : `${start.toString('hex')}${more}`
}

/** What the kind is found with; Go prints the whole type where it is not even an object. */
const typeMeta: Schema = {
  type: 'object',
  properties: { apiVersion: { type: 'string' }, kind: { type: 'string' } },
  'x-go': {
    type: 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
  },
}
