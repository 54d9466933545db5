import type { EventRecord } from '@portcullis/kube'
import type { Explanation } from '../../api/explanation.ts'
import { controllerReasons } from './controller-reasons.ts'
import { eventReasons } from './event-reasons.ts'
import { loadBalancerReasons } from './load-balancer-reasons.ts'
import { routerReasons } from './router-reasons.ts'

const conditionReasons = { ...controllerReasons, ...loadBalancerReasons, ...routerReasons }

/** Every reason that is given for an IngressController. What is not explained here cannot be said: the types see to it. */
export const ingressReasons = { ...conditionReasons, ...eventReasons } as const satisfies Readonly<
  Record<string, Explanation>
>

/** Why a condition is as it is, in one word. */
export type ConditionReason = keyof typeof conditionReasons

/** What happened to an IngressController, to be told as an event. */
export interface IngressControllerEvent extends EventRecord {
  readonly reason: keyof typeof ingressReasons
}
