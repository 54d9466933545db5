import { type Client, CoreEvent, type Persisted, Service } from '@portcullis/kube'
import type { Service as CoreService } from 'kubernetes-types/core/v1'
import { expect } from 'vitest'
import { eventually } from '../../clusters/eventually.ts'

type Address = NonNullable<NonNullable<NonNullable<CoreService['status']>['loadBalancer']>['ingress']>[number]

/** One Service in a cluster with a cloud, and what a person does with it and sees of it. */
export class TestService {
  readonly #client: Client
  readonly #ref: { readonly namespace: string; readonly name: string }

  constructor(client: Client, name: string) {
    this.#client = client
    this.#ref = { namespace: 'default', name }
  }

  create(annotations: Record<string, string> = {}, spec: Partial<CoreService['spec']> = {}) {
    return this.#client.create(Service, {
      metadata: { ...this.#ref, annotations },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }], selector: { app: 'web' }, ...spec },
    })
  }

  read(): Promise<Persisted<CoreService>> {
    return this.#client.get(Service, this.#ref)
  }

  /** @param annotations null removes one */
  annotate(annotations: Record<string, string | null>) {
    return this.#patch({ metadata: { annotations } })
  }

  change(spec: object) {
    return this.#patch({ spec })
  }

  delete() {
    return this.#client.delete(Service, this.#ref)
  }

  async address(): Promise<Address | undefined> {
    return (await this.read()).status?.loadBalancer?.ingress?.[0]
  }

  /** Its address, once it has one. */
  addressed(): Promise<Address> {
    return eventually(async () => {
      const address = await this.address()
      if (address === undefined) throw new Error(`${this.#ref.name} has no address`)
      return address
    })
  }

  isGone() {
    return eventually(() => expect(this.read()).rejects.toThrow(/NotFound/))
  }

  /** What the service controller says, in order, each `reason` or `reason x2`. */
  async events(): Promise<string[]> {
    return (await this.#events()).map(({ reason, count }) =>
      count === 1 ? `${reason}` : `${reason} x${count}`,
    )
  }

  async messages(): Promise<(string | undefined)[]> {
    return (await this.#events()).map(({ message }) => message)
  }

  saw(events: readonly string[]) {
    return eventually(async () => expect(await this.events()).toEqual(events))
  }

  async #events() {
    const { items } = await this.#client.list(CoreEvent, { namespace: this.#ref.namespace })
    return items.filter(
      ({ involvedObject, source }) =>
        involvedObject.name === this.#ref.name && source?.component === 'service-controller',
    )
  }

  #patch(body: object) {
    return this.#client.patch(Service, this.#ref, { type: 'merge', body })
  }
}
