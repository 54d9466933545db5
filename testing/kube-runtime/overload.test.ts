import { type ClusterAccess, ConfigMap, createMetrics, kind } from '@portcullis/kube'
import { firstLimit } from '@portcullis/kube/internal/http/vegas-limit.ts'
import type { ClusterRoleBinding as RbacClusterRoleBinding } from 'kubernetes-types/rbac/v1'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ControlPlane, startControlPlane } from '../clusters/control-plane.ts'
import { adminAccess, aNamespace, connect } from '../clusters/test-client.ts'

const ClusterRoleBinding = kind<RbacClusterRoleBinding>('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding')

const objects = 500
const maxInFlight = 32

/** An API server that rejects requests while it has eight writes in flight. */
let plane: ControlPlane
beforeAll(async () => {
  plane = await startControlPlane({
    parts: 'etcd+apiserver',
    apiServerFlags: ['--enable-priority-and-fairness=false', '--max-mutating-requests-inflight=8'],
  })
})
afterAll(() => plane?.stop())

/** Access with all rights, but not in system:masters, whose requests are never rejected. */
async function throttledAccess(): Promise<ClusterAccess> {
  const access = await adminAccess(plane)
  const subject = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'busy' }
  await connect(access).create(ClusterRoleBinding, {
    metadata: { name: 'busy' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [subject],
  })
  const credential = { clientCertificate: await plane.clientCertificate('busy') }
  return { ...access, credentials: { current: async () => credential, rejected: async () => false } }
}

test('An overloaded API server slows the client down, and everything is done in the end, once', async () => {
  const { client: admin, namespace } = await aNamespace(plane)
  const metrics = createMetrics('portcullis')
  const limit = vi.spyOn(metrics.concurrencyLimit, 'set')
  const client = connect(await throttledAccess(), { metrics, maxInFlight })
  const names = Array.from({ length: objects }, (_, at) => `map-${at}`)
  await Promise.all(names.map((name) => client.create(ConfigMap, { metadata: { namespace, name } })))

  const { items } = await admin.list(ConfigMap, { namespace })
  expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual(names.toSorted())

  const { values } = await metrics.requests.get()
  const count = (code: number) =>
    values.find(({ labels }) => labels.code === code && labels.verb === 'create')?.value
  expect(count(201)).toBe(objects)
  const turnedAway = count(429) ?? 0
  expect(turnedAway).toBeGreaterThan(0)
  expect(await metrics.overloads.get()).toMatchObject({ values: [{ value: turnedAway }] })

  const limits = limit.mock.calls.map((args) => Number(args.at(-1)))
  const lowest = Math.min(...limits)
  expect(limits[0]).toBe(firstLimit)
  expect(lowest).toBeLessThanOrEqual(firstLimit / 2)
  expect(Math.max(...limits.slice(limits.indexOf(lowest)))).toBeGreaterThan(lowest)
})
