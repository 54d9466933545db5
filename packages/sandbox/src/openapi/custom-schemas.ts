import type { Schema } from '@portcullis/schema'
import type { Resource } from '../resource.ts'
import { customName, metaNames } from './definition-names.ts'
import type { KubernetesDescriptions } from './descriptions.ts'
import { kindsExtension, type OpenApiSchema, qualified, referenceTo, sortedByKey } from './openapi-schema.ts'

/** The schemas of a custom resource and of lists of it: what its definition says, and what all objects have. */
export function customSchemas(
  resource: Resource,
  descriptions: KubernetesDescriptions,
): Record<string, OpenApiSchema> {
  const { group, version, kind, schema } = resource
  const name = customName(resource)
  const common = (field: string) => {
    const text = descriptions.of('core/v1.Pod', field)
    return text === undefined ? {} : { description: text }
  }
  const typeFields = {
    apiVersion: { ...common('apiVersion'), type: 'string' },
    kind: { ...common('kind'), type: 'string' },
  }
  const ofObject = {
    ...typeFields,
    metadata: qualified(metaNames.objectMeta, common('metadata')),
  }
  const list = {
    description: `${kind}List is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      ...typeFields,
      items: {
        description: `The objects: each a ${kind}.`,
        type: 'array',
        items: referenceTo(name),
      },
      metadata: qualified(metaNames.listMeta, common('metadata')),
    },
    ...kindsExtension({ group, version, kind: `${kind}List` }),
  }
  const { 'x-kubernetes-preserve-unknown-fields': isOpen, ...closed } = schema
  const isBare = isOpen === true && schema.properties === undefined
  const object = {
    ...(isOpen === true ? schema : closed),
    type: 'object',
    ...(!isBare && { properties: sortedByKey({ ...spelledOut(schema).properties, ...ofObject }) }),
    ...kindsExtension({ group, version, kind }),
  }
  return { [name]: object, [`${name}List`]: sortedProperties(list) }
}

function sortedProperties(schema: { properties: Record<string, unknown> }): OpenApiSchema {
  return { ...schema, properties: sortedByKey(schema.properties) }
}

/** What may be a number or a text says so twice. */
function spelledOut(schema: Schema): Schema {
  const { properties, items, additionalProperties, anyOf } = schema
  const isEither = schema['x-kubernetes-int-or-string'] === true && anyOf === undefined
  return {
    ...schema,
    ...(isEither && { anyOf: [{ type: 'integer' }, { type: 'string' }] }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, spelledOut(property)]),
      ),
    }),
    ...(items && { items: spelledOut(items) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: spelledOut(additionalProperties),
    }),
  }
}
