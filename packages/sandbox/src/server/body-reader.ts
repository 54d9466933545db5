import {
  type AnyObject,
  type DecodedCustomResource,
  type DecodedRequest,
  decodeCustomResource,
  decodeRequest,
  type KubernetesSchemas,
  type Schema,
  scheme,
  strictProblem,
} from '@portcullis/schema'
import { protobufType } from '../protobuf/request-body.ts'
import type { Resource } from '../resource.ts'
import { badRequest, StatusError, unsupportedMediaType } from './api-status.ts'
import { jsonOfYaml, mediaTypeOf, type Unreadable, type YamlAsJson } from './body-text.ts'
import { scaleKind } from './scale.ts'
import type { WriteOptions } from './write-options.ts'

export interface Body {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  readonly unreadable?: Unreadable
}

export interface ReadObject {
  readonly object: AnyObject
  readonly warnings: readonly string[]
}

type Target = Pick<Resource, 'group' | 'version' | 'kind'>

const accepted = ['application/json', 'application/yaml', protobufType]

/** Reads objects from the bodies of requests: checks what they are, their fields, and fills in defaults. */
export class BodyReader {
  readonly #schemas: KubernetesSchemas

  constructor(schemas: KubernetesSchemas) {
    this.#schemas = schemas
  }

  read(request: Body, resource: Resource, options: WriteOptions): ReadObject {
    const { schema } = resource
    const { text, problems } = bodyText(request, resource)
    const decoded = resource.isCustom
      ? decodeCustomResource(text, resource, schema, { lenient: options.fieldValidation === 'Ignore' })
      : decodeRequest(text, resource, schema, (other) => this.#schemas.lookup(other) !== undefined)
    const read = accept(decoded, resource, options, problems)
    resource.behaviour.defaults?.(read.object)
    return read
  }

  get scaleSchema(): Schema {
    const schema = this.#schemas.lookup(scaleKind)
    if (schema === undefined) throw new Error('There is no schema of Scale')
    return schema
  }

  readScale(request: Body, options: WriteOptions, { isCustom }: { isCustom: boolean }): ReadObject {
    const { text, problems } = bodyText(request, scaleKind)
    const isKnown = (other: Target) => this.#schemas.lookup(other) !== undefined
    const decoded = decodeRequest(text, scaleKind, this.scaleSchema, isKnown)
    try {
      return accept(decoded, scaleKind, options, problems)
    } catch (error) {
      // The real server looks up what it wanted to read, to name it, among the kinds that are no custom resources.
      if (isCustom && error instanceof StatusError)
        throw badRequest(`no kind is registered for the type v1.Scale in scheme ${JSON.stringify(scheme)}`)
      throw error
    }
  }
}

/** What came as protobuf is JSON by now. */
function bodyText({ headers, body, unreadable }: Body, { kind }: Target): YamlAsJson {
  const type = mediaTypeOf(headers['content-type'])
  if (!['', ...accepted].includes(type)) throw unsupportedMediaType(accepted)
  const read = type === 'application/yaml' ? jsonOfYaml(body) : { text: body, problems: [] }
  const broken = 'unreadable' in read ? read.unreadable : unreadable
  if (broken !== undefined)
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): ${broken.cause} (${broken.summary})`,
    )
  return read as YamlAsJson
}

function accept(
  decoded: DecodedRequest | DecodedCustomResource,
  { version, kind }: Target,
  { fieldValidation }: WriteOptions,
  problemsOfText: readonly string[] = [],
): ReadObject {
  if ('error' in decoded) throw badRequest(decoded.error)
  const { object } = decoded
  const problems = [...problemsOfText, ...decoded.strict.map(strictProblem)]
  if (fieldValidation === 'Strict' && problems.length > 0) {
    throw badRequest(
      `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${problems.join(', ')}`,
    )
  }
  if ('mismatch' in decoded && decoded.mismatch !== undefined) throw badRequest(decoded.mismatch)
  return { object, warnings: fieldValidation === 'Warn' ? problems : [] }
}
