import { type Key, keyOf, refOf } from '../kube/objects.ts'
import { internalServiceName, routerName } from './names.ts'
import { findPlatform } from './platforms/find-platform.ts'
import type { Settings } from './settings.ts'
import type { Snapshot } from './snapshot.ts'
import type { Stores } from './stores.ts'

export interface Moment {
  readonly now: Date
  readonly problems: readonly string[]
}

/** Collects all that one decision needs; undefined when there is no such controller. */
export function observe(key: Key, stores: Stores, settings: Settings, moment: Moment): Snapshot | undefined {
  const controller = stores.controllers.get(key)
  if (controller === undefined) return undefined
  const { name } = refOf(key)
  const infrastructure = stores.infrastructures.get('cluster')
  const routerKey = keyOf({ namespace: settings.operandNamespace, name: routerName(name) })
  const internalKey = keyOf({ namespace: settings.operandNamespace, name: internalServiceName(name) })
  return {
    ...moment,
    settings,
    controller,
    others: [...stores.controllers.values()].filter((other) => other !== controller),
    platform: findPlatform({
      infrastructure,
      providerIds: [...stores.nodes.values()].flatMap(({ spec }) => spec?.providerID || []),
      setting: settings.platform,
    }),
    isSingleNode: infrastructure?.status?.infrastructureTopology === 'SingleReplica',
    operands: {
      deployment: stores.deployments.get(routerKey),
      loadBalancer: stores.services.get(routerKey),
      internalService: stores.services.get(internalKey),
      disruptionBudget: stores.budgets.get(routerKey),
      serviceAccount: stores.accounts.get(routerKey),
    },
    pods: [...stores.pods.by('controller', name)],
    cloudEvents: [...stores.cloudEvents.by('service', routerName(name))],
  }
}
