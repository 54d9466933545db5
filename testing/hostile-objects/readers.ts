import { printedStatus } from '@portcullis/cli/internal/commands/status/report.ts'
import { paint } from '@portcullis/cli/internal/io/colours.ts'
import { inForm, type Output, outputs } from '@portcullis/cli/internal/io/output.ts'
import { printedPlan } from '@portcullis/cli/internal/planned-change/report.ts'
import {
  Cache,
  createMetrics,
  type KubeObject,
  keyOfObject,
  mergePatchBetween,
  openCaches,
  type Persisted,
  type Reconciler,
  silentLogger,
  systemClock,
  type WatchedKind,
} from '@portcullis/kube'
import {
  durationMsOf,
  holderOf,
  renewed,
  taken,
  wasReleased,
} from '@portcullis/kube/internal/election/lease-record.ts'
import { newSeries } from '@portcullis/kube/internal/events/event-series.ts'
import {
  defaultSettings,
  type IngressControllerObject as IngressController,
  overview,
  type Plan,
  plan,
  type Settings,
  snapshotFrom,
} from '@portcullis/operator'
import { AddressBook } from '@portcullis/operator/internal/addresses/address-book.ts'
import { addressReconciler } from '@portcullis/operator/internal/addresses/address-writer.ts'
import { ingressControllerName } from '@portcullis/operator/internal/addresses/ingress-class.ts'
import { AddressMetrics } from '@portcullis/operator/internal/addresses/metrics.ts'
import { defaultAddressSettings } from '@portcullis/operator/internal/addresses/settings.ts'
import type { Shard } from '@portcullis/operator/internal/addresses/shard.ts'
import { watchedKinds as addressKinds } from '@portcullis/operator/internal/addresses/watched-kinds.ts'
import { decide } from '@portcullis/operator/internal/ingress/decide.ts'
import type { Decision } from '@portcullis/operator/internal/ingress/decision.ts'
import { IngressMetrics } from '@portcullis/operator/internal/ingress/metrics.ts'
import { routerLabel } from '@portcullis/operator/internal/ingress/names.ts'
import type { Snapshot } from '@portcullis/operator/internal/ingress/snapshot.ts'
import { watchedKinds } from '@portcullis/operator/internal/ingress/watched-kinds.ts'
import type { ListedObjects } from '@portcullis/operator/internal/plan/listed-objects.ts'
import type { Lease } from 'kubernetes-types/coordination/v1'
import { controllerName, operandNamespace, operatorNamespace, tenantNamespace } from './kinds.ts'

const settings: Settings = {
  ...defaultSettings,
  operatorNamespace,
  operandNamespace,
  defaultDomain: 'apps.example.com',
}
const addressSettings = {
  ...defaultAddressSettings,
  controllerNamespace: operatorNamespace,
  staticAddresses: [{ ip: '192.0.2.1' }],
}
/** Selects the Ingress that the hostile ones are made from, and those that keep its label. */
const shard: Shard = {
  namespaceSelector: { matchExpressions: [{ key: 'unserved', operator: 'DoesNotExist' }] },
  routeSelector: { matchExpressions: [{ key: routerLabel, operator: 'Exists' }] },
}

/** What the Ingress that the hostile ones are made from needs so that it is served. */
const stored = { uid: 'a', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const classOfIt = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  metadata: { name: `portcullis-${controllerName}`, ...stored },
  spec: { controller: ingressControllerName },
}
const namespaceOfIt = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: tenantNamespace, ...stored },
}

/** What is done with an object, and what comes of it. */
export interface Step {
  readonly name: string
  readonly run: () => unknown
  /** Where it may be more than a step of the operator may take. */
  readonly longestMs?: number
}

interface Watched {
  readonly kind: string
  readonly project: (object: Persisted) => Persisted
  readonly cache: Cache<KubeObject, string>
}

/** Everything in the operator and its commands that reads objects of others. */
export class Readers {
  readonly #watched: Watched[] = []
  readonly #addresses: Reconciler
  readonly #onMapError: unknown[] = []

  constructor() {
    const metrics = createMetrics('portcullis')
    const open = <T extends KubeObject, I extends string>({
      kind: { kind },
      project = (object) => object,
      indexes,
    }: WatchedKind<T, I>) => {
      const cache = new Cache<T, I>({ name: kind, indexes, log: silentLogger, metrics })
      this.#watched.push({ kind, project, cache } as unknown as Watched)
      return cache
    }
    openCaches(watchedKinds(settings), open)
    const book = new AddressBook(systemClock)
    this.#addresses = addressReconciler({
      caches: openCaches(addressKinds, open),
      book,
      settings: addressSettings,
      clock: systemClock,
      metrics: new AddressMetrics({ registry: createMetrics('portcullis').registry }),
    })
    const onMapError = (_: unknown, error: unknown) => void this.#onMapError.push(error)
    for (const source of this.#addresses.sources) source.subscribe({ enqueue: () => {}, onMapError })
    book.set(controllerName, { addresses: addressSettings.staticAddresses, shard })
  }

  /** What becomes of one object by itself. */
  stepsOf(kind: string, object: Persisted): Step[] {
    return [
      ...this.#watched
        .filter((watched) => watched.kind === kind)
        .map(({ project, cache }, at) => ({
          name: `project and store ${kind} (${at})`,
          run: () => {
            const kept = project(object)
            cache.apply(kept)
            for (const error of this.#onMapError.splice(0)) throw error
            return kept
          },
        })),
      ...(kind === 'Ingress' ? [{ name: 'write its address', run: () => this.writeAddress(object) }] : []),
      ...(kind === 'Lease'
        ? [{ name: 'take the Lease', run: () => leaseSteps(object as Persisted<Lease>) }]
        : []),
    ]
  }

  /** What is written to an Ingress, and said about it, that nobody has seen before. */
  writeAddress(object: Persisted): readonly unknown[] {
    const calls: unknown[] = []
    const context = {
      client: { patchMetadataOnly: (...args: unknown[]) => Promise.resolve(void calls.push(args)) },
      events: { record: (...args: unknown[]) => void calls.push(args) },
      signal: new AbortController().signal,
      log: silentLogger,
    } as unknown as Parameters<Reconciler['reconcile']>[1]
    for (const served of [classOfIt, namespaceOfIt]) this.#replaceAll(served.kind, served)
    this.#replaceAll('Ingress', object)
    void this.#addresses.reconcile(keyOfObject(object), context)
    // Else the next of this name would be taken for a quarrel about the address of this one.
    this.#replaceAll('Ingress')
    void this.#addresses.reconcile(keyOfObject(object), context)
    return calls
  }

  #replaceAll(kind: string, ...objects: Persisted[]): void {
    for (const { cache, project } of this.#watched.filter((watched) => watched.kind === kind))
      cache.replace(objects.map(project))
  }
}

function leaseSteps(lease: Persisted<Lease>): unknown {
  const by = { identity: 'us', leaseDurationMs: 15_000, time: '2026-01-01T00:00:00.000000Z' }
  return [holderOf(lease), durationMsOf(lease), wasReleased(lease), taken(lease, by), renewed(lease, by)]
}

/** What the operator makes of a whole cluster with such objects in it, and what its commands print. */
export function stepsOfCluster(objects: ListedObjects, now: Date): Step[] {
  const controller = objects['IngressController']?.[0] as Persisted<IngressController>
  let snapshot: Snapshot | undefined
  let decision: Decision | undefined
  const status = () => ({ ...controller, status: decision?.status })
  return [
    {
      name: 'observe',
      run: () => {
        snapshot = snapshotFrom(objects, settings, controllerName, now)
        return undefined
      },
    },
    { name: 'decide', run: () => (decision = snapshot && decide(snapshot)) },
    {
      name: 'patch the status',
      run: () => mergePatchBetween(controller.status ?? {}, decision?.status ?? {}),
    },
    {
      name: 'count',
      run: () => {
        const { registry } = createMetrics('portcullis')
        const metrics = new IngressMetrics({ registry, clock: systemClock })
        if (decision?.status !== undefined)
          metrics.report(keyOfObject(controller), decision.status, { unplaced: 1 })
        return undefined
      },
    },
    {
      name: 'record events',
      run: () =>
        decision?.events.map((event) =>
          newSeries(
            controller,
            event,
            { reportingController: 'portcullis.dev/operator', reportingInstance: 'a' },
            { now, suffix: '1' },
          ),
        ),
    },
    ...outputs.map((output) => ({
      name: `portcullis status -o ${output}`,
      run: () => printedStatusOf(objects, controller, now, output),
    })),
    ...outputs.map((output) => ({
      name: `portcullis status -o ${output}, after the decision`,
      run: () => printedStatusOf(objects, status() as Persisted<IngressController>, now, output),
    })),
    ...planSteps(objects, controller, now),
  ]
}

/** A plan plays out many rounds of the operator, in a process of its own that nobody waits for but who asked. */
function planSteps(objects: ListedObjects, controller: Persisted<IngressController>, now: Date): Step[] {
  const wanted = { ...controller, metadata: { ...controller.metadata, namespace: operatorNamespace } }
  let planned: Plan | undefined
  return [
    {
      name: 'portcullis plan',
      longestMs: 1_000,
      run: () => {
        planned = plan({ objects, wanted: [wanted], settings, addresses: addressSettings, now })
        return undefined
      },
    },
    ...outputs.map((output) => ({
      name: `portcullis plan -o ${output}`,
      run: () => planned && inForm(output, printedPlan(planned), paint(true)),
    })),
  ]
}

function printedStatusOf(
  objects: ListedObjects,
  controller: Persisted<IngressController>,
  now: Date,
  output: Output,
): string {
  const served = {
    classes: (objects['IngressClass'] ?? []) as never[],
    ingresses: (objects['Ingress'] ?? []) as never[],
    namespaces: (objects['Namespace'] ?? []) as never[],
  }
  const overviews = [overview(controller, served, addressSettings)]
  return inForm(output, printedStatus(overviews, operatorNamespace, now), paint(true))
}
