import { setTimeout as pause } from 'node:timers/promises'
import {
  type Client,
  CoreEvent,
  Deployment,
  findCondition,
  type Persisted,
  Pod,
  Service,
} from '@portcullis/kube'
import { IngressController, type Settings } from '@portcullis/operator'
import type {
  Condition,
  IngressController as Controller,
} from '@portcullis/operator/internal/api/ingress-controller.ts'
import { commandsIn as commandsInText } from '@portcullis/operator/internal/ingress/commands.ts'
import { routerLabel } from '@portcullis/operator/internal/ingress/names.ts'
import type { Deployment as DeploymentObject } from 'kubernetes-types/apps/v1'
import type { Event, Pod as PodObject, Service as ServiceObject } from 'kubernetes-types/core/v1'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'

/** What is claimed of a condition; a message is claimed by a part of it. */
export interface Claim {
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string
  readonly message?: string | RegExp
}

/** An IngressController, and all that users see of it and do to it. */
export class Router {
  readonly name: string
  readonly #client: Client
  readonly #settings: Settings

  constructor(name: string, client: Client, settings: Settings) {
    this.name = name
    this.#client = client
    this.#settings = settings
  }

  get ref() {
    return { namespace: this.#settings.operatorNamespace, name: this.name }
  }

  /** Of the Service and the Deployment. */
  get operandRef() {
    return { namespace: this.#settings.operandNamespace, name: `router-${this.name}` }
  }

  read(): Promise<Persisted<Controller>> {
    return this.#client.get(IngressController, this.ref)
  }

  // ── what people do ──

  /** Changes the load balancer that is asked for; null removes a field. */
  change(loadBalancer: object | null) {
    return this.changeSpec({ endpointPublishingStrategy: { type: 'LoadBalancerService', loadBalancer } })
  }

  changeSpec(spec: object) {
    return this.patch({ spec })
  }

  /** @param annotations null removes one */
  annotate(annotations: Readonly<Record<string, string | null>>) {
    return this.patch({ metadata: { annotations } })
  }

  patch(body: object) {
    return this.#client.patch(IngressController, this.ref, { type: 'merge', body }, byHand)
  }

  writeStatus(status: object | null) {
    const patch = { type: 'merge', body: { status } } as const
    return this.#client.patch(IngressController, this.ref, patch, { ...byHand, subresource: 'status' })
  }

  editService(body: object) {
    return this.#client.patch(Service, this.operandRef, { type: 'merge', body }, byHand)
  }

  deleteService() {
    return this.#client.delete(Service, this.operandRef)
  }

  delete() {
    return this.#client.delete(IngressController, this.ref)
  }

  // ── what people see ──

  async condition(type: string): Promise<Condition | undefined> {
    return findCondition((await this.read()).status?.conditions, type)
  }

  /** Waits until the condition is so. */
  reports(type: string, claim: Claim, withinMs?: number): Promise<Condition> {
    const { status, reason, message } = claim
    return eventually(async () => {
      const condition = await this.condition(type)
      const description = `${type} of ${this.name}: ${JSON.stringify(condition)}`
      expect(condition, description).toMatchObject({ status, ...(reason !== undefined && { reason }) })
      if (message !== undefined) expect(condition?.message).toMatch(message)
      return condition as Condition
    }, withinMs)
  }

  /** Waits until the operator has answered to the spec as it is now. */
  async isAnswered(): Promise<Persisted<Controller>> {
    return eventually(async () => {
      const controller = await this.read()
      expect(controller.status?.observedGeneration).toBe(controller.metadata.generation)
      return controller
    })
  }

  /** Something else is changed, and carried out: by then all that came before it has been seen. */
  async everythingIsSeen(): Promise<void> {
    const before = (await this.read()).spec?.httpHeaders?.forwardedHeaderPolicy
    const forwardedHeaderPolicy = before === 'Never' ? 'Append' : 'Never'
    await this.changeSpec({ httpHeaders: { forwardedHeaderPolicy } })
    await this.isAnswered()
  }

  /** Waits until the cloud has provided the load balancer. */
  isProvided(): Promise<Condition> {
    return this.reports('LoadBalancerReady', { status: 'True' })
  }

  /** Waits until routers run, and lets the 30 seconds that they have to stay up pass at once. */
  async isUp(): Promise<void> {
    await eventually(async () => {
      await this.ageRouters()
      expect(await this.condition('Available')).toMatchObject({ status: 'True' })
      expect(await this.condition('DeploymentRollingOut')).toMatchObject({ status: 'False' })
    })
  }

  /** Lets the 30 seconds pass that routers have to stay up, for those that are ready. */
  async ageRouters(): Promise<void> {
    for (const pod of await this.pods()) await this.#age(pod)
  }

  async pods(): Promise<readonly Persisted<PodObject>[]> {
    const { namespace } = this.operandRef
    const labelSelector = `${routerLabel}=${this.name}`
    return (await this.#client.list(Pod, { namespace, labelSelector })).items
  }

  /** Counts its available routers from now on, until it is asked how many they were at least. */
  leastAvailable(): () => Promise<number> {
    const counting = new AbortController()
    let least = Infinity
    const counted = (async () => {
      while (!counting.signal.aborted) {
        const { status } = await this.deployment()
        least = Math.min(least, status?.availableReplicas ?? 0)
        await pause(25)
      }
    })()
    return async () => {
      counting.abort()
      await counted
      return least
    }
  }

  async #age({ metadata, status }: Persisted<PodObject>): Promise<void> {
    const ready = findCondition(status?.conditions, 'Ready')
    if (ready?.status !== 'True' || Date.parse(ready.lastTransitionTime ?? '') < Date.now() - 30_000) return
    const conditions = [{ type: 'Ready', lastTransitionTime: new Date(Date.now() - 60_000).toISOString() }]
    const patch = { type: 'strategic', body: { status: { conditions } } } as const
    await this.#client.patch(Pod, metadata, patch, { subresource: 'status' })
  }

  service(): Promise<Persisted<ServiceObject>> {
    return this.#client.get(Service, this.operandRef)
  }

  /** Waits until there is another Service than the one with this uid. */
  serviceAfter(uid: string): Promise<Persisted<ServiceObject>> {
    return eventually(async () => {
      const service = await this.service()
      expect(service.metadata.uid).not.toBe(uid)
      return service
    })
  }

  async annotations(): Promise<Readonly<Record<string, string>>> {
    return (await this.service()).metadata.annotations ?? {}
  }

  async address(): Promise<string | undefined> {
    const { status } = await this.service()
    const [first] = status?.loadBalancer?.ingress ?? []
    return first?.hostname ?? first?.ip
  }

  deployment(): Promise<Persisted<DeploymentObject>> {
    return this.#client.get(Deployment, this.operandRef)
  }

  /** What the status says is wanted. */
  async wantedScope(): Promise<string | undefined> {
    return (await this.read()).status?.endpointPublishingStrategy?.loadBalancer?.scope
  }

  /** Waits until the controller is no more. */
  isGone(): Promise<void> {
    return eventually(() => expect(this.read()).rejects.toThrow('NotFound'))
  }

  /** Events about the controller, by us. */
  async events(): Promise<Persisted<Event>[]> {
    const { items } = await this.#client.list(CoreEvent, { namespace: this.ref.namespace })
    return items.filter(({ involvedObject }) => involvedObject.name === this.name)
  }

  /** Waits until there has been an event for each of these reasons. */
  async recordsEvents(...reasons: readonly string[]): Promise<void> {
    await eventually(async () =>
      expect((await this.events()).map(({ reason }) => reason)).toEqual(expect.arrayContaining([...reasons])),
    )
  }

  /** What the cloud says about the Service, newest last. */
  async cloudEvents(): Promise<Persisted<Event>[]> {
    const { items } = await this.#client.list(CoreEvent, { namespace: this.operandRef.namespace })
    return items.filter(
      ({ involvedObject, source }) =>
        involvedObject.name === this.operandRef.name && source?.component === 'service-controller',
    )
  }
}

/** Under this name the API server keeps account of what people write. */
export const byHand = { fieldManager: 'somebody' }

/** The commands in a message, as they are to be pasted. */
export function commandsIn({ message }: Pick<Condition, 'message'>): string[] {
  return commandsInText(message)
}
