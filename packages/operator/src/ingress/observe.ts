import { type Key, keyOf, refOf } from '@portcullis/kube'
import type { ContestedField } from './contested-fields.ts'
import { ingressClassName, internalServiceName, nodePortServiceName, routerName } from './names.ts'
import { findPlatform } from './platforms/find-platform.ts'
import type { Settings } from './settings.ts'
import type { Snapshot } from './snapshot.ts'
import type { Stores } from './stores.ts'

export interface Moment {
  readonly now: Date
  readonly contestedIngresses: ReadonlyMap<Key, string>
  readonly contestedFields: (controller: Snapshot['controller'], now: Date) => readonly ContestedField[]
  readonly problems: readonly string[]
  readonly conditionsSeenSince?: ReadonlyMap<string, Date>
}

/** Collects all that one decision needs; undefined when there is no such controller. */
export function observe(
  key: Key,
  stores: Stores,
  settings: Settings,
  { now, contestedIngresses, contestedFields, problems, conditionsSeenSince = new Map() }: Moment,
): Snapshot | undefined {
  const controller = stores.controllers.get(key)
  if (controller === undefined) return undefined
  const { name } = refOf(key)
  const nodes = [...stores.nodes.values()]
  const infrastructure = stores.infrastructures.get('cluster')
  const keyOfOperand = (operand: string) => keyOf({ namespace: settings.operandNamespace, name: operand })
  const routerKey = keyOfOperand(routerName(name))
  return {
    now,
    settings,
    controller,
    others: [...stores.controllers.values()].filter((other) => other !== controller),
    platform: findPlatform({
      infrastructure,
      providerIds: nodes.flatMap(({ spec }) => spec?.providerID || []),
      setting: settings.platform,
    }),
    infrastructure,
    isSingleNode: infrastructure?.status?.infrastructureTopology === 'SingleReplica',
    operands: {
      deployment: stores.deployments.get(routerKey),
      loadBalancer: stores.services.get(routerKey),
      internalService: stores.services.get(keyOfOperand(internalServiceName(name))),
      nodePortService: stores.services.get(keyOfOperand(nodePortServiceName(name))),
      disruptionBudget: stores.budgets.get(routerKey),
      ingressClass: stores.ingressClasses.get(ingressClassName(name)),
    },
    pods: [...stores.pods.by('controller', name)],
    nodes,
    hostPortPods: [...stores.pods.by('hasHostPorts', 'yes')],
    nodePortServices: [...stores.services.by('hasNodePorts', 'yes')],
    contestedIngresses,
    contestedFields: contestedFields(controller, now),
    conditionsSeenSince,
    cloudEvents: [...stores.cloudEvents.by('service', routerName(name))],
    problems,
  }
}
