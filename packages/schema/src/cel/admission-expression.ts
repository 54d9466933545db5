import type { Schema } from '../schema.ts'
import { typeOfExpression } from './check.ts'
import { dyn, printed, type Type, typeOf } from './expression-type.ts'

/** An expression of a ValidatingAdmissionPolicy, and what it may speak of. */
export interface AdmissionExpression {
  readonly source: string
  /** What it must evaluate to, one of these; whatever it likes if there are none. */
  readonly results: readonly ('bool' | 'string' | 'null')[]
  /** The policy's own variables that are declared before it; none at all in match conditions. */
  readonly variables?: readonly string[]
  readonly hasParams: boolean
  readonly hasAuthorizer: boolean
}

const text: Schema = { type: 'string' }
const object = (properties: Readonly<Record<string, Schema>>): Schema => ({ type: 'object', properties })
const groupVersionKind = object({ group: text, version: text, kind: text })
const groupVersionResource = object({ group: text, version: text, resource: text })

const request = typeOf(
  object({
    kind: groupVersionKind,
    resource: groupVersionResource,
    subResource: text,
    requestKind: groupVersionKind,
    requestResource: groupVersionResource,
    requestSubResource: text,
    name: text,
    namespace: text,
    operation: text,
    userInfo: object({
      username: text,
      uid: text,
      groups: { type: 'array', items: text },
      extra: { type: 'object', additionalProperties: { type: 'array', items: text } },
    }),
    dryRun: { type: 'boolean' },
    options: {},
  }),
)

/** Of the authorizer, and of what it answers. */
const authorizerMethods = new Set(
  'path serviceAccount group resource subresource namespace name fieldSelector labelSelector check allowed reason errored error'.split(
    ' ',
  ),
)

/** What is wrong with an expression before it is evaluated, in the server's words; what is not known to be wrong passes. */
export function problemOfAdmissionExpression({
  source,
  results,
  variables,
  hasParams,
  hasAuthorizer,
}: AdmissionExpression): string | undefined {
  const declared = variables && object(Object.fromEntries(variables.map((name) => [name, {}])))
  const known = {
    object: dyn,
    oldObject: dyn,
    namespaceObject: dyn,
    request,
    ...(hasParams && { params: dyn }),
    ...(hasAuthorizer && { authorizer: dyn }),
    ...(declared && { variables: typeOf(declared) }),
  }
  const { type, problems } = typeOfExpression(source, known, authorizerMethods)
  if (problems.length > 0) return `compilation failed: ${problems.join('\n')}`
  return problemOfResult(type, results)
}

function problemOfResult(type: Type, results: AdmissionExpression['results']): string | undefined {
  if (results.length === 0 || type.kind === 'dyn' || results.some((result) => result === type.kind))
    return undefined
  const wanted = results.map((result) => (result === 'null' ? 'null_type' : result))
  const given = type.kind === 'null' ? 'null_type' : (printed(type) ?? 'dyn')
  return wanted.length === 1
    ? `must evaluate to ${wanted[0]} but got ${given}`
    : `must evaluate to one of [${wanted.join(' ')}] but got ${given}`
}
