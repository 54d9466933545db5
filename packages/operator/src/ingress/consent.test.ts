import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import { lastAppliedAnnotation } from '../testing/as-applied.ts'
import type { AnyObject } from '../testing/fake-api-server.ts'
import type { Scene } from '../testing/scene.ts'
import { Consent, refusedByAnnotation } from './consent.ts'
import { autoDeleteAnnotation } from './names.ts'

const controller = (edge: Scene) => edge.snapshot().controller

test('A live controller without the annotation gives no consent', () => {
  const edge = anIngressController().on('AWS').published()
  expect(Consent.byDeletion(controller(edge))).toBeUndefined()
  expect(Consent.byAnnotation(controller(edge))).toBeUndefined()
})

test.each(['', 'true', 'yes', 'falsehood'])(
  'The annotation gives consent by being there, with the value "%s"',
  (value) => {
    const edge = anIngressController().annotated({ [autoDeleteAnnotation]: value })
    expect(String(Consent.byAnnotation(controller(edge)))).toContain(autoDeleteAnnotation)
    expect(refusedByAnnotation(controller(edge))).toBeUndefined()
  },
)

test.each(['false', 'False', ' FALSE ', 'no', 'off', '0'])(
  'An annotation with the value "%s" gives no consent',
  (value) => {
    const edge = anIngressController().annotated({ [autoDeleteAnnotation]: value })
    expect(Consent.byAnnotation(controller(edge))).toBeUndefined()
    expect(refusedByAnnotation(controller(edge))).toBe(value.trim().toLowerCase())
  },
)

test('No other annotation gives consent, whatever its value', () => {
  const edge = anIngressController().annotated({
    'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ [autoDeleteAnnotation]: '' }),
    [`x-${autoDeleteAnnotation}`]: '',
  })
  expect(Consent.byAnnotation(controller(edge))).toBeUndefined()
})

test('A controller that is being deleted gives consent', () => {
  const edge = anIngressController().on('AWS').published().remove('IngressController')
  expect(String(Consent.byDeletion(controller(edge)))).toBe('the IngressController edge is being deleted')
})

test('Consent cannot be constructed outside its module (type test)', () => {
  // @ts-expect-error: the constructor is private.
  const forged = () => new Consent('because I say so')
  expect(forged).toBeDefined()
})

/** Keys that controllers have, and some that a user may have meant. */
const otherKeys = [
  lastAppliedAnnotation,
  'argocd.argoproj.io/tracking-id',
  'ingress.operator.openshift.io/auto-delete',
  'ingress.operator.openshift.io/auto-delete-load-balancer.',
  'Ingress.operator.openshift.io/auto-delete-load-balancer',
  'auto-delete-load-balancer',
  'toString',
  '__proto__',
]

test('Exactly one annotation is consent, whatever else a controller carries', () => {
  const values = fc.constantFrom('', 'true')
  const others = fc.dictionary(fc.oneof(fc.constantFrom(...otherKeys), fc.string()), values)
  fc.assert(
    fc.property(others, fc.option(values, { nil: undefined }), (annotations, value) => {
      const all = { ...annotations, ...(value !== undefined && { [autoDeleteAnnotation]: value }) }
      const { metadata, ...rest } = controller(anIngressController())
      const given = Consent.byAnnotation({ ...rest, metadata: { ...metadata, annotations: all } })
      expect(given !== undefined).toBe(value !== undefined)
    }),
  )
})

test('A controller without any annotation gives no consent', () => {
  const { metadata, ...rest } = controller(anIngressController())
  const { annotations: _, ...bare } = metadata
  expect(Consent.byAnnotation({ ...rest, metadata: bare })).toBeUndefined()
})

describe('a change of type', () => {
  const types = ['LoadBalancerService', 'NodePortService', 'HostNetwork', 'Private'] as const
  const service = (type: string) =>
    ({
      metadata: { name: 'router-nodeport-edge', uid: 'u', resourceVersion: '1' },
      spec: { type },
    }) as AnyObject as never
  const given = (asked: string | undefined, type: string) => {
    const edge = anIngressController()
    if (asked !== undefined) edge.spec({ endpointPublishingStrategy: { type: asked } })
    return Consent.byTypeChange(controller(edge), service(type))
  }

  test.each(types.filter((type) => type !== 'NodePortService'))(
    'A change of type to %s is consent to delete node ports',
    (asked) => {
      expect(String(given(asked, 'NodePort'))).toBe(`the IngressController now requests ${asked}`)
      expect(given(asked, 'NodePort')?.canBeWithdrawn).toBe(true)
    },
  )

  test.each(types)(
    'A change of type to %s is no consent to delete the Service of a load balancer',
    (asked) => {
      expect(given(asked, 'LoadBalancer')).toBeUndefined()
    },
  )

  test.each([undefined, 'NodePortService'])('A change of type is no consent with %s in the spec', (asked) => {
    expect(given(asked, 'NodePort')).toBeUndefined()
  })
})

test('Consent by deletion is final, and consent by annotation can be withdrawn', () => {
  const edge = anIngressController().on('AWS').published().remove('IngressController')
  expect(Consent.byDeletion(controller(edge))?.canBeWithdrawn).toBe(false)
  const agreed = anIngressController().annotated({ [autoDeleteAnnotation]: '' })
  expect(Consent.byAnnotation(controller(agreed))?.canBeWithdrawn).toBe(true)
})
