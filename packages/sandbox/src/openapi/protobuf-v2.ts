import { bytesField, doubleField, numberField, textField } from '../protobuf/write.ts'
import type { OpenApiDocumentV2 } from './document-v2.ts'
import type { OpenApiSchema } from './openapi-schema.ts'

/**
 * The only form in which kubectl reads OpenAPI v2 (to validate a `kind: List` itself, for one): the messages of
 * gnostic's OpenAPIv2.proto, which follow the JSON but for maps, which are lists of named values.
 */
export const protobufTypeV2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

type Writer = (number: number, value: never) => Buffer
type Fields = Readonly<Record<string, readonly [number: number, write: Writer]>>

/** Writes an object by a table of its fields; what begins with `x-` goes into field `extensions`. */
function write(value: OpenApiSchema, fields: Fields, extensions: number): Buffer {
  const parts: Buffer[] = []
  for (const [key, part] of Object.entries(value)) {
    if (key.startsWith('x-')) parts.push(named(extensions, key, any(2, part)))
    else {
      const field = fields[key]
      if (field !== undefined) parts.push(field[1](field[0], part as never))
    }
  }
  return Buffer.concat(parts)
}

function named(number: number, name: string, value: Buffer): Buffer {
  return bytesField(number, Buffer.concat([textField(1, name), value]))
}

const text: Writer = textField
const flag: Writer = (number, value: boolean) => numberField(number, value ? 1 : 0)
const integer: Writer = numberField
const double: Writer = doubleField
const texts: Writer = (number, values: readonly string[]) =>
  Buffer.concat(values.map((value) => textField(number, value)))

/** Any value, as YAML, of which JSON is a part. */
function any(number: number, value: unknown): Buffer {
  return bytesField(number, textField(2, JSON.stringify(value)))
}

const anys: Writer = (number, values: readonly unknown[]) =>
  Buffer.concat(values.map((value) => any(number, value)))

const schemaOf: Writer = (number, schema: OpenApiSchema) => bytesField(number, writeSchema(schema))

function writeSchema(schema: OpenApiSchema): Buffer {
  return write(schema, schemaFields, 31)
}

function namedSchemas(schemas: Readonly<Record<string, OpenApiSchema>>): Buffer {
  return Buffer.concat(
    Object.entries(schemas).map(([name, schema]) => named(1, name, schemaOf(2, schema as never))),
  )
}

const schemaFields: Fields = {
  $ref: [1, text],
  format: [2, text],
  title: [3, text],
  description: [4, text],
  multipleOf: [6, double],
  maximum: [7, double],
  exclusiveMaximum: [8, flag],
  minimum: [9, double],
  exclusiveMinimum: [10, flag],
  maxLength: [11, integer],
  minLength: [12, integer],
  pattern: [13, text],
  maxItems: [14, integer],
  minItems: [15, integer],
  uniqueItems: [16, flag],
  maxProperties: [17, integer],
  minProperties: [18, integer],
  required: [19, texts],
  enum: [20, anys],
  additionalProperties: [
    21,
    (number, value: OpenApiSchema | boolean) =>
      bytesField(
        number,
        typeof value === 'boolean' ? flag(2, value as never) : bytesField(1, writeSchema(value)),
      ),
  ],
  type: [22, (number, value: string) => bytesField(number, textField(1, value))],
  items: [23, (number, value: OpenApiSchema) => bytesField(number, bytesField(1, writeSchema(value)))],
  properties: [25, (number, value: Record<string, OpenApiSchema>) => bytesField(number, namedSchemas(value))],
}

const queryFields: Fields = {
  required: [1, flag],
  in: [2, text],
  description: [3, text],
  name: [4, text],
  type: [6, text],
  uniqueItems: [20, flag],
}

const pathFields: Fields = { ...queryFields, type: [5, text], uniqueItems: [19, flag] }

const bodyFields: Fields = {
  description: [1, text],
  name: [2, text],
  in: [3, text],
  required: [4, flag],
  schema: [5, schemaOf],
}

/** Parameters of different places are different messages. */
const parameters: Writer = (number, values: readonly OpenApiSchema[]) =>
  Buffer.concat(
    values.map((value) => {
      const place = value['in']
      const parameter =
        place === 'body'
          ? bytesField(1, write(value, bodyFields, 6))
          : place === 'path'
            ? bytesField(2, bytesField(4, write(value, pathFields, 22)))
            : bytesField(2, bytesField(3, write(value, queryFields, 23)))
      return bytesField(number, bytesField(1, parameter))
    }),
  )

const responseFields: Fields = {
  description: [1, text],
  schema: [2, (number, schema: OpenApiSchema) => bytesField(number, bytesField(1, writeSchema(schema)))],
}

const responses: Writer = (number, values: Record<string, OpenApiSchema>) =>
  bytesField(
    number,
    Buffer.concat(
      Object.entries(values).map(([code, response]) =>
        named(1, code, bytesField(2, bytesField(1, write(response, responseFields, 5)))),
      ),
    ),
  )

const operationFields: Fields = {
  tags: [1, texts],
  description: [3, text],
  operationId: [5, text],
  produces: [6, texts],
  consumes: [7, texts],
  parameters: [8, parameters],
  responses: [9, responses],
  schemes: [10, texts],
}

const operation: Writer = (number, value: OpenApiSchema) =>
  bytesField(number, write(value, operationFields, 13))

const pathItemFields: Fields = {
  get: [2, operation],
  put: [3, operation],
  post: [4, operation],
  delete: [5, operation],
  patch: [8, operation],
  parameters: [9, parameters],
}

const documentFields: Fields = {
  swagger: [1, text],
  info: [
    2,
    (number, value: OpenApiSchema) =>
      bytesField(number, write(value, { title: [1, text], version: [2, text] }, 7)),
  ],
  paths: [
    8,
    (number, paths: Record<string, OpenApiSchema>) =>
      bytesField(
        number,
        Buffer.concat(
          Object.entries(paths).map(([path, item]) =>
            named(2, path, bytesField(2, write(item, pathItemFields, 10))),
          ),
        ),
      ),
  ],
  definitions: [9, (number, value: Record<string, OpenApiSchema>) => bytesField(number, namedSchemas(value))],
}

export function documentToProtobuf(document: OpenApiDocumentV2): Buffer {
  return write({ ...document }, documentFields, 16)
}
