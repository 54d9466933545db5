import type { Cached } from '@portcullis/kube'
import type { Pod, Service } from 'kubernetes-types/core/v1'
import type { EndpointSlice } from 'kubernetes-types/discovery/v1'
import { expect, it } from 'vitest'
import { groupsOf } from './service-endpoints.ts'
import { decideSlices } from './slices.ts'
import { subsetsOf } from './subsets.ts'

const service: Cached<Service> = {
  metadata: { namespace: 'ns', name: 'web', uid: 's', resourceVersion: '1' },
  spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] },
}

interface PodShape {
  readonly port?: number
  readonly ready?: boolean
  readonly leaving?: boolean
  readonly phase?: 'Running' | 'Failed'
}

function aPod(
  name: string,
  { port = 8080, ready = true, leaving = false, phase = 'Running' }: PodShape = {},
): Cached<Pod> {
  return {
    metadata: {
      namespace: 'ns',
      name,
      uid: name,
      resourceVersion: '1',
      labels: { app: 'web' },
      ...(leaving && { deletionTimestamp: '2030-01-01T00:00:00Z' }),
    },
    spec: { nodeName: 'n', containers: [{ name: 'c', ports: [{ name: 'http', containerPort: port }] }] },
    status: {
      phase,
      podIP: `10.244.0.${name.length}`,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  }
}

const groups = (...pods: Cached<Pod>[]) => groupsOf(service, pods, () => undefined)
const slices = (...pods: Cached<Pod>[]) => decideSlices(service, groups(...pods), []).create

it('The EndpointSlices of a Service say for each pod whether it is ready, serving, and terminating', () => {
  const [slice] = slices(aPod('a'), aPod('bb', { ready: false }), aPod('ccc', { leaving: true }))
  expect(slice?.endpoints.map(({ conditions }) => conditions)).toEqual([
    { ready: true, serving: true, terminating: false },
    { ready: false, serving: false, terminating: false },
    { ready: false, serving: true, terminating: true },
  ])
})

it('The EndpointSlices of a Service are one for each set of port numbers', () => {
  const ports = slices(aPod('a'), aPod('bb', { port: 9090 })).map((slice) => slice.ports?.[0]?.port)
  expect(ports).toEqual([8080, 9090])
})

it('The EndpointSlices of a Service are one empty one without pods; pods that have ended do not count', () => {
  expect(slices(aPod('a', { phase: 'Failed' }))).toMatchObject([{ endpoints: [], ports: [] }])
})

it('The EndpointSlices of a Service are changed only where they differ', () => {
  const [created] = slices(aPod('a'))
  const existing = {
    ...created,
    metadata: { ...created?.metadata, name: 'web-x', uid: 'x', resourceVersion: '1' },
  } as Cached<EndpointSlice>
  const unchanged = decideSlices(service, groups(aPod('a')), [existing])
  expect(unchanged).toEqual({ create: [], update: [], remove: [] })
  const changed = decideSlices(service, groups(aPod('a'), aPod('bb')), [existing])
  expect([changed.create.length, changed.update.length, changed.remove.length]).toEqual([0, 1, 0])
})

it('The Endpoints of a Service leave out terminating pods, and list those that are not ready apart', () => {
  expect(
    subsetsOf(groups(aPod('a'), aPod('bb', { ready: false }), aPod('ccc', { leaving: true }))),
  ).toMatchObject([
    {
      addresses: [{ ip: '10.244.0.1' }],
      notReadyAddresses: [{ ip: '10.244.0.2' }],
      ports: [{ port: 8080, protocol: 'TCP' }],
    },
  ])
})
