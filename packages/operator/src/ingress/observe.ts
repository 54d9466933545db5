import { type Key, keyOf, refOf } from '@portcullis/kube'
import type { ContestedField } from './contested-fields.ts'
import { ingressClassName, internalServiceName, nodePortServiceName, routerName } from './names.ts'
import { findPlatform } from './platforms/find-platform.ts'
import type { Settings } from './settings.ts'
import type { Snapshot } from './snapshot.ts'
import type { Caches } from './watched-kinds.ts'

export interface Moment {
  readonly now: Date
  readonly contestedIngresses: ReadonlyMap<Key, string>
  readonly contestedFields: (controller: Snapshot['controller'], now: Date) => readonly ContestedField[]
  readonly problems: readonly string[]
  readonly conditionsObservedSince?: ReadonlyMap<string, Date>
}

/** Collects all that one decision needs; undefined when there is no such controller. */
export function observe(
  key: Key,
  caches: Caches,
  settings: Settings,
  { now, contestedIngresses, contestedFields, problems, conditionsObservedSince = new Map() }: Moment,
): Snapshot | undefined {
  const controller = caches.controllers.get(key)
  if (controller === undefined) return undefined
  const { name } = refOf(key)
  const nodes = [...caches.nodes.values()]
  const infrastructure = caches.infrastructures.get('cluster')
  const keyOfOperand = (operand: string) => keyOf({ namespace: settings.operandNamespace, name: operand })
  const routerKey = keyOfOperand(routerName(name))
  return {
    now,
    settings,
    controller,
    others: [...caches.controllers.values()].filter((other) => other !== controller),
    platform: findPlatform({
      infrastructure,
      providerIds: nodes.flatMap(({ spec }) => spec?.providerID || []),
      setting: settings.platform,
    }),
    infrastructure,
    isSingleNode: infrastructure?.status?.infrastructureTopology === 'SingleReplica',
    operands: {
      deployment: caches.deployments.get(routerKey),
      loadBalancer: caches.services.get(routerKey),
      internalService: caches.services.get(keyOfOperand(internalServiceName(name))),
      nodePortService: caches.services.get(keyOfOperand(nodePortServiceName(name))),
      disruptionBudget: caches.budgets.get(routerKey),
      ingressClass: caches.ingressClasses.get(ingressClassName(name)),
    },
    pods: [...caches.pods.by('controller', name)],
    nodes,
    hostPortPods: [...caches.pods.by('hasHostPorts', 'yes')],
    nodePortServices: [...caches.services.by('hasNodePorts', 'yes')],
    contestedIngresses,
    contestedFields: contestedFields(controller, now),
    conditionsObservedSince,
    cloudEvents: [...caches.cloudEvents.by('service', routerName(name))],
    problems,
  }
}
