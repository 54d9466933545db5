import { type Cached, findCondition, isBeingDeleted } from '@portcullis/kube'
import type { Namespace } from 'kubernetes-types/core/v1'
import type { Ingress, IngressClass } from 'kubernetes-types/networking/v1'
import { belongingOf, type ClassRules } from '../addresses/ingress-class.ts'
import { compileShard, shardOf } from '../addresses/shard.ts'
import type { IngressController } from '../api/ingress-controller.ts'
import { commandsIn } from './commands.ts'
import { waitsForUser } from './conditions/load-balancer.ts'
import type { Condition } from './conditions/summary-conditions.ts'
import { unhealthyConditions } from './conditions/unhealthy-conditions.ts'
import { publishedAddress } from './published-address.ts'

/** The state of one controller, as its status reports it. */
export interface Overview {
  readonly name: string
  readonly namespace: string | undefined
  readonly domain: string | undefined
  readonly strategy: string | undefined
  readonly scope: string | undefined
  /** Ports of the nodes: http, https, stats. */
  readonly ports: readonly number[]
  readonly addresses: readonly string[]
  readonly available: string
  readonly degraded: string
  readonly routers: number
  readonly ingresses: {
    /** Those that its routers serve. */
    readonly count: number
    /** How many of these have no address yet. */
    readonly waiting: number
    /** Those of its class that its selectors leave out: they get no address. */
    readonly excluded: number
  }
  /** What is under way, and whether it waits for a person. */
  readonly pending: readonly ReportedCondition[]
  readonly problems: readonly ReportedCondition[]
  /** Whether the operator has answered to the spec as it is now. */
  readonly isAnswered: boolean
  readonly isBeingDeleted: boolean
}

/** Something to know about, and perhaps to do something about. */
export interface ReportedCondition {
  readonly condition: string
  /** Of the condition: `False`, for example. */
  readonly status: string
  readonly reason: string
  readonly since: string
  readonly message: string
  /** In the order of the message. */
  readonly commands: readonly string[]
  readonly waitsForYou: boolean
}

/** What is in the cluster that a controller may serve. */
export interface Served {
  readonly ingresses: readonly Cached<Ingress>[]
  readonly classes: readonly Cached<IngressClass>[]
  /** Needed where a controller has a `namespaceSelector`; an Ingress of one that is not among them counts as served. */
  readonly namespaces: readonly Cached<Namespace>[]
}

export function overview(
  controller: Cached<IngressController>,
  { ingresses, classes, namespaces }: Served,
  rules: ClassRules,
): Overview {
  const { metadata, status } = controller
  const { conditions, endpointPublishingStrategy: strategy } = status ?? {}
  const findClass = (name: string) => classes.find((each) => each.metadata.name === name)
  const ofItsClasses = ingresses.filter((ingress) => {
    const belonging = belongingOf(ingress, findClass, rules)
    return typeof belonging === 'object' && belonging.to === metadata.name
  })
  const labelsByNamespace = new Map(namespaces.map(({ metadata: { name, labels = {} } }) => [name, labels]))
  const select = compileShard(shardOf(status))
  const behind = ofItsClasses.filter(({ metadata: { namespace = '', labels = {} } }) => {
    const selection = select?.(labels, () => labelsByNamespace.get(namespace))
    return selection?.is !== 'excluded'
  })
  const { httpPort, httpsPort, statsPort } = strategy?.hostNetwork ?? {}
  const progressing = findCondition(conditions, 'Progressing')
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    domain: status?.domain,
    strategy: strategy?.type,
    scope: strategy?.loadBalancer?.scope,
    ports: [httpPort, httpsPort, statsPort].filter((port) => port !== undefined),
    addresses: publishedAddress(status).split(',').filter(Boolean),
    available: findCondition(conditions, 'Available')?.status ?? 'Unknown',
    degraded: findCondition(conditions, 'Degraded')?.status ?? 'Unknown',
    routers: status?.availableReplicas ?? 0,
    ingresses: {
      count: behind.length,
      waiting: behind.filter(waitsForAddress).length,
      excluded: ofItsClasses.length - behind.length,
    },
    pending: progressing?.status === 'True' ? [matter(progressing)] : [],
    problems: unhealthyConditions(conditions).map(matter),
    isAnswered: status?.observedGeneration === metadata.generation,
    isBeingDeleted: isBeingDeleted(controller),
  }
}

function waitsForAddress({ status }: Cached<Ingress>): boolean {
  return (status?.loadBalancer?.ingress ?? []).length === 0
}

function matter(condition: Condition): ReportedCondition {
  const { type, status, reason = '', lastTransitionTime, message = '' } = condition
  return {
    condition: type,
    status,
    reason,
    since: lastTransitionTime,
    message,
    commands: commandsIn(message),
    waitsForYou: waitsForUser(condition) || reason === 'ServiceEdited',
  }
}
