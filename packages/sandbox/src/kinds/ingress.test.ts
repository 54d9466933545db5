import type { AnyObject } from '@portcullis/schema'
import { expect, test } from 'vitest'
import type { ClusterView } from '../resource.ts'
import { ingress } from './ingress.ts'

const annotation = 'ingressclass.kubernetes.io/is-default-class'

test('An Ingress without a class gets the newest default class', () => {
  const classes = [aClass('old', '2026-01-01T00:00:00Z'), aClass('new', '2026-01-02T00:00:00Z')]
  expect(classOf({}, classes)).toBe('new')
})

test('An Ingress gets the first by name of default classes that are equally new', () => {
  const classes = [aClass('b', '2026-01-01T00:00:00Z'), aClass('a', '2026-01-01T00:00:00Z')]
  expect(classOf({}, classes)).toBe('a')
})

test('An Ingress that names a class keeps it', () => {
  expect(classOf({ spec: { ingressClassName: 'mine' } }, [aClass('a', '')])).toBe('mine')
})

test('An Ingress with the class annotation gets no class', () => {
  const metadata = { name: 'x', annotations: { 'kubernetes.io/ingress.class': 'mine' } }
  expect(classOf({ metadata }, [aClass('a', '')])).toBeUndefined()
})

test('A class that is not marked as default is never a default', () => {
  const other = { ...aClass('a', ''), metadata: { name: 'a', annotations: { [annotation]: 'false' } } }
  expect(classOf({}, [other])).toBeUndefined()
})

function classOf(fields: object, classes: readonly AnyObject[]): unknown {
  const object = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'x' },
    ...fields,
  } as AnyObject
  const cluster: ClusterView = {
    now: () => new Date(0),
    random: () => 0,
    get: () => undefined,
    list: () => classes,
  }
  ingress.behaviour.prepareCreate?.(object, cluster)
  return (object.spec as { ingressClassName?: string }).ingressClassName
}

function aClass(name: string, creationTimestamp: string): AnyObject {
  const metadata = { name, creationTimestamp, annotations: { [annotation]: 'true' } }
  return { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata }
}
