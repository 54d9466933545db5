import type { EventRecord } from '@portcullis/kube'
import type { Explanation } from '../../api/explanation.ts'
import { controllerReasons } from './controller-reasons.ts'
import { eventReasons } from './event-reasons.ts'
import { loadBalancerReasons } from './load-balancer-reasons.ts'
import { routerReasons } from './router-reasons.ts'

const conditionReasons = { ...controllerReasons, ...loadBalancerReasons, ...routerReasons }

/** Every reason of conditions and events of IngressControllers. The types reject a reason without an explanation. */
export const ingressReasons = { ...conditionReasons, ...eventReasons } as const satisfies Readonly<
  Record<string, Explanation>
>

/** A reason of a condition. */
export type ConditionReason = keyof typeof conditionReasons

/** An event about an IngressController. */
export interface IngressControllerEvent extends EventRecord {
  readonly reason: keyof typeof ingressReasons
}
