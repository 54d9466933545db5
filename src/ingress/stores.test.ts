import { expect, test } from 'vitest'
import { CoreEvent } from '../kube/kinds.ts'
import type { Kind, KubeObject } from '../kube/objects.ts'
import type { Runtime, WatchedKind } from '../kube/runtime.ts'
import { defaultSettings } from './settings.ts'
import { watchAll } from './stores.ts'

/** How each kind is watched. */
function watched(): Map<string, WatchedKind<KubeObject, string>> {
  const all = new Map<string, WatchedKind<KubeObject, string>>()
  const watch = ({ kind }: Kind, options: WatchedKind<KubeObject, string> = {}) => void all.set(kind, options)
  watchAll({ watch } as unknown as Pick<Runtime, 'watch'>, defaultSettings)
  return all
}

test('of events, which come by the thousand, only what the cloud says is kept', () => {
  const metadata = { namespace: 'openshift-ingress', name: 'e', uid: 'e', resourceVersion: '1' }
  const event = {
    metadata: { ...metadata, managedFields: [{ manager: 'service-controller' }] },
    involvedObject: { kind: 'Service', name: 'router-edge', uid: 's' },
    reason: 'DeletedLoadBalancer',
    message: 'Deleted load balancer',
  }
  expect(watched().get(CoreEvent.kind)?.project?.(event)).toEqual({ metadata, involvedObject: {} })
})
