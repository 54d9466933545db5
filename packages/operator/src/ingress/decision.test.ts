import { Service } from '@portcullis/kube'
import { expect, test } from 'vitest'
import { Consent } from './consent.ts'
import { create, deleteWithConsent, dependingOn, update } from './decision.ts'
import type { IngressControllerEvent } from './reasons/reasons.ts'

test('An action carries the event that reports it, or none', () => {
  const object = { metadata: { name: 'a', uid: 'a', resourceVersion: '1' } }
  const deletionTimestamp = '2030-01-01T00:00:00Z'
  const consent = Consent.byDeletion({ metadata: { ...object.metadata, deletionTimestamp } })
  if (consent === undefined) throw new Error('The deletion of a controller is consent.')
  const event: IngressControllerEvent = {
    type: 'Normal',
    reason: 'ServiceCreated',
    action: 'Create',
    note: 'Done.',
  }
  for (const action of [
    create(Service, object, event),
    update(Service, object, {}, { event }),
    deleteWithConsent(consent, Service, object, event),
  ]) {
    expect(action.event).toBe(event)
    expect(action).not.toHaveProperty('note')
  }
  for (const action of [
    create(Service, object),
    update(Service, object, {}),
    deleteWithConsent(consent, Service, object),
  ])
    expect(action).not.toHaveProperty('event')
})

test('An action depends on all that it was made to depend on, and on nothing at first', () => {
  const action = create(Service, { metadata: { name: 'a' } })
  const [one, other] = [
    { kind: Service, ref: { name: 'one' } },
    { kind: Service, ref: { name: 'other' } },
  ]
  expect(action.dependsOn).toEqual([])
  expect(dependingOn(dependingOn(action, one), other)).toEqual({ ...action, dependsOn: [one, other] })
})
