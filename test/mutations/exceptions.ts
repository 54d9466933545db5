import { madeAsAnnotation } from '../../src/ingress/names.ts'
import { readMadeAs } from '../../src/ingress/strategies/made-as.ts'
import { findCondition } from '../../src/kube/conditions.ts'
import { isObject } from '../../src/kube/merge-patch.ts'
import { cloudPlatforms } from '../../src/sandbox/controllers/cloud/platforms.ts'
import type { ClusterUnderChange, Declared } from './cluster-under-change.ts'
import { foreignConditions } from './samples.ts'
import { controllerKey } from './state.ts'
import type { JsonObject } from './values.ts'

/**
 * Where what is depends on what was, on purpose. Each exception says when it holds, and what must be true instead of
 * "as if it had been declared so from the beginning".
 */
export interface Exception {
  readonly name: string
  readonly why: string
  readonly holds: (cluster: ClusterUnderChange) => boolean
  /** What a person does to end it; afterwards nothing must be left of what was. */
  readonly end?: (cluster: ClusterUnderChange) => void
  /** What of an object is not compared. */
  readonly passOver?: (key: string, object: JsonObject) => JsonObject
  /** What would have to be declared so that the same came of it; of the controller's spec nothing is then compared. */
  readonly asIf?: (declared: Declared, cluster: ClusterUnderChange) => Declared
}

export const exceptions: readonly Exception[] = [
  {
    name: 'a condition that somebody else wrote stays',
    why: 'Only what we wrote is ours to take away.',
    holds: () => true,
    passOver: (key, object) => (key === controllerKey ? withoutForeignConditions(object) : object),
  },
  {
    name: 'a load balancer whose scope changes in place was made as it was made',
    why: 'The note on its Service tells with what it began; there nothing depends on it.',
    holds: ({ world }) => cloudPlatforms[world.platform].changesScopeInPlace,
    passOver: (_key, object) => withoutNote(object),
  },
  {
    name: 'a load balancer waits for consent',
    why: 'Only a new one can have the scope or type that is wanted, or none is wanted any more; nothing is deleted until somebody says so.',
    holds: (cluster) => conditionIs(cluster, 'LoadBalancerProgressing', 'True') && hasService(cluster),
    end: (cluster) => cluster.deleteService(),
  },
  {
    name: 'a type that nobody asks for any more is kept',
    why: 'Where the spec names no type of load balancer, the one that is there stays.',
    holds: (cluster) => {
      const made = readMadeAs(cluster.loadBalancerService?.metadata.annotations)
      return (
        made?.type !== undefined && made.type !== 'Classic' && askedLoadBalancer(cluster)?.type === undefined
      )
    },
    end: (cluster) => cluster.deleteService(),
  },
  {
    name: 'a strategy or scope that nobody asks for any more is kept',
    why: 'Absence never exposes and never interrupts: what is published stays as it is (BZ1904582).',
    holds: (cluster) => {
      const { spec, status } = cluster.controller
      const asked = spec?.endpointPublishingStrategy
      const kept = status?.endpointPublishingStrategy
      return (
        kept !== undefined &&
        (asked === undefined || (asked.type === 'LoadBalancerService' && asked.loadBalancer === undefined))
      )
    },
    asIf: (declared, cluster) => {
      const { type, loadBalancer } = cluster.controller.status?.endpointPublishingStrategy ?? {}
      const strategy = { type, ...(loadBalancer && { loadBalancer: { scope: loadBalancer.scope } }) }
      return { ...declared, spec: { ...declared.spec, endpointPublishingStrategy: strategy } }
    },
  },
]

function withoutForeignConditions(controller: JsonObject): JsonObject {
  const status = controller['status'] as JsonObject | undefined
  const conditions = (status?.['conditions'] ?? []) as readonly { readonly type: string }[]
  const ours = conditions.filter(({ type }) => !foreignConditions.includes(type))
  return status === undefined ? controller : { ...controller, status: { ...status, conditions: ours } }
}

function withoutNote(object: JsonObject): JsonObject {
  const metadata = (object['metadata'] ?? {}) as JsonObject
  const { [madeAsAnnotation]: _note, ...annotations } = (metadata['annotations'] ?? {}) as JsonObject
  return { ...object, metadata: { ...metadata, annotations } }
}

function conditionIs({ controller }: ClusterUnderChange, type: string, status: string): boolean {
  return findCondition(controller.status?.conditions, type)?.status === status
}

function hasService({ loadBalancerService }: ClusterUnderChange): boolean {
  return (loadBalancerService?.['spec'] as JsonObject | undefined)?.['type'] === 'LoadBalancer'
}

function askedLoadBalancer({ controller }: ClusterUnderChange): { type?: unknown } | undefined {
  const parameters = controller.spec?.endpointPublishingStrategy?.loadBalancer?.providerParameters
  return isObject(parameters?.aws) ? parameters.aws : undefined
}
