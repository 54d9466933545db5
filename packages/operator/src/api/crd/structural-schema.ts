import { z } from 'zod'

/**
 * A schema in the form that Kubernetes asks of CustomResourceDefinitions: every field with its type, no references,
 * no alternatives. https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */
export interface StructuralSchema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  description?: string
  format?: string
  nullable?: boolean
  default?: unknown
  enum?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  minItems?: number
  maxItems?: number
  required?: string[]
  properties?: Record<string, StructuralSchema>
  additionalProperties?: StructuralSchema
  items?: StructuralSchema
  [extension: `x-kubernetes-${string}`]: unknown
}

/** The structural schema of what may be written where a zod schema holds. */
export function structuralSchema(schema: z.ZodType): StructuralSchema {
  const { $schema: _, ...structural } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    reused: 'inline',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema instanceof z.ZodObject) delete jsonSchema.additionalProperties
      if (zodSchema instanceof z.ZodNumberFormat) replaceBoundsByFormat(zodSchema, jsonSchema)
    },
  })
  return inOrder(structural as StructuralSchema)
}

/** zod says `int32` by its bounds, and `int` by those of JavaScript. */
function replaceBoundsByFormat(
  schema: z.ZodNumberFormat,
  jsonSchema: { minimum?: number; maximum?: number; format?: string },
): void {
  const isInt32 = schema.format === 'int32'
  const bound = isInt32 ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER
  jsonSchema.format = isInt32 ? 'int32' : 'int64'
  if ((jsonSchema.maximum ?? bound) >= bound) delete jsonSchema.maximum
  if ((jsonSchema.minimum ?? -bound) <= -bound) delete jsonSchema.minimum
}

const orderOfKeywords = ['description', 'type', 'format', 'nullable', 'default', 'enum', 'required']
const lastKeywords = ['properties', 'additionalProperties', 'items']

/** Says first what a reader wants to know first, and the fields in the order in which they are defined. */
function inOrder(schema: StructuralSchema): StructuralSchema {
  const rank = (keyword: string) =>
    (orderOfKeywords.indexOf(keyword) + 1 || orderOfKeywords.length + 1) +
    (lastKeywords.indexOf(keyword) + 1) * 100
  const entries = Object.entries(schema).sort(([one], [other]) => rank(one) - rank(other))
  const ordered = Object.fromEntries(entries) as StructuralSchema
  if (ordered.items !== undefined) ordered.items = inOrder(ordered.items)
  if (ordered.additionalProperties !== undefined)
    ordered.additionalProperties = inOrder(ordered.additionalProperties)
  if (ordered.properties !== undefined)
    ordered.properties = Object.fromEntries(
      Object.entries(ordered.properties).map(([name, property]) => [name, inOrder(property)]),
    )
  return ordered
}
