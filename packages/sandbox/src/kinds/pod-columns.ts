import type { AnyObject } from '@portcullis/schema'
import type { Container, ContainerStatus, Pod, PodStatus } from 'kubernetes-types/core/v1'
import type { Column } from '../resource.ts'
import { ageColumn, ageOf, column, nameColumn } from './columns.ts'
import { as, specOf, statusOf } from './kind.ts'

/** The columns of `kubectl get pods`. */
interface Summary {
  readonly ready: string
  readonly reason: string
  readonly restarts: string
}

export const podColumns: readonly Column[] = [
  nameColumn,
  column('Ready', 'How many of its containers are ready.', (object, now) => summaryOf(object, now).ready),
  column('Status', 'How it is doing, in one word.', (object, now) => summaryOf(object, now).reason),
  column(
    'Restarts',
    'How often containers were started again.',
    (object, now) => summaryOf(object, now).restarts,
  ),
  ageColumn,
  column('IP', 'Its address.', (object) => statusOf<PodStatus>(object).podIPs?.[0]?.ip || '<none>', {
    priority: 1,
  }),
  column('Node', 'Where it runs.', (object) => specOf<{ nodeName?: string }>(object).nodeName || '<none>', {
    priority: 1,
  }),
  column(
    'Nominated Node',
    'Where room is being made for it.',
    (object) => statusOf<PodStatus>(object).nominatedNodeName || '<none>',
    { priority: 1 },
  ),
  column(
    'Readiness Gates',
    'How many of its extra conditions are met.',
    (object) => gatesText(as<Pod>(object)),
    {
      priority: 1,
    },
  ),
]

function summaryOf(object: AnyObject, now: Date): Summary {
  const { metadata, spec, status = {} } = as<Pod>(object)
  const initial = new Map((spec?.initContainers ?? []).map((container) => [container.name, container]))
  const sidecars = [...initial.values()].filter(isSidecar).length
  const total = (spec?.containers ?? []).length + sidecars
  const before = lookAtInitContainers(status, initial)
  const gated = (status.conditions ?? []).some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  )
  let reason = gated ? 'SchedulingGated' : status.reason || status.phase || ''
  let { restarts, last } = before.all
  let { ready } = before
  if (before.reason !== undefined) reason = before.reason
  const initialized = (status.conditions ?? []).find(({ type }) => type === 'Initialized')?.status === 'True'
  if (before.reason === undefined || initialized) {
    const main = lookAtContainers(status, reason)
    restarts = before.sidecars.restarts + main.restarts
    last = later(before.sidecars.last, main.last)
    ready += main.ready
    reason = main.reason
  }
  if (metadata?.deletionTimestamp !== undefined) {
    if (status.reason === 'NodeLost') reason = 'Unknown'
    else if (status.phase !== 'Succeeded' && status.phase !== 'Failed') reason = 'Terminating'
  }
  const ago = restarts !== 0 && last !== undefined ? ` (${ageOf(last, now)} ago)` : ''
  return { ready: `${ready}/${total}`, reason, restarts: `${restarts}${ago}` }
}

interface Restarts {
  readonly restarts: number
  readonly last: string | undefined
}

/** `reason` is undefined once all of them are done or run on as sidecars. */
function lookAtInitContainers(
  { initContainerStatuses: statuses = [] }: PodStatus,
  containers: ReadonlyMap<string, Container>,
): { ready: number; reason: string | undefined; all: Restarts; sidecars: Restarts } {
  let all: Restarts = { restarts: 0, last: undefined }
  let sidecars = all
  let ready = 0
  let reason: string | undefined
  for (const [index, status] of statuses.entries()) {
    const { state = {}, started } = status
    const container = containers.get(status.name)
    const sidecar = container !== undefined && isSidecar(container)
    all = added(all, status)
    if (sidecar) sidecars = added(sidecars, status)
    if (state.terminated?.exitCode === 0) continue
    if (sidecar && started === true) {
      if (status.ready) ready++
      continue
    }
    if (state.terminated !== undefined) reason = `Init:${terminationText(state.terminated)}`
    else if (state.waiting?.reason && state.waiting.reason !== 'PodInitializing')
      reason = `Init:${state.waiting.reason}`
    else reason = `Init:${index}/${containers.size}`
    break
  }
  return { ready, reason, all, sidecars }
}

function lookAtContainers(
  { containerStatuses: statuses = [], conditions = [] }: PodStatus,
  phase: string,
): Restarts & { ready: number; reason: string } {
  let count: Restarts = { restarts: 0, last: undefined }
  let reason = phase
  let ready = 0
  let failure = ''
  for (const status of statuses.toReversed()) {
    const { state = {} } = status
    count = added(count, status)
    if (state.waiting?.reason) reason = state.waiting.reason
    else if (state.terminated !== undefined) {
      reason = terminationText(state.terminated)
      if (state.terminated.exitCode !== 0) failure = reason
    } else if (status.ready && state.running !== undefined) ready++
  }
  if (reason === 'Completed') {
    const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
    if (ready > 0 && isReady) reason = 'Running'
    else if (failure !== '') reason = failure
    else if (ready > 0) reason = 'NotReady'
  }
  return { ...count, ready, reason }
}

function added({ restarts, last }: Restarts, { restartCount, lastState }: ContainerStatus): Restarts {
  return { restarts: restarts + (restartCount ?? 0), last: later(last, lastState?.terminated?.finishedAt) }
}

function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Date.parse(a) < Date.parse(b) ? b : a
}

function terminationText({
  reason = '',
  signal = 0,
  exitCode,
}: {
  reason?: string
  signal?: number
  exitCode: number
}) {
  if (reason !== '') return reason
  return signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`
}

function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always'
}

function gatesText({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? []
  if (gates.length === 0) return '<none>'
  const met = gates.filter(
    ({ conditionType }) => status?.conditions?.find(({ type }) => type === conditionType)?.status === 'True',
  )
  return `${met.length}/${gates.length}`
}
