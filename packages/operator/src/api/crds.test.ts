import type { Toleration } from 'kubernetes-types/core/v1'
import type { LabelSelector } from 'kubernetes-types/meta/v1'
import { expect, expectTypeOf, test } from 'vitest'
import type { Rule } from './crd/markers.ts'
import type { StructuralSchema } from './crd/structural-schema.ts'
import { crds } from './crds.ts'
import type { EndpointPublishingStrategy } from './endpoint-publishing-strategy.ts'
import type { IngressControllerSpec } from './ingress-controller.ts'

/** Every schema in a schema, with the path of its field. */
function* schemasIn(schema: StructuralSchema, path: string): Iterable<readonly [string, StructuralSchema]> {
  yield [path, schema]
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    yield* schemasIn(property, `${path}.${name}`)
  if (schema.items) yield* schemasIn(schema.items, `${path}[]`)
  if (schema.additionalProperties) yield* schemasIn(schema.additionalProperties, `${path}{}`)
}

const fields = crds.flatMap(({ spec }) =>
  spec.versions.flatMap(({ schema }) => [...schemasIn(schema.openAPIV3Schema, spec.names.kind)]),
)

test('Each field of a schema has a type, and no keyword that Kubernetes rejects', () => {
  const allowed =
    /^(type|description|format|nullable|default|enum|minimum|maximum|m(in|ax)(Length|Items)|required|properties|additionalProperties|items|x-kubernetes-(validations|list-type|list-map-keys|map-type|preserve-unknown-fields))$/
  for (const [path, schema] of fields) {
    expect(schema, path).toHaveProperty('type')
    expect(
      Object.keys(schema).filter((keyword) => !allowed.test(keyword)),
      path,
    ).toEqual([])
    expect(schema.properties !== undefined && schema.additionalProperties !== undefined, path).toBe(false)
  }
})

test('Each list of a schema declares how it is merged', () => {
  const silent = fields.filter(
    ([, schema]) => schema.type === 'array' && schema['x-kubernetes-list-type'] === undefined,
  )
  expect(silent.map(([path]) => path)).toEqual([])
})

test('Each rule of a schema has a message that is a sentence and names the field', () => {
  for (const [path, schema] of fields) {
    for (const { message, fieldPath = '' } of (schema['x-kubernetes-validations'] ?? []) as Rule[]) {
      expect(message, path).toMatch(/\.$/)
      const names = `${path}${fieldPath}`.split('.').map((name) => name.replaceAll('[]', ''))
      const children = Object.keys(schema.properties ?? {})
      expect(
        [names.at(-1), ...children].some((name) => name !== undefined && message.includes(name)),
        `${path}: ${message}`,
      ).toBe(true)
    }
  }
})

test('The types match those of Kubernetes, and optional fields are never undefined', () => {
  type Placement = NonNullable<IngressControllerSpec['nodePlacement']>
  expectTypeOf<NonNullable<IngressControllerSpec['routeSelector']>>().toEqualTypeOf<LabelSelector>()
  expectTypeOf<NonNullable<Placement['tolerations']>>().toEqualTypeOf<Toleration[]>()
  expectTypeOf<{
    type: 'HostNetwork'
    hostNetwork: { httpPort: 80 }
  }>().toExtend<EndpointPublishingStrategy>()
  expectTypeOf<{ replicas: undefined }>().not.toExtend<IngressControllerSpec>()
  expectTypeOf<{ type: 'Nonsense' }>().not.toExtend<EndpointPublishingStrategy>()
})
