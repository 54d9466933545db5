import { type Persisted, timestamp } from '@portcullis/kube'
import type { LoadBalancerAddress } from '@portcullis/sandbox/internal/controllers/cloud/addresses.ts'
import {
  type CloudStep,
  decideCloud,
  type Progress,
  realTiming,
} from '@portcullis/sandbox/internal/controllers/cloud/decide.ts'
import type { CloudFault } from '@portcullis/sandbox/internal/controllers/cloud/faults.ts'
import {
  type CloudPlatformName,
  cloudPlatforms,
} from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import { serviceWriteOf } from '@portcullis/sandbox/internal/controllers/cloud/service-write.ts'
import { needsSync } from '@portcullis/sandbox/internal/controllers/cloud/wanted.ts'
import type { AnyObject } from '@portcullis/schema'
import type { Service } from 'kubernetes-types/core/v1'
import { type Api, cluster } from './api.ts'
import type { SimulatedClock } from './simulated-clock.ts'

/** A load balancer that exists in the cloud, with or without its Service. */
export interface LoadBalancer {
  readonly service: string
  readonly isInternal: boolean
  readonly address: LoadBalancerAddress
}

/** The cloud of the sandbox, deciding as that one does, with its writes carried out at once. */
export class Cloud {
  /** All that there are, by the uid of their Service. */
  readonly loadBalancers = new Map<string, LoadBalancer>()
  readonly #api: Api
  readonly #clock: SimulatedClock
  readonly #platform: CloudPlatformName
  readonly #progress = new Map<string, Progress>()
  readonly #timers = new Map<string, () => void>()
  #turn = 0
  #faults: ReadonlySet<CloudFault> = new Set()

  /** @param before the cloud as it was in the simulation that this one continues */
  constructor(api: Api, clock: SimulatedClock, platform: CloudPlatformName, before?: Cloud) {
    for (const [uid, loadBalancer] of before?.loadBalancers ?? []) this.loadBalancers.set(uid, loadBalancer)
    if (before !== undefined) {
      for (const [key, progress] of before.#progress) this.#progress.set(key, progress)
      this.#turn = before.#turn
      this.#faults = before.#faults
    }
    this.#api = api
    this.#clock = clock
    this.#platform = platform
    api.storage.subscribe('services', ({ key, type, object, previous }) => {
      if (type === 'MODIFIED' && previous && !needsSync(asService(previous), asService(object))) return
      this.#enqueue(key, 5)
    })
  }

  /** From now on it cannot do what it is asked for. */
  failWith(faults: readonly CloudFault[]): void {
    this.#faults = new Set(faults)
  }

  /** It can do everything again: its controller starts anew and looks at all Services. */
  mend(): void {
    this.#faults = new Set()
    this.#progress.clear()
    for (const [key] of this.#api.storage.list('services')) this.#enqueue(key, 5)
  }

  /** Whether it could not do what a Service asks for when it last tried. */
  hasFailed(key: string): boolean {
    return (this.#progress.get(key)?.failures ?? 0) > 0
  }

  #enqueue(key: string, milliseconds: number): void {
    this.#timers.get(key)?.()
    this.#timers.set(
      key,
      this.#clock.after(milliseconds, () => {
        this.#timers.delete(key)
        this.#api.as(cluster, () => this.#reconcile(key))
      }),
    )
  }

  #reconcile(key: string): void {
    const stored = this.#api.storage.get('services', key)
    if (stored === undefined) {
      this.#progress.delete(key)
      return
    }
    const decision = decideCloud({
      service: asService(stored),
      platform: cloudPlatforms[this.#platform],
      faults: this.#faults,
      timing: realTiming,
      now: this.#clock.monotonic(),
      progress: this.#progress.get(key),
      addressesInUse: new Set([...this.loadBalancers.values()].flatMap(({ address }) => address.ip ?? [])),
      turn: ++this.#turn,
      hasNodes: true,
    })
    for (const step of decision.steps) this.#applyStep(key, asService(stored), step)
    if (decision.progress === undefined) this.#progress.delete(key)
    else this.#progress.set(key, decision.progress)
    if (decision.requeueAfterMs !== undefined) this.#enqueue(key, decision.requeueAfterMs)
  }

  #applyStep(key: string, service: Persisted<Service>, step: CloudStep): void {
    if (step.step === 'event') this.#recordEvent(service, step.event)
    const stored = this.#api.storage.get('services', key)
    if (stored?.metadata.uid !== service.metadata.uid) return
    const [address] = step.step === 'publish' ? step.addresses : []
    if (address !== undefined) {
      const isInternal = cloudPlatforms[this.#platform].isInternal(service.metadata.annotations ?? {})
      this.loadBalancers.set(service.metadata.uid, { service: key, isInternal, address })
    }
    const write = serviceWriteOf(step, asService(stored))
    if (write === undefined) return
    if (step.step === 'removeFinalizer') this.loadBalancers.delete(service.metadata.uid)
    this.#api.server.patch('services', key, write.body)
  }

  /** Repetitions are counted on one Event. */
  #recordEvent(
    { metadata }: Persisted<Service>,
    event: { type: string; reason: string; message: string },
  ): void {
    const { namespace = '', name, uid } = metadata
    const key = `${namespace}/${name}.${event.reason}.${uid.slice(0, 8)}`
    const { storage } = this.#api
    const before = storage.get('events', key)
    const now = timestamp(this.#clock.now())
    this.#api.put('events', key, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: before?.metadata ?? {
        namespace,
        name: key.slice(namespace.length + 1),
        uid: `event-${key}`,
        creationTimestamp: now,
      },
      involvedObject: { apiVersion: 'v1', kind: 'Service', namespace, name, uid },
      ...event,
      source: { component: 'service-controller' },
      firstTimestamp: before?.['firstTimestamp'] ?? now,
      lastTimestamp: now,
      count: Number(before?.['count'] ?? 0) + 1,
    })
  }
}

function asService(object: AnyObject): Persisted<Service> {
  return object as Persisted<Service>
}
