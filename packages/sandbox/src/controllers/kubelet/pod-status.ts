import type { Cached, DeepReadonly } from '@portcullis/kube'
import { timestamp } from '@portcullis/kube'
import type { Container, ContainerStatus, Node, Pod, PodCondition, PodStatus } from 'kubernetes-types/core/v1'
import type { EventTexts } from '../component-events.ts'
import { failedPull, waitsForInit } from './image-pull.ts'
import { isNodeWell } from './node-status.ts'
import { probesOf } from './probes.ts'

/** A pod whose containers run but fail their readiness probes, to try what follows. */
export const unreadyAnnotation = 'sandbox.portcullis.dev/unready'

export interface PodSnapshot {
  readonly pod: Cached<Pod>
  readonly node: Cached<Node>
  /** Held by processes that are no pods. */
  readonly portsInUse: ReadonlyMap<number, string>
  /** Which the node neither has nor gets. */
  readonly missingImages: ReadonlySet<string>
  /** For a pod that has none yet. */
  readonly freeIp: string
  readonly now: Date
  readonly crashBackoff: { readonly baseMs: number; readonly maxMs: number }
}

export interface PodDecision {
  /** To be written, if there is anything new to say. */
  readonly status?: PodStatus
  readonly events: readonly (EventTexts & { readonly container: string })[]
  readonly logs: readonly LogLine[]
  readonly requeueAfterMs?: number
}

export interface LogLine {
  readonly container: string
  /** Which run of the container wrote it, from 0. */
  readonly run: number
  readonly text: string
}

type Status = DeepReadonly<ContainerStatus>

/** What a kubelet does with a pod that is on its node and shall run. */
export function decidePod(snapshot: PodSnapshot): PodDecision {
  const { pod, now } = snapshot
  const before = new Map((pod.status?.containerStatuses ?? []).map((status) => [status.name, status]))
  const init = initChanges(snapshot)
  const isInitialized = init.every(({ status }) => status.state?.waiting === undefined)
  const containers = (pod.spec?.containers ?? []).map((container): ContainerChange => {
    const known = before.get(container.name)
    return isInitialized
      ? nextOf(container, known, snapshot)
      : { status: known ?? waitsForInit(container), changed: known === undefined }
  })
  const changes = [...init, ...containers]
  const status = podStatus(
    snapshot,
    containers.map(({ status }) => status),
    init.map(({ status }) => status),
  )
  const delays = changes.flatMap(({ requeueAfterMs }) =>
    requeueAfterMs === undefined ? [] : [requeueAfterMs],
  )
  const isChanged =
    changes.some(({ changed }) => changed) || conditionsDiffer(pod.status?.conditions, status.conditions)
  return {
    ...(isChanged && { status }),
    events: changes.flatMap(({ events = [], status: { name } }) =>
      events.map((event) => ({ ...event, container: name })),
    ),
    logs: changes.flatMap(({ log, status: { name, restartCount } }) =>
      log === undefined ? [] : [{ container: name, run: restartCount, text: `${now.toISOString()} ${log}` }],
    ),
    ...(delays.length > 0 && { requeueAfterMs: Math.min(...delays) }),
  }
}

/** Init containers end at once, one after the other, unless the image of one is missing. */
function initChanges(snapshot: PodSnapshot): ContainerChange[] {
  const { pod, missingImages, now } = snapshot
  const before = new Map((pod.status?.initContainerStatuses ?? []).map((status) => [status.name, status]))
  let isBlocked = false
  return (pod.spec?.initContainers ?? []).map((container): ContainerChange => {
    const known = before.get(container.name)
    if (known !== undefined && known.state?.waiting === undefined) return { status: known, changed: false }
    if (isBlocked) return { status: known ?? waitsForInit(container), changed: known === undefined }
    isBlocked = missingImages.has(container.image ?? '')
    return isBlocked
      ? failedPull(container, known)
      : { status: completed(pod, container, timestamp(now)), changed: true }
  })
}

interface ContainerChange {
  readonly status: Status
  readonly changed: boolean
  readonly events?: readonly EventTexts[]
  readonly log?: string
  readonly requeueAfterMs?: number
}

function nextOf(
  container: DeepReadonly<Container>,
  before: Status | undefined,
  snapshot: PodSnapshot,
): ContainerChange {
  const { pod, now } = snapshot
  const running = before?.state?.running
  if (before !== undefined && running !== undefined) {
    const startedAt = Date.parse(running.startedAt ?? '')
    const { started, ready, requeueAfterMs } = health(container, startedAt, snapshot)
    const changed = before.ready !== ready || before.started !== started
    return { status: { ...before, ready, started }, changed, ...(requeueAfterMs && { requeueAfterMs }) }
  }
  const ended = before?.state?.terminated ?? before?.lastState?.terminated
  if (before === undefined || ended === undefined) return start(container, 0, before, snapshot)
  if (pod.spec?.restartPolicy === 'Never') return { status: before, changed: false }
  const { restartCount } = before
  if (restartCount === 0) return start(container, 1, before, snapshot)

  const { baseMs, maxMs } = snapshot.crashBackoff
  const backoffMs = Math.min(maxMs, baseMs * 2 ** Math.min(restartCount - 1, 20))
  const waitMs = Date.parse(ended.finishedAt ?? '') + backoffMs - now.getTime()
  if (waitMs <= 0) return start(container, restartCount + 1, before, snapshot)
  if (before.state?.waiting !== undefined) {
    return { status: before, changed: false, requeueAfterMs: waitMs }
  }
  const { namespace, name, uid } = pod.metadata
  const message = `back-off ${goDuration(backoffMs)} restarting failed container=${container.name} pod=${name}_${namespace}(${uid})`
  return {
    status: {
      ...before,
      state: { waiting: { reason: 'CrashLoopBackOff', message } },
      lastState: { terminated: ended },
      ready: false,
      started: false,
    },
    changed: true,
    requeueAfterMs: waitMs,
    events: [
      {
        type: 'Warning',
        reason: 'BackOff',
        message: `Back-off restarting failed container ${container.name} in pod ${name}_${namespace}(${uid})`,
      },
    ],
  }
}

function start(
  container: DeepReadonly<Container>,
  run: number,
  before: Status | undefined,
  snapshot: PodSnapshot,
): ContainerChange {
  const { pod, portsInUse, missingImages, now } = snapshot
  if (missingImages.has(container.image ?? '')) return failedPull(container, before)
  const at = timestamp(now)
  const last = before?.state?.terminated ?? before?.lastState?.terminated
  const image = container.image ?? ''
  const containerID = `containerd://${fakeHash(`${pod.metadata.uid}/${container.name}/${run}`)}`
  const common = {
    name: container.name,
    image,
    imageID: `${image.replace(/(:[^/:]*)?$/, '')}@sha256:${fakeHash(image)}`,
    restartCount: run,
    lastState: last === undefined ? {} : { terminated: last },
    containerID,
  }
  const events: EventTexts[] = [
    {
      type: 'Normal',
      reason: 'Pulled',
      message: `Container image "${image}" already present on machine and can be accessed by the pod`,
    },
    { type: 'Normal', reason: 'Created', message: 'Container created' },
    { type: 'Normal', reason: 'Started', message: 'Container started' },
  ]
  const taken = (container.ports ?? []).find(
    ({ hostPort, protocol = 'TCP' }) =>
      hostPort !== undefined && protocol !== 'UDP' && portsInUse.has(hostPort),
  )
  if (taken !== undefined) {
    const log = `listen tcp ${taken.hostIP ?? '0.0.0.0'}:${taken.hostPort}: bind: address already in use`
    const message =
      container.terminationMessagePolicy === 'FallbackToLogsOnError' ? { message: `${log}\n` } : {}
    const terminated = {
      containerID,
      exitCode: 1,
      finishedAt: at,
      ...message,
      reason: 'Error',
      startedAt: at,
    }
    return {
      status: { ...common, state: { terminated }, ready: false, started: false },
      changed: true,
      events,
      log,
    }
  }
  const ports = (container.ports ?? []).map(({ containerPort }) => containerPort)
  const { started, ready, requeueAfterMs } = health(container, Date.parse(at), snapshot)
  return {
    status: { ...common, state: { running: { startedAt: at } }, ready, started },
    changed: true,
    ...(requeueAfterMs && { requeueAfterMs }),
    events,
    log:
      ports.length === 0
        ? `${container.name} has started`
        : `${container.name} listens on ${ports.join(', ')}`,
  }
}

/** Whether a container that runs has started and is ready, and when that will change by itself. */
function health(container: DeepReadonly<Container>, startedAt: number, { pod, now }: PodSnapshot) {
  const { started, ready, changesInMs } = probesOf(container, Math.max(0, now.getTime() - startedAt))
  const answers = pod.metadata.annotations?.[unreadyAnnotation] !== 'true'
  return { started, ready: ready && answers, requeueAfterMs: changesInMs }
}

function podStatus(
  snapshot: PodSnapshot,
  containers: readonly Status[],
  initContainers: readonly Status[],
): PodStatus {
  const { pod, node, freeIp, now } = snapshot
  const hostIP = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? ''
  const podIP = pod.status?.podIP ?? (pod.spec?.hostNetwork ? hostIP : freeIp)
  return {
    phase: phaseOf(pod, containers),
    conditions: conditionsOf(pod, containers, initContainers, isNodeWell(node), now),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: pod.status?.startTime ?? timestamp(now),
    ...(initContainers.length > 0 && { initContainerStatuses: initContainers }),
    containerStatuses: containers,
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
  } as PodStatus
}

function completed(pod: Cached<Pod>, container: DeepReadonly<Container>, at: string): ContainerStatus {
  const containerID = `containerd://${fakeHash(`${pod.metadata.uid}/${container.name}/0`)}`
  const isSidecar = container.restartPolicy === 'Always'
  return {
    name: container.name,
    image: container.image ?? '',
    imageID: '',
    containerID,
    ready: true,
    started: isSidecar,
    restartCount: 0,
    lastState: {},
    state: isSidecar
      ? { running: { startedAt: at } }
      : { terminated: { containerID, exitCode: 0, reason: 'Completed', startedAt: at, finishedAt: at } },
  }
}

function phaseOf(pod: Cached<Pod>, containers: readonly Status[]): 'Pending' | 'Running' | 'Failed' {
  const neverRan = ({ state, lastState }: Status) =>
    state?.waiting !== undefined && lastState?.terminated === undefined
  if (containers.some(neverRan)) return 'Pending'
  const ended = containers.every(({ state }) => state?.terminated !== undefined)
  return ended && pod.spec?.restartPolicy === 'Never' ? 'Failed' : 'Running'
}

/** In the kubelet's order; those of others (readiness gates, disruption) stay behind them. */
function conditionsOf(
  pod: Cached<Pod>,
  containers: readonly Status[],
  initContainers: readonly Status[],
  nodeIsWell: boolean,
  now: Date,
): PodCondition[] {
  const before = new Map((pod.status?.conditions ?? []).map((condition) => [condition.type, condition]))
  const unready = containers.filter(({ ready }) => !ready).map(({ name }) => name)
  const incomplete = initContainers.filter(({ state }) => state?.waiting).map(({ name }) => name)
  const [gate] = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const status = before.get(conditionType)?.status
    if (status === 'True') return []
    return status === undefined
      ? [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`]
      : [`the status of pod readiness gate "${conditionType}" is not "True", but ${status}`]
  })
  const notReady = {
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.join(' ')}]`,
  }
  const isReady = unready.length === 0
  const readyCondition = () => {
    if (!isReady) return { type: 'Ready', status: 'False', ...notReady }
    if (gate !== undefined)
      return { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message: gate }
    return { type: 'Ready', status: nodeIsWell ? 'True' : 'False' }
  }
  const wanted: readonly Omit<PodCondition, 'lastTransitionTime' | 'lastProbeTime'>[] = [
    { type: 'PodReadyToStartContainers', status: 'True' },
    {
      type: 'Initialized',
      status: incomplete.length === 0 ? 'True' : 'False',
      ...(incomplete.length > 0 && {
        reason: 'ContainersNotInitialized',
        message: `containers with incomplete status: [${incomplete.join(' ')}]`,
      }),
    },
    readyCondition(),
    { type: 'ContainersReady', status: isReady ? 'True' : 'False', ...(!isReady && notReady) },
    { type: 'PodScheduled', status: 'True' },
  ]
  const ours = wanted.map((condition) => {
    const known = before.get(condition.type)
    const since = known?.status === condition.status ? known.lastTransitionTime : undefined
    const { generation } = pod.metadata
    return {
      ...condition,
      ...(generation !== undefined && { observedGeneration: generation }),
      lastProbeTime: null,
      lastTransitionTime: since ?? timestamp(now),
    } as unknown as PodCondition
  })
  const names = new Set(wanted.map(({ type }) => type))
  const others = [...before.values()].filter(({ type }) => !names.has(type))
  return [...ours, ...others]
}

function conditionsDiffer(
  before: readonly DeepReadonly<PodCondition>[] = [],
  after: readonly PodCondition[] = [],
): boolean {
  const short = (conditions: readonly DeepReadonly<PodCondition>[]) =>
    conditions.map(({ type, status, reason, message }) => [type, status, reason, message].join()).sort()
  return JSON.stringify(short(before)) !== JSON.stringify(short(after))
}

/** `10s`, `2m40s`, as Go prints it. */
function goDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60]
  return minutes === 0 ? `${rest}s` : `${minutes}m${rest}s`
}

/** 64 hexadecimal digits that look like a digest; the same for the same text. */
function fakeHash(text: string): string {
  let digits = ''
  let seed = 0x811c9dc5
  for (let round = 0; round < 8; round++) {
    for (let index = 0; index < text.length; index++) {
      seed = Math.imul(seed ^ text.charCodeAt(index) ^ round, 0x01000193) >>> 0
    }
    seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) >>> 0
    digits += seed.toString(16).padStart(8, '0')
  }
  return digits
}
