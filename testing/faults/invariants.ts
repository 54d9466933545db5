import type { Entry } from '@portcullis/kube'
import { isObject, isSameJson, type Persisted } from '@portcullis/kube'
import type { IngressControllerObject as IngressController } from '@portcullis/operator'
import { addressManager } from '@portcullis/operator/internal/addresses/decide-ingress.ts'
import {
  autoDeleteAnnotation,
  finalizer,
  nodePortServiceName,
  ownerLabel,
  routerName,
} from '@portcullis/operator/internal/ingress/names.ts'
import type { AnyObject } from '@portcullis/schema'
import type { Service } from 'kubernetes-types/core/v1'
import type { Ingress } from 'kubernetes-types/networking/v1'
import { mustBeReplaced, strategyOf, violationsWhenQuiescent } from './quiescence.ts'
import { cluster, operatorNamespace, type Request, user, type Writer } from './simulation/api.ts'
import { leaseName } from './simulation/operator-process.ts'
import type { Simulation } from './simulation/simulation.ts'
import type { Step } from './stories/story.ts'

/** No write is sent more often than that in so long. */
const maxRetries = 25
const retryWindowMs = 10_000

/** Between a look at the controller and the deletion that follows it, at the most. */
const onTheWayMs = 100

/** So long the old way in stays at least. */
const clientsFollowMs = 60_000

/** As whom people write: what they make, and what they change. */
const people = ['kubectl', 'kubectl-edit']

/** What people make themselves: the operator writes a status there, and its finalizer. */
const usersOwn = ['operator.openshift.io/ingresscontrollers', 'networking.k8s.io/ingresses']

type Controller = Persisted<IngressController>

const ourManager = addressManager(operatorNamespace)

/** What must hold whatever goes wrong; each is checked on every version of everything, or whenever all is at rest. */
export class Invariants {
  readonly broken: string[] = []
  /** When an operator last wrote something, the Lease aside. */
  #lastWriteAt = 0
  readonly #simulation: Simulation
  readonly #step: Pick<Step, 'mayBlank'>
  /** When each write was last sent, by its sender, method and path. */
  readonly #sent = new Map<string, number[]>()
  /** Each controller as an operator last asked for it, and when, by its name. */
  readonly #seen = new Map<string, { readonly at: number; readonly controller: Controller }>()

  /** Since when each load balancer has had its address, by the key of its Service. */
  readonly #addressSince = new Map<string, number>()

  constructor(simulation: Simulation, step: Pick<Step, 'mayBlank'>) {
    this.#simulation = simulation
    this.#step = step
    for (const [key, object] of simulation.api.storage.list('services'))
      if (hasAddress(object)) this.#addressSince.set(key, -Infinity)
    simulation.api.observe((entry, writer) => this.#onEntry(entry, writer))
    simulation.api.observeRequests((request, writer) => {
      if (request.method === 'GET') {
        this.#noteLook(request)
        return
      }
      this.#onlyTheLeaderWrites(request, writer)
      this.#failedWritesBackOff(request, writer)
    })
  }

  #onEntry(entry: Entry, writer: Writer): void {
    this.#ingressIsNeverBlank(entry)
    this.#noteAddress(entry)
    if (writer === user || writer === cluster) return
    if (entry.collection !== 'coordination.k8s.io/leases')
      this.#lastWriteAt = this.#simulation.clock.monotonic()
    this.#nothingUnownedIsWritten(entry)
    this.#nothingIsDeletedWithoutConsent(entry)
    this.#nodePortsStayUntilClientsFollow(entry)
    this.#usersFieldsStay(entry)
  }

  #break(what: string): void {
    const at = (this.#simulation.clock.monotonic() / 1000).toFixed(3)
    if (this.broken.length < 20) this.broken.push(`at ${at} s: ${what}`)
  }

  // ── on every version ──

  /** Others must not even try: that a write is refused for another reason is luck. */
  #onlyTheLeaderWrites({ method, path }: Request, writer: Writer): void {
    if (!this.#simulation.isElected || writer === user || writer === cluster || path.includes('/leases'))
      return
    const lease = this.#simulation.api.storage.get(
      'coordination.k8s.io/leases',
      `${operatorNamespace}/${leaseName}`,
    )
    const { holderIdentity } = (lease?.['spec'] ?? {}) as { holderIdentity?: string }
    if (holderIdentity !== writer)
      this.#break(`${writer} sends ${method} ${path}, though ${holderIdentity ?? 'nobody'} leads`)
  }

  /** A write that keeps failing must back off. */
  #failedWritesBackOff({ method, path }: Request, writer: Writer): void {
    if (writer === user || path.includes('/leases') || path.includes('/events')) return
    const now = this.#simulation.clock.monotonic()
    const what = `${writer} sends ${method} ${path.replace(/\?.*/, '')}`
    const lately = (this.#sent.get(what) ?? []).filter((at) => now - at < retryWindowMs)
    this.#sent.set(what, [...lately, now])
    if (lately.length === maxRetries)
      this.#break(`${what} more than ${maxRetries} times in ${retryWindowMs / 1000} s`)
  }

  #nothingUnownedIsWritten({ collection, key, object, previous }: Entry): void {
    switch (collection) {
      case 'coordination.k8s.io/leases':
      case 'events':
        return
      case 'operator.openshift.io/ingresscontrollers':
      case 'networking.k8s.io/ingresses': {
        const isSame = isSameJson(previous?.['spec'], object['spec'])
        if (!isSame) this.#break(`the operator writes the spec of ${collection} ${key}`)
        if (collection === 'networking.k8s.io/ingresses') this.#refuseUnownedIngress(key, previous)
        return
      }
      default: {
        const owner = (previous ?? object).metadata.labels?.[ownerLabel]
        if (owner === undefined) this.#break(`the operator writes ${collection} ${key}, which is not its own`)
      }
    }
  }

  /** An Ingress of another's class is written only to take our own address away. */
  #refuseUnownedIngress(key: string, previous: AnyObject | undefined): void {
    const { ingressClassName } = (previous?.['spec'] ?? {}) as { ingressClassName?: string }
    const isOurs = ingressClassName?.startsWith('portcullis-')
    const wasOurs = previous?.metadata.managedFields?.some(({ manager }) => manager === ourManager)
    if (!isOurs && !wasOurs)
      this.#break(`the operator writes the address of Ingress ${key}, which is not its own`)
  }

  #nothingIsDeletedWithoutConsent({ type, collection, key, object, previous }: Entry): void {
    const isNew = (entry: AnyObject | undefined) => entry?.metadata.deletionTimestamp === undefined
    const goes = type === 'DELETED' || (!isNew(object) && isNew(previous))
    const owner = previous?.metadata.labels?.[ownerLabel]
    if (!goes || owner === undefined || !isNew(previous)) return
    const controller = this.#controller(owner)
    if (controller === undefined || controller.metadata.deletionTimestamp !== undefined) return
    if (collection === 'services' && this.#mayGo(previous as unknown as Persisted<Service>, controller))
      return
    this.#break(`the operator deletes ${collection} ${key} of a live controller, and nobody agreed to that`)
  }

  /** Node ports go with their strategy; a load balancer goes where the owner agreed, and only if it must. */
  #mayGo(service: Persisted<Service>, controller: Controller): boolean {
    const simulation = this.#simulation
    const areNodePorts = service.spec?.type === 'NodePort'
    return this.#asLastRead(controller).some((read) =>
      areNodePorts
        ? strategyOf(read) !== 'NodePortService'
        : hasConsent(read) && mustBeReplaced(simulation, read, service),
    )
  }

  #noteAddress({ collection, key, type, object }: Entry): void {
    if (collection !== 'services') return
    if (type === 'DELETED' || !hasAddress(object)) this.#addressSince.delete(key)
    else if (!this.#addressSince.has(key)) this.#addressSince.set(key, this.#simulation.clock.monotonic())
  }

  /** Who is sent to a load balancer learns of it by DNS, and until then comes by the node ports. */
  #nodePortsStayUntilClientsFollow({ type, collection, previous }: Entry): void {
    const { name, namespace, labels } = previous?.metadata ?? {}
    const owner = labels?.[ownerLabel]
    if (type !== 'DELETED' || collection !== 'services' || owner === undefined) return
    if (name !== nodePortServiceName(owner)) return
    const controller = this.#controller(owner)
    if (controller === undefined || controller.metadata.deletionTimestamp !== undefined) return
    const types = this.#asLastRead(controller).map(strategyOf)
    if (types.some((each) => each !== 'LoadBalancerService')) return
    const since = this.#addressSince.get(`${namespace}/${routerName(owner)}`)
    const ago = since === undefined ? undefined : this.#simulation.clock.monotonic() - since
    if (ago === undefined || ago < clientsFollowMs)
      this.#break(
        `the operator deletes the node ports ${name}, and the load balancer ${ago === undefined ? 'has no address' : `has had its address for ${ago} ms`}`,
      )
  }

  #noteLook({ path }: Request): void {
    const [, name] = /\/ingresscontrollers\/([^/?]+)$/.exec(path) ?? []
    const controller = name === undefined ? undefined : this.#controller(name)
    if (controller !== undefined)
      this.#seen.set(controller.metadata.name, { at: this.#simulation.clock.monotonic(), controller })
  }

  /** A revert after the last read, while the deletion is in flight, comes too late. */
  #asLastRead(controller: Controller): Controller[] {
    const seen = this.#seen.get(controller.metadata.name)
    const isOnTheWay = seen !== undefined && this.#simulation.clock.monotonic() - seen.at < onTheWayMs
    return isOnTheWay ? [controller, seen.controller] : [controller]
  }

  /** What a person set stays as they left it; on what they made themselves, everything but status and our finalizer does. */
  #usersFieldsStay({ type, collection, key, object, previous }: Entry): void {
    if (previous === undefined || type === 'DELETED') return
    const what = `${collection} ${key}`
    if (!isSameJson(foreignFinalizers(previous), foreignFinalizers(object)))
      this.#break(`the operator changes the finalizers of others on ${what}`)
    if (usersOwn.includes(collection)) {
      for (const field of ['annotations', 'labels', 'ownerReferences'] as const)
        if (!isSameJson(previous.metadata[field], object.metadata[field]))
          this.#break(`the operator changes the ${field} of ${what}`)
      return
    }
    for (const { manager = '', fieldsV1, subresource } of previous.metadata.managedFields ?? []) {
      if (!people.includes(manager) || subresource !== undefined) continue
      for (const path of leavesOf(fieldsV1 as object)) {
        if (!isSameJson(valueAt(previous, path), valueAt(object, path)))
          this.#break(
            `the operator changes ${path.map((part) => part.slice(2)).join('.')} of ${what}, which a person had set`,
          )
      }
    }
  }

  #ingressIsNeverBlank({ type, collection, key, object, previous }: Entry): void {
    if (collection !== 'networking.k8s.io/ingresses' || type === 'DELETED' || previous === undefined) return
    if (this.#step.mayBlank?.some((name) => name === object.metadata.name)) return
    if (hasAddress(previous) && !hasAddress(object)) this.#break(`Ingress ${key} has lost its address`)
  }

  // ── at rest ──

  /** For how long no operator has written anything. */
  get writelessMs(): number {
    return this.#simulation.clock.monotonic() - this.#lastWriteAt
  }

  /** @param writelessMs for how long nothing must have been written by now */
  checkAtRest(writelessMs: number): void {
    const { traffic } = this.#simulation
    if (this.writelessMs < writelessMs)
      this.#break(`an operator still wrote ${this.writelessMs} ms ago, and nobody does anything`)
    if (traffic.pending > 0) this.#break('something is still on its way')
    for (const defect of this.#simulation.defects) this.#break(`an operator trips over itself: ${defect}`)
    for (const sentence of violationsWhenQuiescent(this.#simulation)) this.#break(sentence)
  }

  #controller(name: string): Controller | undefined {
    return this.#simulation.api.storage.get(
      'operator.openshift.io/ingresscontrollers',
      `${operatorNamespace}/${name}`,
    ) as Controller | undefined
  }
}

function foreignFinalizers({ metadata }: AnyObject): string[] {
  return (metadata.finalizers ?? []).filter((name) => name !== finalizer)
}

function hasAddress(object: AnyObject): boolean {
  return (object as unknown as Persisted<Ingress>).status?.loadBalancer?.ingress?.[0] !== undefined
}

/** The paths of single fields in what the API server notes of a manager, in the words of that note. */
function leavesOf(note: object, path: readonly string[] = []): (readonly string[])[] {
  const fields = Object.entries(note).filter(([key]) => key !== '.')
  if (fields.length === 0) return path.length === 0 ? [] : [path]
  return fields.flatMap(([key, below]) => leavesOf(below as object, [...path, key]))
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce(partOf, object)
}

/** `f:` goes before the name of a field, `k:` before the keys of an item in a list, `v:` before the whole of one. */
function partOf(value: unknown, step: string): unknown {
  const name = step.slice(2)
  if (step.startsWith('f:')) return isObject(value) ? value[name] : undefined
  if (!Array.isArray(value)) return undefined
  const wanted: unknown = JSON.parse(name)
  if (step.startsWith('v:')) return value.find((item) => isSameJson(item, wanted)) as unknown
  const keys = Object.entries(wanted as object)
  return value.find((item) =>
    keys.every(([key, part]) => isObject(item) && isSameJson(item[key], part)),
  ) as unknown
}

function hasConsent(controller: Pick<AnyObject, 'metadata'> | undefined): boolean {
  const word = controller?.metadata.annotations?.[autoDeleteAnnotation]
  return word !== undefined && !['false', 'no', 'off', '0'].includes(word.trim().toLowerCase())
}
