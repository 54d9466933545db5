import type { Cached } from '@portcullis/kube'
import type { ContainerStatus, Node, Pod } from 'kubernetes-types/core/v1'
import { expect, it } from 'vitest'
import { missingImages } from './image-pull.ts'
import { decidePod, type PodDecision } from './pod-status.ts'

const node: Cached<Node> = { metadata: { name: 'worker-1', uid: 'n', resourceVersion: '1' } }
const start = Date.parse('2030-01-01T00:00:00Z')
const error =
  'failed to pull and unpack image "r:1": failed to resolve reference "r:1": r:1: not found' as const
const annotated = { 'sandbox.portcullis.dev/missing-images': 'other:1, r:1' }

function podWith(spec: NonNullable<Pod['spec']>): Cached<Pod> {
  return { metadata: { namespace: 'ns', name: 'router', uid: 'u', resourceVersion: '1' }, spec }
}

function look(pod: Cached<Pod>, annotations: Readonly<Record<string, string>> = annotated): PodDecision {
  return decidePod({
    pod,
    node,
    portsInUse: new Map(),
    missingImages: missingImages(annotations),
    freeIp: '10.244.0.1',
    now: new Date(start),
    crashBackoff: { baseMs: 10_000, maxMs: 300_000 },
  })
}

const after = (pod: Cached<Pod>, { status }: PodDecision): Cached<Pod> => ({
  ...pod,
  ...(status && { status }),
})
const texts = ({ events }: PodDecision) =>
  events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
const waiting = (statuses: readonly ContainerStatus[] | undefined) => statuses?.[0]?.state?.waiting
const conditions = ({ status }: PodDecision) =>
  status?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason ?? ''}`.trim())

it('A container whose image is missing fails to pull it, waits, and starts once there is one', () => {
  const pod = podWith({ containers: [{ name: 'c', image: 'r:1' }] })
  const first = look(pod)
  expect(first.status?.phase).toBe('Pending')
  expect(waiting(first.status?.containerStatuses)).toEqual({ reason: 'ErrImagePull', message: error })
  expect(texts(first)).toEqual([
    'Normal Pulling: Pulling image "r:1"',
    `Warning Failed: Failed to pull image "r:1": ${error}`,
    'Warning Failed: Error: ErrImagePull',
  ])
  const second = look(after(pod, first))
  expect(waiting(second.status?.containerStatuses)).toEqual({
    reason: 'ImagePullBackOff',
    message: `Back-off pulling image "r:1": ErrImagePull: ${error}`,
  })
  expect(texts(second)).toEqual([
    'Normal BackOff: Back-off pulling image "r:1"',
    'Warning Failed: Error: ImagePullBackOff',
  ])
  const third = after(pod, second)
  expect(look(third)).toEqual({ events: [], logs: [], requeueAfterMs: 10_000 })
  const { status } = look(third, {})
  expect(status).toMatchObject({
    phase: 'Running',
    containerStatuses: [{ restartCount: 0, ready: true, state: { running: {} } }],
  })
})

it('A pod whose init container has no image starts neither that nor what comes after it', () => {
  const pod = podWith({
    initContainers: [
      { name: 'before', image: 'there:1' },
      { name: 'init', image: 'r:1' },
      { name: 'after', image: 'there:1' },
    ],
    containers: [{ name: 'c', image: 'there:1' }],
  })
  const first = look(pod)
  expect(first.status?.phase).toBe('Pending')
  const states = first.status?.initContainerStatuses?.map(
    ({ state }) => state?.waiting?.reason ?? state?.terminated?.reason,
  )
  expect(states).toEqual(['Completed', 'ErrImagePull', 'PodInitializing'])
  expect(waiting(first.status?.containerStatuses)).toEqual({ reason: 'PodInitializing' })
  expect(conditions(first)).toEqual([
    'PodReadyToStartContainers=True',
    'Initialized=False ContainersNotInitialized',
    'Ready=False ContainersNotReady',
    'ContainersReady=False ContainersNotReady',
    'PodScheduled=True',
  ])
  const { status } = look(after(pod, look(after(pod, first))), {})
  expect(status?.phase).toBe('Running')
  expect(status?.initContainerStatuses?.map(({ state }) => state?.terminated?.exitCode)).toEqual([0, 0, 0])
})

it('A container that runs does not need its image', () => {
  const pod = podWith({
    initContainers: [{ name: 'init', image: 'r:1' }],
    containers: [{ name: 'c', image: 'r:1' }],
  })
  expect(look(after(pod, look(pod, {})))).toEqual({ events: [], logs: [] })
})

it('Missing images are read from a list, and none is missing without one', () => {
  expect([...missingImages(annotated)]).toEqual(['other:1', 'r:1'])
  expect([...missingImages({ 'sandbox.portcullis.dev/missing-images': ' ,' })]).toEqual([])
  expect([...missingImages()]).toEqual([])
})
