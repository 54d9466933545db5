import { expect, test } from 'vitest'
import { anIngressController } from '../../test/ingress/a-snapshot.ts'
import type { Scene } from '../../test/ingress/scene.ts'
import { Consent } from './consent.ts'
import { autoDeleteAnnotation } from './names.ts'

const controller = (edge: Scene) => edge.snapshot().controller

test('a live controller without the annotation gives none', () => {
  const edge = anIngressController().on('AWS').published()
  expect(Consent.byDeletion(controller(edge))).toBeUndefined()
  expect(Consent.byAnnotation(controller(edge))).toBeUndefined()
})

test.each(['', 'true', 'false'])('the annotation counts by being there, be its value "%s"', (value) => {
  const edge = anIngressController().annotated({ [autoDeleteAnnotation]: value })
  expect(String(Consent.byAnnotation(controller(edge)))).toContain(autoDeleteAnnotation)
})

test('a controller that is being deleted gives it', () => {
  const edge = anIngressController().on('AWS').published().remove('IngressController')
  expect(String(Consent.byDeletion(controller(edge)))).toBe('the IngressController edge is being deleted')
})

test('nobody can make one up: the compiler sees to it', () => {
  // @ts-expect-error: the constructor is private.
  const forged = () => new Consent('because I say so')
  expect(forged).toBeDefined()
})
