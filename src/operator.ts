import { IngressMetrics } from './ingress/metrics.ts'
import { registerIngressReconciler } from './ingress/reconciler.ts'
import type { Settings } from './ingress/settings.ts'
import type { Clock } from './kube/clock.ts'
import type { Metrics } from './kube/metrics.ts'
import type { Runtime } from './kube/runtime.ts'

export interface OperatorParts {
  readonly runtime: Pick<Runtime, 'watch' | 'reconcile'>
  readonly settings: Settings
  readonly clock: Clock
  readonly metrics: Pick<Metrics, 'registry'>
}

/** The composition root: which reconcilers make up the operator. Read it first. */
export function assembleOperator({ runtime, settings, clock, metrics }: OperatorParts): void {
  registerIngressReconciler({
    runtime,
    settings,
    clock,
    metrics: new IngressMetrics({ registry: metrics.registry, clock }),
  })
}
