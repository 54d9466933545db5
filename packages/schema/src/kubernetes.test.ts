import { expect, test } from 'vitest'
import { loadKubernetesSchemas } from './kubernetes.ts'

const schemas = loadKubernetesSchemas()

test('Every kind of the sandbox has a schema', () => {
  expect(schemas.kinds).toContain('v1/Pod')
  for (const name of schemas.kinds) {
    const [kind = '', version = '', group = ''] = name.split('/').toReversed()
    expect(schemas.lookup({ group, version, kind })?.type, name).toBe('object')
  }
})

test('An unknown kind has no schema', () => {
  expect(schemas.lookup({ group: '', version: 'v2', kind: 'Pod' })).toBeUndefined()
})

test('Schemas say how lists are merged', () => {
  const ports = schemas.lookup({ group: '', version: 'v1', kind: 'Service' })?.properties?.['spec']
    ?.properties?.['ports']
  expect(ports).toMatchObject({
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['port', 'protocol'],
    'x-kubernetes-patch-merge-key': 'port',
    'x-kubernetes-patch-strategy': 'merge',
  })
  expect(ports?.items?.properties?.['protocol']?.default).toBe('TCP')
})

test('A schema may contain itself', () => {
  const crd = schemas.lookup({
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
  })
  const schema = crd?.properties?.['spec']?.properties?.['versions']?.items?.properties?.['schema']
  const props = schema?.properties?.['openAPIV3Schema']
  expect(props?.properties?.['not']?.properties?.['properties']).toBe(props?.properties?.['properties'])
})
