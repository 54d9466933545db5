import { type Cached, CoreEvent, createMetrics, Manager, Service } from '@portcullis/kube'
import { cleanupFinalizer } from '@portcullis/sandbox/internal/controllers/cloud/wanted.ts'
import type { Event, Service as ServiceObject } from 'kubernetes-types/core/v1'
import { connect, type Running, start, systemParts } from '../e2e/start-manager.ts'
import type { TestCluster } from '../e2e/test-cluster.ts'

interface ServiceTimeline {
  /** Every version of the Service, as far as a cloud has to do with it. */
  readonly versions: string[]
  /** All that the cloud said about it. */
  readonly said: string[]
}

const prefix = 'service.beta.kubernetes.io/aws-load-balancer'

/**
 * The versions of every load balancer Service in a namespace, and what the cloud said about it in Events, without what
 * differs in each run: names, numbers, times, and how often something was tried. Two clouds that do the same make the same
 * text.
 */
export class ServiceTimelines {
  readonly #timelines = new Map<string, ServiceTimeline>()
  readonly #addresses = new Map<string, string>()
  readonly #watching: Running
  readonly #followed: Promise<unknown>

  /** Resolves when nothing that happens from now on is missed. */
  static async follow(testCluster: TestCluster, namespace: string): Promise<ServiceTimelines> {
    const timelines = new ServiceTimelines(testCluster, namespace)
    await timelines.#followed
    return timelines
  }

  private constructor({ access }: TestCluster, namespace: string) {
    const client = connect(access, 'timelines')
    const parts = { ...systemParts, client, metrics: createMetrics('portcullis') }
    const manager = new Manager({ ...parts, name: 'timelines', instance: 'timelines-0' })
    const selection = { namespace }
    const services = manager.watch(Service, { selection })
    const events = manager.watch(CoreEvent, { selection })
    services.subscribe(({ type, object }) => {
      if (object.spec?.type === 'LoadBalancer')
        this.#note(object, type === 'deleted' ? 'gone' : this.#version(object))
    })
    events.subscribe(({ type, object }) => {
      if (type !== 'deleted') this.#noteEvent(object)
    })
    const running = start(manager)
    this.#followed = Promise.all([services.synced(), events.synced()])
    this.#watching = {
      async stop() {
        await running.stop()
        await client.close()
      },
    }
  }

  /** The text. Services are numbered. */
  toString(): string {
    const timelines = [...this.#timelines.values()].filter(({ versions }) => versions.length > 0)
    return timelines
      .map(({ versions, said }, index) =>
        [
          `Service ${index + 1}`,
          ...versions.map((version) => `  ${version}`),
          'of which the cloud said',
          ...withoutTiming(said).map((line) => `  ${line}`),
          '',
        ].join('\n'),
      )
      .join('\n')
  }

  stop(): Promise<void> {
    return this.#watching.stop()
  }

  #note({ metadata }: Cached<ServiceObject>, version: string): void {
    const { versions } = this.#timelineOf(metadata.uid)
    if (versions.at(-1) !== version) versions.push(version)
  }

  #noteEvent({ involvedObject, type, reason, message = '', source }: Cached<Event>): void {
    if (source?.component !== 'service-controller') return
    this.#timelineOf(involvedObject.uid ?? '').said.push(`${type} ${reason}: ${withoutChance(message)}`)
  }

  #timelineOf(uid: string): ServiceTimeline {
    const timeline = this.#timelines.get(uid) ?? { versions: [], said: [] }
    this.#timelines.set(uid, timeline)
    return timeline
  }

  #version({ metadata, spec, status }: Cached<ServiceObject>): string {
    const { annotations = {}, finalizers = [], deletionTimestamp } = metadata
    const [shown] = status?.loadBalancer?.ingress ?? []
    const asked = ['internal', 'type'].flatMap((name) => {
      const value = annotations[`${prefix}-${name}`]
      return value === undefined ? [] : [`${name}=${value}`]
    })
    return [
      ...(deletionTimestamp === undefined ? [] : ['being deleted,']),
      finalizers.includes(cleanupFinalizer) ? 'held by the cloud,' : 'free,',
      shown === undefined ? 'without address' : `at ${this.#addressOf(shown.hostname ?? shown.ip ?? '')}`,
      ...asked,
      ...(spec?.loadBalancerSourceRanges === undefined
        ? []
        : [`from ${spec.loadBalancerSourceRanges.join()}`]),
    ].join(' ')
  }

  /** Every host name has a number in the order of appearance, and a form. */
  #addressOf(hostname: string): string {
    const known = this.#addresses.get(hostname)
    if (known !== undefined) return known
    const form = hostname.replace(/a[0-9a-f]{31}-[0-9a-f]+/, 'LB')
    const address = `${form} (${this.#addresses.size + 1})`
    this.#addresses.set(hostname, address)
    return address
  }
}

function withoutChance(message: string): string {
  return message
    .replaceAll(/RequestID: [^,]*/g, 'RequestID: ID')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'http://AWS')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
    .replaceAll(/\ba[0-9a-f]{31}\b/g, 'LB')
}

/** What the cloud said, without what depends on how fast it was. */
export function withoutTiming(said: readonly string[]): string[] {
  return withoutRepetition(withoutLateUpdates(said))
}

/** A cloud updates nodes beside all else: whether it comes to that while it deletes a load balancer is chance. */
function withoutLateUpdates(lines: readonly string[]): string[] {
  const deleting = lines.findIndex((line) => line.includes(' DeletingLoadBalancer: '))
  return lines.filter(
    (line, index) => deleting === -1 || index < deleting || !line.includes(' UpdatedLoadBalancer: '),
  )
}

/** How often a cloud tries the same is chance: what comes again at once, up to three lines together, counts once. */
function withoutRepetition(lines: readonly string[]): string[] {
  const kept: string[] = []
  for (const line of lines) {
    kept.push(line)
    for (const size of [1, 2, 3]) {
      const last = kept.slice(-size)
      const before = kept.slice(-2 * size, -size)
      if (before.length === size && last.join('\n') === before.join('\n')) kept.splice(-size)
    }
  }
  return kept
}
