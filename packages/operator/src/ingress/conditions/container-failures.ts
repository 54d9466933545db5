import {
  type Cached,
  type DeepReadonly,
  isBeingDeleted,
  maxUntrustedBytes,
  parseTime,
  sanitizeUntrusted,
} from '@portcullis/kube'
import type { ContainerStateTerminated, ContainerStatus, Pod } from 'kubernetes-types/core/v1'
import { Commands } from '../commands.ts'
import type { HostPort } from '../placement/host-ports.ts'
import type { Settings } from '../settings.ts'

/** The reasons why a router does not run on its node; the first of several is that of the condition. */
export const failureReasons = ['PortInUse', 'ImagePullFailed', 'ContainerStartFailed', 'RouterFails'] as const

export interface ContainerFailure {
  readonly reason: (typeof failureReasons)[number]
  readonly message: string
}

type Container = DeepReadonly<ContainerStatus>
type Exit = DeepReadonly<ContainerStateTerminated>

/**
 * What the kubelet calls it when it cannot get an image. It changes between the first two with every attempt: both are
 * called what `kubectl get pods` shows most of the time.
 */
const imageProblems: Readonly<Record<string, { readonly name: string; readonly text: string }>> = {
  ErrImagePull: { name: 'ImagePullBackOff', text: 'cannot pull image' },
  ImagePullBackOff: { name: 'ImagePullBackOff', text: 'cannot pull image' },
  RegistryUnavailable: { name: 'RegistryUnavailable', text: 'cannot pull image' },
  ErrImageNeverPull: { name: 'ErrImageNeverPull', text: 'does not find image' },
  InvalidImageName: { name: 'InvalidImageName', text: 'cannot pull image' },
  ImageInspectError: { name: 'ImageInspectError', text: 'cannot read image' },
  SignatureValidationFailed: { name: 'SignatureValidationFailed', text: 'cannot verify image' },
}

/** What the kubelet calls it when it has the image, and the container never runs. */
const startProblems = ['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError']

/** How runtimes call the end of a container whose process never began. */
const neverBegan: readonly (string | undefined)[] = ['StartError', 'ContainerCannotRun']

/** How the kubelet calls the end of a container that it lost sight of: its node, or the runtime on it, was restarted. */
const lostSight: readonly (string | undefined)[] = ['Unknown', 'ContainerStatusUnknown']

/** A container that ran for so long is not in back-off any more: so the kubelet counts as well. */
const settledMs = 10 * 60_000

const routerContainer = 'router'

/** Why the router of a pod does not run there, by the first of its containers that has a reason. */
export function failureOf(
  pod: Cached<Pod>,
  ports: readonly HostPort[],
  settings: Settings,
): ContainerFailure | undefined {
  if (isBeingDeleted(pod)) return undefined
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {}
  for (const [statuses, isInit] of [
    [initContainerStatuses, true] as const,
    [containerStatuses, false] as const,
  ]) {
    for (const container of statuses) {
      if (container.ready) continue
      const failure =
        problemOfStart(pod, container, settings) ??
        (keepsEnding(container, isInit) ? crash(pod, container, ports, settings) : undefined)
      if (failure !== undefined) return failure
    }
  }
  return undefined
}

/** A container that never ran has no log: what the kubelet reports of it is all there is. */
function problemOfStart(
  pod: Cached<Pod>,
  { name, image, state, lastState }: Container,
  settings: Settings,
): ContainerFailure | undefined {
  const { reason = '', message = '' } = state?.waiting ?? {}
  const toSee = `To see its events: \`${new Commands(settings).describePod(pod.metadata.name)}\``
  const problem = imageProblems[reason]
  if (problem !== undefined) {
    const { initContainers = [], containers = [] } = pod.spec ?? {}
    const asked = [...initContainers, ...containers].find((each) => each.name === name)
    const shown = sanitizeUntrusted(asked?.image || image || `of container ${name}`)
    return {
      reason: 'ImagePullFailed',
      message: `${placeOf(pod)} ${problem.text} ${shown} (${problem.name}).${quote('The kubelet says', withoutBackOff(message))} ${toSee}`,
    }
  }
  const exit = state?.terminated ?? lastState?.terminated
  const isStillborn = state?.running === undefined && neverBegan.includes(exit?.reason)
  const isUnheardOf = exit === undefined && reason !== 'CrashLoopBackOff' && !isBeginning(reason)
  if (!isStillborn && !isUnheardOf && !startProblems.includes(reason)) return undefined
  // The runtime's error stands in either place, by turns.
  const shown = isStillborn ? 'RunContainerError' : sanitizeUntrusted(reason)
  const words = isStillborn ? (exit?.message ?? '') : message
  return {
    reason: 'ContainerStartFailed',
    message: `${placeOf(pod)} cannot start container ${name} (${shown}).${quote('The kubelet says', words)} ${toSee}`,
  }
}

/** Newer kubelets put this before what the registry said, in every attempt but the first. */
function withoutBackOff(message: string): string {
  return message.replace(/^Back-off pulling image "[^"]*": (?:ErrImagePull: )?/, '')
}

/**
 * Whether a container that ran fails to start again. One exit is none: whatever ended it, a restart of its node for one,
 * the kubelet starts it anew at once. It fails if it waits for its next try, or ended soon after its start again, with
 * whatever code: a router that does without a port that it cannot have is ended by its startup probe, with code 0.
 */
function keepsEnding({ state, lastState, started, restartCount }: Container, isInit: boolean): boolean {
  if (state?.waiting !== undefined && !isBeginning(state.waiting.reason)) return true
  const exit = state?.terminated ?? lastState?.terminated
  const exits = restartCount + (state?.terminated === undefined ? 0 : 1)
  return exit !== undefined && exits > 1 && !started && isFailedRun(exit, isInit)
}

function isFailedRun({ exitCode, reason, startedAt, finishedAt }: Exit, isInit: boolean): boolean {
  if (lostSight.includes(reason) || (isInit && exitCode === 0)) return false
  const [begin, end] = [startedAt, finishedAt].map((time) => Number(parseTime(time)?.getTime()))
  // Without both times it is not known to have run for long.
  return !(Number(end) - Number(begin) >= settledMs)
}

function isBeginning(reason = ''): boolean {
  return reason === 'ContainerCreating' || reason === 'PodInitializing' || reason === ''
}

function crash(
  pod: Cached<Pod>,
  container: Container,
  ports: readonly HostPort[],
  settings: Settings,
): ContainerFailure {
  const words = lastWords(container)
  const port = ports.find(({ number }) => saysInUse(words, number))
  if (port !== undefined) {
    return {
      reason: 'PortInUse',
      message: `Pod ${pod.metadata.namespace}/${pod.metadata.name} cannot bind port ${port.number} (${port.name}) on node ${nodeOf(pod)}: a process that the scheduler does not know of uses it. To find it, run \`ss -ltnp 'sport = :${port.number}'\` on the node; then stop it, or choose another ${port.field}.`,
    }
  }
  const { name } = container
  const logs = new Commands(settings).logsOfCrashed(
    pod.metadata.name,
    name === routerContainer ? undefined : name,
  )
  const said = quote('Its last output', Array.from(words).slice(-200).join(''))
  return {
    reason: 'RouterFails',
    message: `${placeOf(pod)} fails to start or keeps crashing.${said} To see its log: \`${logs}\``,
  }
}

function placeOf(pod: Cached<Pod>): string {
  return `Pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${nodeOf(pod)}`
}

function nodeOf({ spec }: Cached<Pod>): string {
  return spec?.nodeName ?? ''
}

function quote(who: string, words: string): string {
  return words.trim() === '' ? '' : ` ${who}: "${sanitizeUntrusted(words.trim())}".`
}

/** The end of the log, which the kubelet keeps because the Deployment sets terminationMessagePolicy. */
function lastWords({ state, lastState }: Container): string {
  const { message = '' } = state?.terminated ?? lastState?.terminated ?? {}
  return message.trimEnd().slice(-maxUntrustedBytes)
}

function saysInUse(words: string, port: number): boolean {
  return /address already in use/i.test(words) && new RegExp(`:${port}\\b`).test(words)
}
