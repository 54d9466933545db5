import {
  type Client,
  findCondition,
  type Key,
  keyOf,
  keyOfObject,
  mergePatchBetween,
  type Persisted,
} from '@portcullis/kube'
import { type ListedObjects, listObjects, type Settings } from '@portcullis/operator'
import type { Address } from '@portcullis/operator/internal/addresses/address.ts'
import { addressManager, decideAddress } from '@portcullis/operator/internal/addresses/decide-ingress.ts'
import { belongingOf } from '@portcullis/operator/internal/addresses/ingress-class.ts'
import { defaultAddressSettings } from '@portcullis/operator/internal/addresses/settings.ts'
import { decide } from '@portcullis/operator/internal/ingress/decide.ts'
import { ingressClassName, ownerOf } from '@portcullis/operator/internal/ingress/names.ts'
import { observe } from '@portcullis/operator/internal/ingress/observe.ts'
import { SimulatedCluster } from '@portcullis/operator/internal/plan/simulated-cluster.ts'
import type { Ingress as IngressObject } from 'kubernetes-types/networking/v1'
import { lostAddressGraceSeconds } from './options.ts'
import type { Population } from './population.ts'

/** What has not converged, a sentence each, judged by the objects on the API server alone. */
export async function convergenceProblems(
  client: Client,
  settings: Settings,
  population: Population,
): Promise<string[]> {
  const objects = await listObjects(client, settings)
  const now = new Date()
  const cluster = new SimulatedCluster(objects, settings, now)
  const addresses = new Map<string, readonly Address[]>()
  const problems: string[] = []
  for (const controller of cluster.caches.controllers.values()) {
    const { name } = controller.metadata
    const snapshot = observe(keyOfObject(controller), cluster.caches, settings, {
      now,
      contestedIngresses: new Map<Key, string>(),
      contestedFields: () => [],
      problems: [],
    })
    const decision = snapshot && decide(snapshot)
    if (decision === undefined) continue
    addresses.set(name, decision.addresses)
    for (const action of decision.actions)
      problems.push(`IngressController ${name}: ${action.do} ${action.kind.kind} is left to do`)
    const change = decision.status && mergePatchBetween(controller.status ?? {}, decision.status)
    if (change !== undefined)
      problems.push(`IngressController ${name}: its status should change by ${JSON.stringify(change)}`)
    for (const [type, status] of [
      ['Available', 'True'],
      ['Progressing', 'False'],
      ['Degraded', 'False'],
    ] as const) {
      const condition = findCondition(controller.status?.conditions, type)
      if (condition?.status !== status)
        problems.push(`IngressController ${name}: ${type} is ${condition?.status}: ${condition?.message}`)
    }
  }
  return [
    ...problems,
    ...wrongIngresses(objects, cluster, addresses, settings, now),
    ...lost(objects, population),
    ...leftBehind(objects, population),
  ]
}

function wrongIngresses(
  objects: ListedObjects,
  cluster: SimulatedCluster,
  addresses: ReadonlyMap<string, readonly Address[]>,
  settings: Settings,
  now: Date,
): string[] {
  const rules = { ...defaultAddressSettings, controllerNamespace: settings.operatorNamespace }
  const lostAddressGraceMs = lostAddressGraceSeconds * 1000
  return (objects['Ingress'] ?? []).flatMap((each) => {
    const ingress = each as Persisted<IngressObject>
    const belonging = belongingOf(ingress, (name) => cluster.caches.ingressClasses.get(name), rules)
    const entry =
      typeof belonging === 'object'
        ? { addresses: addresses.get(belonging.to) ?? [], lostSince: undefined }
        : undefined
    const manager = addressManager(settings.operatorNamespace)
    const decision = decideAddress({
      now: now.getTime(),
      ingress,
      manager,
      belonging,
      selection: 'selected',
      entry,
      since: undefined,
      lostAddressGraceMs,
    })
    return decision.do === 'nothing'
      ? []
      : [
          `Ingress ${keyOf(ingress.metadata)} says ${JSON.stringify(ingress.status?.loadBalancer)}; ${decision.do} is left to do`,
        ]
  })
}

/** What users made is there, and nothing else of its kind. */
function lost(objects: ListedObjects, { controllers, ingresses }: Population): string[] {
  return [
    ...differences('IngressController', names(objects['IngressController']), controllers.keys()),
    ...differences('Ingress', names(objects['Ingress']), ingresses.keys()),
  ]
}

function differences(kind: string, found: readonly string[], wanted: Iterable<string>): string[] {
  const [there, expected] = [new Set(found), new Set(wanted)]
  return [
    ...[...expected].filter((name) => !there.has(name)).map((name) => `${kind} ${name} is lost`),
    ...[...there].filter((name) => !expected.has(name)).map((name) => `${kind} ${name} should be gone`),
  ]
}

/** What belongs to a controller goes with it. */
function leftBehind(objects: ListedObjects, { controllers }: Population): string[] {
  const kinds = ['Deployment', 'Service', 'PodDisruptionBudget', 'Pod']
  const orphans = kinds.flatMap((kind) =>
    (objects[kind] ?? []).flatMap((object) => {
      const owner = ownerOf(object)
      return owner === undefined || controllers.has(owner)
        ? []
        : [`${kind} ${object.metadata.name} is left behind`]
    }),
  )
  const own = new Set([...controllers.keys()].map(ingressClassName))
  const classes = names(objects['IngressClass']).filter((name) => !own.has(name))
  return [...orphans, ...classes.map((name) => `IngressClass ${name} is left behind`)]
}

function names(objects: readonly Persisted[] = []): string[] {
  return objects.map(({ metadata }) => metadata.name)
}
