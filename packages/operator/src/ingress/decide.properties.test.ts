import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { begin, histories, historiesWithConsent } from '../testing/random-histories.ts'
import type { Scene } from '../testing/scene.ts'
import { decide } from './decide.ts'
import { autoDeleteAnnotation, ownerOf } from './names.ts'
import type { Snapshot } from './snapshot.ts'

const runs = { numRuns: 100 }
const patience = { timeout: 60_000 }

/** Lets every life happen, and looks at what would be decided at each point of it. */
function everywhere(look: (edge: Scene) => void, { settles }: { readonly settles: boolean }): void {
  fc.assert(
    fc.property(histories, (history) => {
      const edge = begin(history)
      look(edge)
      for (const { apply } of history.historyEvents) {
        apply(edge)
        look(edge)
        if (settles) edge.settle()
      }
    }),
    runs,
  )
}

test('Every history converges within ten rounds', patience, () => {
  everywhere(
    (edge) => {
      const { actions, status } = edge.settle(10)
      expect(actions).toEqual([])
      expect(edge.decide().status).toEqual(status)
    },
    { settles: false },
  )
})

test('A decision neither changes its snapshot nor differs when made again', patience, () => {
  everywhere(
    (edge) => {
      const snapshot = edge.snapshot() // Frozen: a change would throw.
      expect(edge.decide()).toEqual(edge.decide())
      expect(edge.snapshot()).toEqual(snapshot)
    },
    { settles: true },
  )
})

test('A decision on the status that was just reported is the same, and reports nothing new', patience, () => {
  fc.assert(
    fc.property(histories, fc.array(fc.boolean(), { maxLength: 12 }), (history, pauses) => {
      const edge = begin(history)
      history.historyEvents.forEach(({ apply }, index) => {
        apply(edge)
        if (pauses[index]) return // Two things are seen at once.
        const snapshot = settledButForStatus(edge)
        const { status, ...rest } = decide(snapshot)
        const again = decide({ ...snapshot, controller: { ...snapshot.controller, status: status ?? {} } })
        expect(again).toEqual({ ...rest, status, events: [] })
        edge.settle()
      })
    }),
    { numRuns: 300 },
  )
})

/** As all is when everything was done, and the status is all that is left to write. */
function settledButForStatus(edge: Scene): Snapshot {
  for (let { actions } = edge.decide(); actions.length > 0; { actions } = edge.decide())
    actions.forEach((action) => edge.applyAction(action))
  return edge.snapshot()
}

test('Nothing is deleted without consent', patience, () => {
  everywhere(
    (edge) => {
      const { metadata } = edge.controller
      const deletions = edge.decide().actions.filter((action) => action.do === 'delete')
      const isAgreed = metadata.annotations?.[autoDeleteAnnotation] !== undefined
      for (const { kind, object } of deletions) {
        expect(kind.kind).toBe('Service')
        // Node ports can be let go without asking, once there is another way in.
        if (object.metadata.name !== 'router-nodeport-edge')
          expect({ isAgreed, ...object.metadata }).toMatchObject({ isAgreed: true, name: 'router-edge' })
      }
    },
    { settles: true },
  )
})

test('An edit of a Service by hand never leads to its deletion, whatever was consented to', patience, () => {
  fc.assert(
    fc.property(historiesWithConsent, (history) => {
      const edge = begin(history)
        .annotated({ [autoDeleteAnnotation]: '' })
        .scoped('External')
        .published()
      for (const { apply } of history.specChanges) {
        apply(edge)
        edge.settle()
        if (edge.service.metadata.deletionTimestamp !== undefined) edge.cloudRemoves().settle()
      }
      for (const { apply } of history.doneToService) {
        apply(edge)
        expect(edge.decide().actions.filter((action) => action.do === 'delete')).toEqual([])
        edge.settle()
      }
    }),
    runs,
  )
})

test('Unowned objects are never written', patience, () => {
  everywhere(
    (edge) => {
      for (const action of edge.decide().actions) {
        if (action.do === 'create' || action.kind.kind === 'IngressController') continue
        expect(ownerOf(action.object)).toBe('edge')
      }
    },
    { settles: true },
  )
})

test('Every message that asks the user to act has both commands in full', patience, () => {
  everywhere(
    (edge) => {
      for (const { reason = '', message = '' } of edge.decide().status?.conditions ?? []) {
        if (!['ScopeChanged', 'LoadBalancerTypeChanged'].includes(reason)) continue
        expect(message).toContain('`kubectl -n openshift-ingress delete svc/router-edge`')
        const [, patch] =
          /`kubectl -n openshift-ingress-operator patch ingresscontrollers\/edge --type=merge --patch='(\{.*\})'`/.exec(
            message,
          ) ?? []
        const { type, loadBalancer } = JSON.parse(patch ?? '{}').spec.endpointPublishingStrategy
        expect(type).toBe('LoadBalancerService')
        expect([undefined, 'Internal', 'External']).toContain(loadBalancer.scope)
        expect([undefined, 'Classic', 'NLB']).toContain(loadBalancer.providerParameters?.aws.type)
      }
    },
    { settles: true },
  )
})

test('The revert command that is offered ends the wait, and leaves the Service as it is', patience, () => {
  everywhere(
    (edge) => {
      const { conditions = [] } = edge.decide().status ?? {}
      const progressing = conditions.find(({ type }) => type === 'LoadBalancerProgressing')
      if (progressing?.reason !== 'ScopeChanged') return
      if (edge.platform.platform?.scope === undefined) return // Moved to where there is no scope to go back to.
      edge.settle()
      const { uid } = edge.service.metadata
      const [, patch] = /--patch='(\{.*\})'`/.exec(edge.condition('LoadBalancerProgressing').message) ?? []
      edge.edit('IngressController', JSON.parse(patch ?? '{}')).settle()
      expect(edge.condition('LoadBalancerProgressing').reason).not.toBe('ScopeChanged')
      expect(edge.service.metadata.uid).toBe(uid)
    },
    { settles: true },
  )
})
