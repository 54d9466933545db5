import type { Cached } from '@portcullis/kube'
import { expect, test } from 'vitest'
import { ingressClass, isClassOf } from './ingress-class.ts'

const edge = { metadata: { namespace: 'openshift-ingress-operator', name: 'edge' } }

/** The class as the API server shows it, but for a change. */
function live(change: (object: ReturnType<typeof ingressClass>) => void = () => {}) {
  const object = ingressClass({ controller: edge as never })
  change(object)
  return { ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion: '1' } } as Cached<
    ReturnType<typeof ingressClass>
  >
}

test('The IngressClass of an IngressController refers to it', () => {
  expect(live().spec?.parameters).toEqual({
    apiGroup: 'operator.openshift.io',
    kind: 'IngressController',
    scope: 'Namespace',
    namespace: 'openshift-ingress-operator',
    name: 'edge',
  })
  expect(isClassOf(edge, live())).toBe(true)
})

test('An IngressClass that refers to another IngressController, or has another controller, is not managed', () => {
  const elsewhere = live(({ spec }) => void Object.assign(spec?.parameters ?? {}, { namespace: 'another' }))
  expect(isClassOf(edge, elsewhere)).toBe(false)
  const unlabelled = live(({ metadata }) => void Object.assign(metadata, { labels: {} }))
  expect(isClassOf(edge, unlabelled)).toBe(false)
})
