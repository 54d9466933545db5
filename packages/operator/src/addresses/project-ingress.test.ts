import type { Persisted } from '@portcullis/kube'
import type { Ingress } from 'kubernetes-types/networking/v1'
import { expect, test } from 'vitest'
import { isOwnedBy } from './decide-ingress.ts'
import { classOf } from './ingress-class.ts'
import { projectIngress } from './project-ingress.ts'

const metadata = { namespace: 'n', name: 'i', uid: 'u', resourceVersion: '1' }
const writer = (manager: string, fields: object = {}, subresource = 'status') => ({
  manager,
  operation: 'Update',
  subresource,
  fieldsV1: { 'f:status': { 'f:loadBalancer': fields } },
})

test('The cache keeps of the managed fields of an Ingress those of its address', () => {
  const ingress: Persisted<Ingress> = {
    metadata: {
      ...metadata,
      managedFields: [
        writer('us', { 'f:ingress': { 'k:{"ip":"192.0.2.1"}': {} } }),
        writer('others'),
        writer('tenant', { 'f:ingress': {} }, ''),
      ],
    },
  }
  const kept = projectIngress(ingress)
  expect(kept.metadata.managedFields).toHaveLength(1)
  expect(isOwnedBy('us', kept)).toBe(true)
  expect(isOwnedBy('others', kept)).toBe(false)
})

test('The cache keeps little of an Ingress of a megabyte', () => {
  const long = ' '.repeat(250_000)
  const manyFields = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`f:${i}`, {}]))
  const kept = projectIngress({
    metadata: {
      ...metadata,
      annotations: { 'kubernetes.io/ingress.class': long, note: long },
      managedFields: Array.from({ length: 5000 }, (_, i) => writer(`m${i}`, { 'f:ingress': manyFields })),
    },
  })
  expect(JSON.stringify(kept).length).toBeLessThan(10_000)
  expect(classOf(kept)).not.toBeUndefined()
  expect(kept.metadata.managedFields).toHaveLength(20)
})

test('The cache keeps no label of an Ingress that has too many', () => {
  const labels = Object.fromEntries(Array.from({ length: 870 }, (_, at) => [`l${at}`, '']))
  expect(JSON.stringify(projectIngress({ metadata: { ...metadata, labels } })).length).toBeLessThan(200)
})

test('The cache keeps of an Ingress what it is found, selected and answered by, and nothing else', () => {
  const facts = {
    metadata: { ...metadata, creationTimestamp: '2030-01-01T00:00:00Z', labels: { shard: 'a' } },
    spec: { ingressClassName: 'edge' },
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
  } as unknown as Persisted<Ingress>
  const whole = { ...facts, spec: { ingressClassName: 'edge', rules: [{ host: 'a.example' }] } }
  expect(projectIngress(whole)).toEqual(facts)
  expect(Object.keys(projectIngress({ metadata }).metadata)).toEqual(Object.keys(metadata))
})
