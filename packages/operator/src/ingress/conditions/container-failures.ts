import {
  type Cached,
  type DeepReadonly,
  isBeingDeleted,
  maxUntrustedBytes,
  parseTime,
} from '@portcullis/kube'
import type { ContainerStateTerminated, ContainerStatus, Pod } from 'kubernetes-types/core/v1'
import type { HostPort } from '../placement/host-ports.ts'

/** The reasons why a router does not run on its node; the first of several is that of the condition. */
export const failureReasons = ['PortInUse', 'ImagePullFailed', 'ContainerStartFailed', 'RouterFails'] as const

/** Why a router does not run: the same of two pods that fail alike. Words are as the node reports them. */
export type FailureCause =
  | { readonly reason: 'PortInUse'; readonly port: HostPort }
  | {
      readonly reason: 'ImagePullFailed'
      readonly problem: ImageProblem
      /** Undefined where the kubelet names none: then it is that of the container. */
      readonly image: string | undefined
      readonly container: string
      /** Undefined while an older kubelet waits for its next attempt, and does not say what the last one ended with. */
      readonly words: string | undefined
    }
  | {
      readonly reason: 'ContainerStartFailed'
      readonly container: string
      readonly problem: string
      readonly words: string
    }
  | {
      readonly reason: 'RouterFails'
      readonly container: string
      readonly words: string
      /** Where a router that can bind none of them ends like this one. */
      readonly suspectPorts: readonly HostPort[]
    }

export interface ContainerFailure {
  readonly pod: Cached<Pod>
  readonly cause: FailureCause
}

type Container = DeepReadonly<ContainerStatus>
type Exit = DeepReadonly<ContainerStateTerminated>

interface ImageProblem {
  readonly name: string
  readonly text: string
}

/**
 * What the kubelet calls it when it cannot get an image. It changes between the first two with every attempt: both are
 * called what `kubectl get pods` shows most of the time.
 */
const imageProblems: Readonly<Record<string, ImageProblem>> = {
  ErrImagePull: { name: 'ImagePullBackOff', text: 'cannot pull image' },
  ImagePullBackOff: { name: 'ImagePullBackOff', text: 'cannot pull image' },
  RegistryUnavailable: { name: 'RegistryUnavailable', text: 'cannot pull image' },
  ErrImageNeverPull: { name: 'ErrImageNeverPull', text: 'cannot find image' },
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

export const routerContainer = 'router'

/** Why the router of a pod does not run there, by the first of its containers that has a reason. */
export function failureOf(pod: Cached<Pod>, ports: readonly HostPort[]): ContainerFailure | undefined {
  if (isBeingDeleted(pod)) return undefined
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {}
  for (const [statuses, isInit] of [
    [initContainerStatuses, true] as const,
    [containerStatuses, false] as const,
  ]) {
    for (const container of statuses) {
      if (container.ready) continue
      const cause =
        problemOfStart(pod, container) ??
        (keepsEnding(container, isInit) ? crash(container, ports) : undefined)
      if (cause !== undefined) return { pod, cause }
    }
  }
  return undefined
}

/** A container that never ran has no log: what the kubelet reports of it is all there is. */
function problemOfStart(
  pod: Cached<Pod>,
  { name, image, state, lastState }: Container,
): FailureCause | undefined {
  const { reason = '', message = '' } = state?.waiting ?? {}
  const problem = imageProblems[reason]
  if (problem !== undefined) {
    const { initContainers = [], containers = [] } = pod.spec ?? {}
    const asked = [...initContainers, ...containers].find((each) => each.name === name)
    return {
      reason: 'ImagePullFailed',
      problem,
      image: asked?.image || image || undefined,
      container: name,
      words: withoutBackOff(message),
    }
  }
  const exit = state?.terminated ?? lastState?.terminated
  const isStillborn = state?.running === undefined && neverBegan.includes(exit?.reason)
  const isUnheardOf = exit === undefined && reason !== 'CrashLoopBackOff' && !isBeginning(reason)
  if (!isStillborn && !isUnheardOf && !startProblems.includes(reason)) return undefined
  return {
    reason: 'ContainerStartFailed',
    container: name,
    // The runtime's error stands in either place, by turns.
    problem: isStillborn ? 'RunContainerError' : reason,
    words: isStillborn ? (exit?.message ?? '') : message,
  }
}

/**
 * Newer kubelets put this before what the registry said, in every attempt but the first. Older ones say nothing else while
 * they wait for the next attempt.
 */
function withoutBackOff(message: string): string | undefined {
  const words = message.replace(/^Back-off pulling image "[^"]*"(?:: (?:ErrImagePull: )?|\s*$)/, '')
  return words === '' && message !== '' ? undefined : words
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

function crash(container: Container, ports: readonly HostPort[]): FailureCause {
  const words = lastWords(container)
  const port = ports.find(({ number }) => saysInUse(words, number))
  if (port !== undefined) return { reason: 'PortInUse', port }
  return {
    reason: 'RouterFails',
    container: container.name,
    words,
    suspectPorts: endedWell(container) ? ports : [],
  }
}

/** OpenShift's router goes on where it cannot bind a port, is never ready, and is ended with code 0: the kubelet keeps none of its words then. */
function endedWell({ name, state, lastState }: Container): boolean {
  const exit = state?.terminated ?? lastState?.terminated
  return exit?.exitCode === 0 && name === routerContainer
}

/** The end of the log, which the kubelet keeps because the Deployment sets terminationMessagePolicy. */
function lastWords({ state, lastState }: Container): string {
  const { message = '' } = state?.terminated ?? lastState?.terminated ?? {}
  return message.trimEnd().slice(-maxUntrustedBytes)
}

function saysInUse(words: string, port: number): boolean {
  return /address already in use/i.test(words) && new RegExp(`:${port}\\b`).test(words)
}
