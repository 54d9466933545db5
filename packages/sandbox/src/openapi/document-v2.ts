import { info, type OpenApiDocument } from './document.ts'
import { type OpenApiSchema, schemaPrefix, sortedByKey } from './openapi-schema.ts'

export interface OpenApiDocumentV2 {
  readonly swagger: string
  readonly info: OpenApiSchema
  readonly paths: Record<string, OpenApiSchema>
  readonly definitions: Record<string, OpenApiSchema>
  readonly securityDefinitions: OpenApiSchema
  readonly security: readonly OpenApiSchema[]
}

type Kind = { group: string; kind: string; version: string }

const kindsOf = 'x-kubernetes-group-version-kind'

/** All documents in one, in the older form: `/openapi/v2`. */
export function documentV2(documents: Iterable<OpenApiDocument>): OpenApiDocumentV2 {
  const paths: Record<string, OpenApiSchema> = {}
  const definitions: Record<string, OpenApiSchema> = {}
  let securityDefinitions: OpenApiSchema = {}
  for (const { paths: found, components } of documents) {
    securityDefinitions = components.securitySchemes
    for (const [path, item] of Object.entries(found)) paths[path] = pathItem(item)
    for (const [name, schema] of Object.entries(components.schemas)) {
      const known = (definitions[name]?.[kindsOf] ?? []) as Kind[]
      definitions[name] = plainTypes[name] ?? older(schema)
      if (known.length > 0) definitions[name] = withKinds(definitions[name], known)
    }
  }
  return {
    swagger: '2.0',
    info,
    paths: sortedByKey(paths),
    definitions: sortedByKey(definitions),
    securityDefinitions,
    security: [{ BearerToken: [] }],
  }
}

/** What several documents describe, such as DeleteOptions, is of the kinds that any of them says. */
function withKinds(schema: OpenApiSchema, known: readonly Kind[]): OpenApiSchema {
  const own = ((schema[kindsOf] ?? []) as Kind[]).filter(
    ({ group, kind }) => !known.some((other) => other.group === group && other.kind === kind),
  )
  return { ...schema, [kindsOf]: [...known, ...own] }
}

/** Types that are a choice in OpenAPI v3, which v2 cannot say. */
const plainTypes: Readonly<Record<string, OpenApiSchema>> = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: 'string', format: 'int-or-string' },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'string' },
}

const inexpressible = new Set(['default', 'nullable', 'anyOf', 'oneOf', 'not', 'allOf'])

/** A schema without what OpenAPI v2 lacks. */
function older(schema: OpenApiSchema): OpenApiSchema {
  const reference = schema['$ref'] ?? (schema['allOf'] as OpenApiSchema[] | undefined)?.[0]?.['$ref']
  const { description } = schema
  if (typeof reference === 'string') {
    const $ref = reference.replace(schemaPrefix, '#/definitions/')
    return { ...(description !== undefined && { description }), $ref }
  }
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || schema['nullable'] === true
  const result: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (inexpressible.has(key) || (isOpen && ['type', 'properties', 'items', 'required'].includes(key)))
      continue
    if (key === 'properties') result[key] = mapped(value as Record<string, OpenApiSchema>, older)
    else if (key === 'items' || (key === 'additionalProperties' && typeof value === 'object'))
      result[key] = older(value as OpenApiSchema)
    else result[key] = value
  }
  return result
}

function pathItem(item: OpenApiSchema): OpenApiSchema {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) =>
      key === 'parameters'
        ? [key, (value as OpenApiSchema[]).map(parameter)]
        : [key, operation(value as Operation)],
    ),
  )
}

type Operation = OpenApiSchema & {
  parameters?: OpenApiSchema[]
  requestBody?: { content: Record<string, { schema: OpenApiSchema }>; required?: boolean }
  responses: Record<string, { description: string; content?: Record<string, { schema: OpenApiSchema }> }>
}

function operation({ parameters = [], requestBody, responses, ...rest }: Operation): OpenApiSchema {
  const sent = Object.entries(requestBody?.content ?? {})
  const answered = Object.keys(Object.values(responses)[0]?.content ?? {})
  const body = sent.slice(0, 1).map(([, { schema }]) => ({
    name: 'body',
    in: 'body',
    ...(requestBody?.required && { required: true }),
    schema: older(schema),
  }))
  const all = [...body, ...parameters.map(parameter)]
  return {
    ...rest,
    consumes: sent.length === 0 ? ['*/*'] : sent.map(([type]) => type),
    produces: answered,
    schemes: ['https'],
    ...(all.length > 0 && { parameters: all }),
    responses: mapped(responses, ({ description, content }) => {
      const schema = Object.values(content ?? {})[0]?.schema
      return { description, ...(schema && { schema: older(schema) }) }
    }),
  }
}

function parameter({ schema, ...rest }: OpenApiSchema): OpenApiSchema {
  return { ...(schema as OpenApiSchema), ...rest }
}

function mapped<T, R>(record: Readonly<Record<string, T>>, map: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
