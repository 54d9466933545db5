import type { Cached } from '@portcullis/kube'
import type { ContainerStatus, Node, Pod } from 'kubernetes-types/core/v1'
import { expect, it } from 'vitest'
import { hostPortsInUse } from './host-ports-in-use.ts'
import { PodIps } from './pod-ips.ts'
import { PodLogs } from './pod-logs.ts'
import { decidePod, type PodDecision } from './pod-status.ts'

const node: Cached<Node> = {
  metadata: { name: 'worker-1', uid: 'n', resourceVersion: '1' },
  status: { addresses: [{ type: 'InternalIP', address: '192.168.0.1' }] },
}

const fresh: Cached<Pod> = {
  metadata: { namespace: 'ns', name: 'router', uid: 'u', resourceVersion: '1', generation: 1 },
  spec: {
    nodeName: 'worker-1',
    containers: [{ name: 'c', image: 'r:1', ports: [{ containerPort: 80, hostPort: 80 }] }],
  },
  status: {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2029-01-01T00:00:00Z' }],
  },
}

const start = Date.parse('2030-01-01T00:00:00Z')

function look(pod: Cached<Pod>, { ports = '', seconds = 0 } = {}): PodDecision {
  return decidePod({
    pod,
    node,
    portsInUse: hostPortsInUse({ 'sandbox.portcullis.dev/host-ports-in-use': ports }),
    missingImages: new Set(),
    freeIp: '10.244.0.1',
    now: new Date(start + seconds * 1000),
    crashBackoff: { baseMs: 10_000, maxMs: 300_000 },
  })
}

const after = (pod: Cached<Pod>, { status }: PodDecision): Cached<Pod> => ({
  ...pod,
  ...(status && { status }),
})
const container = ({ status }: Cached<Pod>): Partial<ContainerStatus> =>
  (status?.containerStatuses?.[0] ?? {}) as ContainerStatus

it('A pod on its node runs and is ready, with its conditions in the kubelet’s order', () => {
  const { status } = look(fresh)
  expect(status).toMatchObject({
    phase: 'Running',
    podIP: '10.244.0.1',
    hostIP: '192.168.0.1',
    startTime: '2030-01-01T00:00:00Z',
  })
  expect(status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
    'PodReadyToStartContainers=True',
    'Initialized=True',
    'Ready=True',
    'ContainersReady=True',
    'PodScheduled=True',
  ])
  expect(status?.conditions?.at(-1)?.lastTransitionTime).toBe('2029-01-01T00:00:00Z')
})

it('A pod that runs needs no further update', () => {
  const running = after(fresh, look(fresh))
  expect(look(running, { seconds: 60, ports: '80=nginx' })).toEqual({ events: [], logs: [] })
})

it('A pod with probes starts and becomes ready after their delays', () => {
  const startupProbe = { initialDelaySeconds: 5 }
  const readinessProbe = { initialDelaySeconds: 20, periodSeconds: 3, successThreshold: 2 }
  const probed: Cached<Pod> = {
    ...fresh,
    spec: { ...fresh.spec, containers: [{ name: 'c', startupProbe, readinessProbe }] },
  }
  const seen = (pod: Cached<Pod>) => [container(pod).started, container(pod).ready]
  const first = look(probed)
  const begun = after(probed, first)
  expect([seen(begun), first.requeueAfterMs]).toEqual([[false, false], 5_000])
  const second = look(begun, { seconds: 5 })
  const started = after(begun, second)
  expect([seen(started), second.requeueAfterMs]).toEqual([[true, false], 18_000])
  expect(look(started, { seconds: 10 })).toEqual({ events: [], logs: [], requeueAfterMs: 13_000 })
  const third = look(started, { seconds: 23 })
  expect([seen(after(started, third)), third.requeueAfterMs]).toEqual([[true, true], undefined])
  expect(third.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True')
})

it('A pod on the host network has the address of its node', () => {
  const pod = { ...fresh, spec: { ...fresh.spec, hostNetwork: true, containers: [] } }
  expect(look(pod).status?.podIP).toBe('192.168.0.1')
})

it('A pod can be made unready by annotation', () => {
  const running = after(fresh, look(fresh))
  const annotated = {
    ...running,
    metadata: { ...running.metadata, annotations: { 'sandbox.portcullis.dev/unready': 'true' } },
  }
  expect(look(annotated).status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
    status: 'False',
    reason: 'ContainersNotReady',
    message: 'containers with unready status: [c]',
  })
})

const ports = '80=nginx (pid 812)'

it('A container whose host port another process holds crashes, is restarted once at once, and then backs off ever longer', () => {
  let pod = after(fresh, look(fresh, { ports }))
  expect(container(pod)).toMatchObject({
    restartCount: 0,
    state: { terminated: { exitCode: 1, reason: 'Error' } },
  })
  pod = after(pod, look(pod, { ports }))
  expect(container(pod)).toMatchObject({ restartCount: 1, state: { terminated: { exitCode: 1 } } })
  const waiting = look(pod, { ports })
  pod = after(pod, waiting)
  expect(container(pod)).toMatchObject({
    restartCount: 1,
    state: {
      waiting: {
        reason: 'CrashLoopBackOff',
        message: 'back-off 10s restarting failed container=c pod=router_ns(u)',
      },
    },
    lastState: { terminated: { exitCode: 1 } },
  })
  expect(waiting.requeueAfterMs).toBe(10_000)
  expect(look(pod, { ports, seconds: 9 }).status).toBeUndefined()
  pod = after(pod, look(pod, { ports, seconds: 10 }))
  pod = after(pod, look(pod, { ports, seconds: 10 }))
  expect(container(pod)).toMatchObject({
    restartCount: 2,
    state: { waiting: { message: expect.stringContaining('back-off 20s') } },
  })
})

it('A container whose host port another process holds runs at its next restart once the port is free', () => {
  let pod = fresh
  for (let looks = 0; looks < 3; looks++) pod = after(pod, look(pod, { ports }))
  pod = after(pod, look(pod, { seconds: 10 }))
  expect(container(pod)).toMatchObject({ restartCount: 2, ready: true, state: { running: {} } })
})

it('A container whose host port another process holds logs the reason', () => {
  const logs = new PodLogs()
  const first = look(fresh, { ports })
  logs.add(fresh.metadata, first.logs)
  expect(logs.logsOf(fresh.metadata)).toBe(
    '2030-01-01T00:00:00.000Z listen tcp 0.0.0.0:80: bind: address already in use\n',
  )
  expect(logs.logsOf(fresh.metadata, { previous: true })).toBeUndefined()
  logs.add(fresh.metadata, look(after(fresh, first), { seconds: 1 }).logs)
  expect(logs.logsOf(fresh.metadata)).toBe('2030-01-01T00:00:01.000Z c listens on 80\n')
  expect(logs.logsOf(fresh.metadata, { previous: true })).toContain('address already in use')
})

it('Host ports are read with or without a holder, and invalid ones are ignored', () => {
  const read = hostPortsInUse({ 'sandbox.portcullis.dev/host-ports-in-use': '80=nginx (pid 812), 443,x=y' })
  expect([...read]).toEqual([
    [80, 'nginx (pid 812)'],
    [443, 'another process'],
  ])
})

it('Addresses of pods are unique while in use', () => {
  const ips = new PodIps()
  const taken = new Set([ips.take(() => false)])
  expect(taken.has(ips.take((ip) => taken.has(ip)))).toBe(false)
})
