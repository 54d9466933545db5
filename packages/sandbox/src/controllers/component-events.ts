import {
  type Clock,
  CoreEvent,
  Event,
  isNotFound,
  type KubeApi,
  type Logger,
  microTime,
  type Random,
  timestamp,
} from '@portcullis/kube'
import type { Event as CoreEventObject } from 'kubernetes-types/core/v1'
import type { Event as EventsEvent } from 'kubernetes-types/events/v1'

export interface EventTexts {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** What an event is about. */
export interface Subject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: {
    readonly namespace?: string
    readonly name: string
    readonly uid: string
    readonly resourceVersion?: string
  }
}

export interface ComponentEventsOptions {
  /** `service-controller`, `deployment-controller`, `kubelet`, … */
  readonly component: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** So many different events are kept, to count repetitions. */
const capacity = 2_000

/** As client-go does it. */
const mostSimilar = 10
const similarWithinMs = 10 * 60_000

/**
 * Events as Kubernetes' own components write them: `v1` Events with `source.component`, `count` and
 * `lastTimestamp`, where a repetition raises the count of the same object. (The recorder of packages/kube/src writes the
 * newer `events.k8s.io/v1` ones; the scheduler does too, see `recordNewStyle`.)
 *
 * An event that cannot be written is not worth a failed reconcile.
 */
export class ComponentEvents {
  readonly #options: ComponentEventsOptions
  readonly #similar = new Map<string, { readonly messages: Set<string>; readonly at: number }>()
  #written = 0
  readonly #known = new Map<string, { readonly name: string; count: number }>()

  constructor(options: ComponentEventsOptions) {
    this.#options = options
  }

  async record(
    client: Pick<KubeApi, 'create' | 'patch'>,
    subject: Subject,
    texts: EventTexts,
    { fieldPath, host }: { readonly fieldPath?: string; readonly host?: string } = {},
  ): Promise<void> {
    const now = timestamp(this.#options.clock.now())
    const namespace = subject.metadata.namespace ?? 'default'
    const similar = JSON.stringify([subject.metadata.uid, fieldPath, texts.type, texts.reason])
    const combined = this.#areMany(similar, texts.message)
    const message = combined ? `(combined from similar events): ${texts.message}` : texts.message
    const id = combined ? similar : `${similar} ${texts.message}`
    await this.#quietly(texts, async () => {
      const known = this.#known.get(id)
      if (known !== undefined && (await this.#repeat(client, namespace, known, now, message))) return
      const event = this.#event(subject, { ...texts, message }, now, fieldPath, host)
      await client.create<CoreEventObject>(CoreEvent, event)
      this.#remember(id, event.metadata.name ?? '')
    })
  }

  /** As kube-scheduler does it: `events.k8s.io/v1`, with an action. */
  async recordNewStyle(
    client: Pick<KubeApi, 'create' | 'patch'>,
    subject: Subject,
    { type, reason, message }: EventTexts,
    action: string,
  ): Promise<void> {
    const now = this.#options.clock.now()
    const id = JSON.stringify([subject.metadata.uid, type, reason, action, message])
    const namespace = subject.metadata.namespace ?? 'default'
    await this.#quietly({ type, reason, message }, async () => {
      const known = this.#known.get(id)
      if (known !== undefined) {
        known.count += 1
        const series = { count: known.count, lastObservedTime: microTime(now) }
        try {
          await client.patch<EventsEvent>(
            Event,
            { namespace, name: known.name },
            { type: 'merge', body: { series } },
          )
          return
        } catch (error) {
          if (!isNotFound(error)) throw error
        }
      }
      const name = `${subject.metadata.name}.${this.#suffix()}`
      await client.create<EventsEvent>(Event, {
        metadata: { namespace, name },
        eventTime: microTime(now),
        type,
        reason,
        action,
        note: message.slice(0, 1024),
        regarding: referenceTo(subject),
        reportingController: this.#options.component,
        reportingInstance: `${this.#options.component}-sandbox`,
      })
      this.#remember(id, name)
    })
  }

  async #repeat(
    client: Pick<KubeApi, 'patch'>,
    namespace: string,
    known: { readonly name: string; count: number },
    now: string,
    message: string,
  ): Promise<boolean> {
    const body = { count: known.count + 1, lastTimestamp: now, message: message.slice(0, 1024) }
    try {
      await client.patch<CoreEventObject>(CoreEvent, { namespace, name: known.name }, { type: 'merge', body })
      known.count += 1
      return true
    } catch (error) {
      if (isNotFound(error)) return false // It has expired.
      throw error
    }
  }

  #event(
    subject: Subject,
    { type, reason, message }: EventTexts,
    now: string,
    fieldPath: string | undefined,
    host: string | undefined,
  ): CoreEventObject {
    const { component } = this.#options
    const namespace = subject.metadata.namespace ?? 'default'
    return {
      metadata: { namespace, name: `${subject.metadata.name}.${this.#suffix()}` },
      involvedObject: { ...referenceTo(subject), ...(fieldPath !== undefined && { fieldPath }) },
      type,
      reason,
      message: message.slice(0, 1024),
      source: { component, ...(host !== undefined && { host }) },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      reportingComponent: component,
      reportingInstance: host ?? '',
    }
  }

  /** From the tenth message on, within ten minutes of each other, events that differ in nothing else become one. */
  #areMany(similar: string, message: string): boolean {
    const now = this.#options.clock.monotonic()
    const before = this.#similar.get(similar)
    const messages =
      before !== undefined && now - before.at < similarWithinMs ? before.messages : new Set<string>()
    if (messages.size < mostSimilar) messages.add(message)
    this.#similar.delete(similar)
    this.#similar.set(similar, { messages, at: now })
    forgetOldest(this.#similar)
    return messages.size >= mostSimilar
  }

  #remember(id: string, name: string): void {
    this.#known.set(id, { name, count: 1 })
    forgetOldest(this.#known)
  }

  /** Nanoseconds in hexadecimal digits, as client-go names events: a list of them is in order of time. */
  #suffix(): string {
    this.#written = (this.#written + 1) % 1000
    const chance = Math.floor(this.#options.random() * 1000)
    const nanoseconds =
      BigInt(this.#options.clock.now().getTime()) * 1_000_000n + BigInt(this.#written * 1000 + chance)
    return nanoseconds.toString(16)
  }

  async #quietly({ reason }: EventTexts, write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (err) {
      this.#options.log.debug({ err, reason }, 'An event could not be written')
    }
  }
}

function forgetOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys()
  if (map.size > capacity && oldest !== undefined) map.delete(oldest)
}

function referenceTo({ apiVersion, kind, metadata }: Subject) {
  const { namespace, name, uid, resourceVersion } = metadata
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    ...(namespace !== undefined && { namespace }),
    name,
    uid,
    ...(resourceVersion !== undefined && { resourceVersion }),
  }
}
