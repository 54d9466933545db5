import { type DeepReadonly, findCondition } from '@portcullis/kube'
import type { IngressControllerObject as IngressController } from '@portcullis/operator'
import { readProvenance } from '@portcullis/operator/internal/ingress/strategies/provenance.ts'
import { isForeignCondition } from './samples.ts'
import type { JsonObject } from './values.ts'

/** What there is to see of a controller and its load balancer. */
export interface ObservedController {
  readonly controller: DeepReadonly<IngressController>
  /** The Service under the name of the load balancer's. */
  readonly service:
    | {
        readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
        readonly spec?: unknown
      }
    | undefined
  readonly hasNodePortService: boolean
  /** Whether Infrastructure named another platform when that Service was made. */
  readonly wasMadeForAnother: boolean
}

/**
 * Where what is depends on what was, on purpose. Each exception says when it holds, and what must be true instead of
 * "as if it had been declared so from the beginning".
 */
export interface Exception {
  readonly name: string
  readonly why: string
  readonly holds: (seen: ObservedController) => boolean
  /** What a person does to end it; afterwards nothing must be left of what was. */
  readonly endedBy?: 'deleting the Service' | 'deleting the Service of node ports'
  /** What is not compared, of any object. */
  readonly passOver?: (object: JsonObject) => JsonObject
  /** The spec from which the same would have come; that of the controller is then not compared. */
  readonly asIf?: (spec: JsonObject, seen: ObservedController) => JsonObject
}

export const exceptions: readonly Exception[] = [
  {
    name: 'a load balancer waits for consent',
    why: 'Only a new one can have the scope or type that is wanted, or none is wanted any more; nothing is deleted without consent.',
    holds: ({ controller, service }) =>
      findCondition(controller.status?.conditions, 'LoadBalancerProgressing')?.status === 'True' &&
      isLoadBalancer(service?.spec),
    endedBy: 'deleting the Service',
  },
  {
    name: 'a type that nobody asks for any more is kept',
    why: 'Where the spec names no type of load balancer, the one that is there stays.',
    holds: ({ controller, service }) => {
      const made = readProvenance(service?.metadata.annotations)?.type
      const asked = controller.spec?.endpointPublishingStrategy?.loadBalancer?.providerParameters?.aws?.type
      return made !== undefined && made !== 'Classic' && asked === undefined
    },
    endedBy: 'deleting the Service',
  },
  {
    name: 'a load balancer was made for another platform',
    why: 'What Infrastructure names now says nothing of the load balancer that is there: it, and routers that suit it, stay.',
    holds: ({ wasMadeForAnother }) => wasMadeForAnother,
    endedBy: 'deleting the Service',
  },
  {
    name: 'node ports stay where only the status names another strategy',
    why: 'A spec that asks for another strategy lets them go; a status that another client wrote does not.',
    holds: ({ controller: { spec, status }, hasNodePortService }) =>
      hasNodePortService &&
      spec?.endpointPublishingStrategy === undefined &&
      status?.endpointPublishingStrategy?.type !== 'NodePortService',
    endedBy: 'deleting the Service of node ports',
  },
  {
    name: 'a strategy or scope that nobody asks for any more is kept',
    why: 'Absence never exposes and never interrupts: what is published stays as it is (BZ1904582).',
    holds: ({ controller: { spec, status } }) => {
      const asked = spec?.endpointPublishingStrategy
      const leavesScopeOpen = asked?.type === 'LoadBalancerService' && asked.loadBalancer === undefined
      return status?.endpointPublishingStrategy !== undefined && (asked === undefined || leavesScopeOpen)
    },
    asIf: (spec, { controller }) => {
      const { type, loadBalancer } = controller.status?.endpointPublishingStrategy ?? {}
      const kept = { type, ...(loadBalancer && { loadBalancer: { scope: loadBalancer.scope } }) }
      return { ...spec, endpointPublishingStrategy: kept }
    },
  },
  {
    name: 'a condition that another client wrote stays',
    why: 'Only what we wrote is ours to take away.',
    holds: () => true,
    passOver: withoutForeignConditions,
  },
]

function isLoadBalancer(spec: unknown): boolean {
  return (spec as { type?: string } | undefined)?.type === 'LoadBalancer'
}

function withoutForeignConditions(object: JsonObject): JsonObject {
  const status = object['status'] as JsonObject | undefined
  const conditions = status?.['conditions'] as readonly { readonly type: string }[] | undefined
  if (conditions === undefined) return object
  const ours = conditions.filter(({ type }) => !isForeignCondition(type))
  return { ...object, status: { ...status, conditions: ours } }
}

/** What two states of one controller are compared without, as the exceptions have it. */
export function comparedWithout(seen: ObservedController): (object: JsonObject) => JsonObject {
  const holding = exceptions.filter(({ holds }) => holds(seen))
  return (object) => holding.reduce((rest, { passOver }) => passOver?.(rest) ?? rest, object)
}
