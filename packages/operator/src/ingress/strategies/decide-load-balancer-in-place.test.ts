import { findCondition, Service } from '@portcullis/kube'
import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import type { AnyObject } from '../../testing/fake-api-server.ts'
import type { Scene } from '../../testing/scene.ts'
import { transitionKey } from '../conditions/summary-conditions.ts'
import { decide } from '../decide.ts'
import { provenanceAnnotation } from '../names.ts'

const azureInternal = 'service.beta.kubernetes.io/azure-load-balancer-internal'
const gcpType = 'cloud.google.com/load-balancer-type'
const gkeType = 'networking.gke.io/load-balancer-type'

describe('a change of scope in place', () => {
  test.each([
    ['Azure', azureInternal, 'true'],
    ['GCP', gcpType, 'Internal'],
  ])(
    'A change of scope in place on %s only sets the annotation, and removes it again',
    (platform, key, value) => {
      const edge = anIngressController().on(platform).scoped('External').published()
      const before = edge.service

      const [flip, ...more] = edge.scoped('Internal').decide().actions
      expect(more).toEqual([])
      expect(flip).toMatchObject({
        do: 'update',
        object: before,
        disruption: 'reconfigures',
        patch: { metadata: { annotations: { [key]: value } } },
      })
      edge.settle()
      expect(edge.service.spec).toEqual(before.spec)
      expect(edge.service.metadata.uid).toBe(before.metadata.uid)

      edge.scoped('External').settle()
      expect(edge.annotations).toEqual(before.metadata.annotations)
    },
  )

  test.each(['Azure', 'GCP'])(
    'A change of scope in place on %s also sets something if an annotation goes: else no API server dates it',
    (platform) => {
      const edge = anIngressController().on(platform).scoped('External').published()
      const setBy = (scope: 'Internal' | 'External') => {
        const [flip] = edge.scoped(scope).decide().actions
        const { metadata } = (flip?.do === 'update' ? flip.patch : {}) as object as AnyObject
        const set = Object.entries(metadata.annotations ?? {}).filter(([, value]) => value !== null)
        edge.settle()
        return set
      }
      expect(setBy('Internal')).toContainEqual([provenanceAnnotation, '{"scope":"Internal"}'])
      expect(setBy('External')).toEqual([[provenanceAnnotation, '{"scope":"External"}']])
      // A Service that somebody else made has no note before.
      edge.scoped('Internal').settle()
      edge.edit('Service', { metadata: { annotations: { [provenanceAnnotation]: null } } })
      expect(setBy('External')).toEqual([[provenanceAnnotation, '{"scope":"External"}']])
    },
  )

  test('A change of scope in place leaves the note on source ranges that are kept, unless the spec names some', () => {
    const note = (allowedSourceRanges: readonly string[] | null) => {
      const edge = anIngressController().on('Azure').scoped('External').published()
      edge.edit('Service', { spec: { loadBalancerSourceRanges: ['192.0.2.0/24'] } })
      edge.settle()
      edge.remove('Service').cloudRemoves().settle()
      expect(edge.annotations[provenanceAnnotation]).toBe('{"scope":"External","keptSourceRanges":true}')
      edge.asking({ scope: 'Internal', allowedSourceRanges }).settle()
      return edge.annotations[provenanceAnnotation]
    }
    expect(note(null)).toBe('{"scope":"Internal","keptSourceRanges":true}')
    expect(note(['10.0.0.0/8'])).toBe('{"scope":"Internal"}')
  })

  test('A change of scope in place sets one annotation on GKE and removes the other, which would contradict it', () => {
    const edge = anIngressController().on('GCP').scoped('Internal').published()
    edge.edit('Service', { metadata: { annotations: { [gcpType]: null, [gkeType]: 'Internal' } } })
    expect(edge.decide().actions).toEqual([]) // The newer name says the same: it is the user's, and stays.

    edge.scoped('External').settle()
    expect(edge.annotations).not.toHaveProperty([gkeType])
    expect(edge.annotations).not.toHaveProperty([gcpType])
  })

  test('A change of scope in place is in progress until the cloud assigns another address', () => {
    const edge = anIngressController().on('Azure').scoped('External').published()
    edge.scoped('Internal').settle()
    expect(edge.condition('Progressing')).toMatchObject({ status: 'True', reason: 'ScopeChanging' })
    edge.cloudProvides('10.0.0.9').settle()
    expect(edge.condition('Progressing').status).toBe('False')
  })

  test('A change of scope in place is in progress until the cloud reports success if the address stays the same', () => {
    const edge = anIngressController().on('Azure').scoped('External').published()
    // What it said before the change does not count, be it in the same second.
    edge.later(5).cloudSays('EnsuredLoadBalancer').scoped('Internal').settle()
    expect(edge.condition('Progressing').status).toBe('True')
    edge.later(5).cloudSays('EnsuredLoadBalancer').settle()
    expect(edge.condition('Progressing').status).toBe('True') // A new address may follow.
    edge.later(2).settle()
    expect(edge.condition('Progressing').status).toBe('False')
  })

  test('A change of scope in place is complete once the cloud reports success in the second of the change, unless it is still syncing or fails', () => {
    const begun = () => {
      const edge = anIngressController().on('Azure').scoped('External').published()
      edge.scoped('Internal').settle()
      return edge.cloudSays('EnsuredLoadBalancer')
    }
    const status = (edge: Scene) => {
      edge.later(2).settle()
      return edge.condition('LoadBalancerProgressing').status
    }
    expect(status(begun())).toBe('False')
    expect(status(begun().later(1).cloudSays('EnsuringLoadBalancer'))).toBe('True')
    expect(status(begun().later(1).cloudSays('SyncLoadBalancerFailed'))).toBe('True')
  })

  test('A change of scope in place is reported as in progress before the annotation is written, in case that write fails', () => {
    const edge = anIngressController().on('Azure').scoped('External').published().scoped('Internal')
    const { status, requeueAt } = edge.decide()
    expect(findCondition(status?.conditions, 'LoadBalancerProgressing')?.status).toBe('True')
    expect(requeueAt).toEqual(new Date('2030-01-01T00:10:00Z'))
  })

  test('A change of scope in place is not in progress if only the status was lost', () => {
    const edge = anIngressController().on('Azure').scoped('External').published()
    edge.edit('IngressController', { status: { endpointPublishingStrategy: { loadBalancer: null } } })
    const { status } = edge.decide()
    expect(findCondition(status?.conditions, 'LoadBalancerProgressing')?.status).toBe('False')
  })

  test('A change of scope in place is the only update with a disruption and an event', () => {
    const azure = anIngressController().on('Azure').scoped('External').published()
    const ranges = { allowedSourceRanges: ['192.0.2.0/24'] }
    const toTheService = (edge: Scene) => edge.decide().actions.filter(({ kind }) => kind === Service)
    const [plain] = toTheService(azure.asking(ranges))
    expect(plain).toMatchObject({ do: 'update', disruption: 'none' })
    expect(plain).not.toHaveProperty('event')
    expect(toTheService(azure.scoped('Internal'))).toMatchObject([
      { do: 'update', disruption: 'reconfigures', event: { action: 'UpdateService' } },
    ])
    const aws = anIngressController().on('AWS').scoped('External').published()
    expect(toTheService(aws.asking({ ...ranges, scope: 'Internal' }))).toMatchObject([
      { do: 'update', disruption: 'none' },
    ])
  })

  test('A change of scope in place needs no provenance annotation', () => {
    const edge = anIngressController().on('Azure').scoped('External').published()
    edge.edit('Service', { metadata: { annotations: { 'portcullis.dev/load-balancer-made-as': null } } })
    expect(edge.decide().actions).toEqual([])
  })

  test('A change of scope in place is no longer in progress after ten minutes without a report of the cloud', () => {
    const edge = anIngressController().on('Azure').scoped('External').published()
    edge.scoped('Internal')
    const { requeueAt } = edge.settle()
    expect(requeueAt).toEqual(new Date('2030-01-01T00:10:00Z'))
    edge.later(600).settle()
    expect(edge.condition('Progressing').status).toBe('False')
  })

  test.each([
    { operator: 5 * 3600 },
    { operator: -5 * 3600 },
    { cloud: 5 * 3600 },
    { cloud: -5 * 3600 },
    { operator: 3 * 3600, cloud: -3 * 3600 },
  ])('A change of scope in place is timed correctly however far the clocks differ: %o', (off) => {
    const edge = anIngressController().on('Azure').scoped('External').clocksAhead(off).published()
    const isUnderWay = () => {
      edge.settle()
      return edge.condition('Progressing').status
    }
    edge.later(5).cloudSays('EnsuredLoadBalancer').later(5).scoped('Internal')
    expect(isUnderWay()).toBe('True')
    edge.later(599)
    expect(isUnderWay()).toBe('True')
    edge.later(1)
    expect(isUnderWay()).toBe('False')
    edge.scoped('External')
    expect(isUnderWay()).toBe('True')
    edge.later(5).cloudSays('EnsuredLoadBalancer')
    expect(isUnderWay()).toBe('True')
    edge.later(2)
    expect(isUnderWay()).toBe('False')
  })

  test('A change of scope in place counts its ten minutes from the observation of the leader, not from the time that its predecessor wrote', () => {
    const edge = anIngressController().on('Azure').scoped('External').published()
    edge.scoped('Internal').settle()
    edge.clocksAhead({ operator: 5 * 3600 })
    const snapshot = edge.snapshot()
    const condition = edge.condition('LoadBalancerProgressing')
    const seen = transitionKey({ ...condition, type: 'LoadBalancerProgressing', status: 'True' })
    const after = (seconds: number) =>
      findCondition(
        decide({
          ...snapshot,
          now: new Date(snapshot.now.getTime() + seconds * 1000),
          conditionsObservedSince: new Map([[seen, snapshot.now]]),
        }).status?.conditions,
        'LoadBalancerProgressing',
      )?.status
    expect([after(0), after(599), after(600)]).toEqual(['True', 'True', 'False'])
  })

  test('A change of scope in place reverts a manual edit of the annotation, because the spec sets that field', () => {
    const edge = anIngressController().on('Azure').scoped('External').published()
    edge.edit('Service', { metadata: { annotations: { [azureInternal]: 'true' } } }).settle()
    expect(edge.annotations).not.toHaveProperty([azureInternal])
  })
})
