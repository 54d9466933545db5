import type { DeepReadonly } from '@portcullis/kube'
import type { Container, Probe } from 'kubernetes-types/core/v1'

export interface ProbesSay {
  readonly started: boolean
  readonly ready: boolean
  /** When they will say something else; undefined if never. */
  readonly changesInMs?: number
}

/**
 * The results of the probes of a container that has run for a while: none is executed, every probe succeeds from its first
 * try on. Readiness is not asked about before the container has started.
 */
export function probesOf(container: DeepReadonly<Container>, runningMs: number): ProbesSay {
  const { startupProbe, readinessProbe } = container
  const startedAt = firstSuccess(startupProbe, 0)
  const readyAt = firstSuccess(readinessProbe, startedAt)
  const next = [startedAt, readyAt].find((at) => at > runningMs)
  return {
    started: runningMs >= startedAt,
    ready: runningMs >= readyAt,
    ...(next !== undefined && { changesInMs: next - runningMs }),
  }
}

/** In milliseconds since the container runs. */
function firstSuccess(probe: DeepReadonly<Probe> | undefined, earliest: number): number {
  const { initialDelaySeconds = 0, periodSeconds = 10, successThreshold = 1 } = probe ?? {}
  return Math.max(earliest, initialDelaySeconds * 1000) + (successThreshold - 1) * periodSeconds * 1000
}
