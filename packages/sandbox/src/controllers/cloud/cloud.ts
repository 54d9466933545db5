import {
  type Cached,
  type Change,
  enqueueFrom,
  isNotFound,
  type Key,
  type KubeApi,
  keyOfObject,
  Node as NodeKind,
  type RequeueAfter,
  requeueAfter,
  Service,
  waitForCache,
  waitForObject,
} from '@portcullis/kube'
import type { Service as CoreService } from 'kubernetes-types/core/v1'
import { ComponentEvents } from '../component-events.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { AddressRanges } from './address-ranges.ts'
import { type CloudStep, type CloudTiming, decideCloud, type Progress, realTiming } from './decide.ts'
import { CloudFaults } from './faults.ts'
import { changesHosts, hostsAmong, newHosts, noHosts } from './hosts.ts'
import { type CloudPlatformName, cloudPlatforms } from './platforms.ts'
import { hasAddress, serviceWriteOf } from './service-write.ts'
import { hasFinalizer, needsSync, wantsLoadBalancer } from './wanted.ts'

export interface CloudOptions extends ControllerContext {
  readonly platform: CloudPlatformName
  /** How long things take; what is left out is as with the real one. */
  readonly timing?: Partial<CloudTiming>
  /** Where the IPs of load balancers are from; those for documentation unless given. */
  readonly ranges?: AddressRanges
  /** Injected faults, which the caller may change at any time; none by default. */
  readonly faults?: CloudFaults
}

/**
 * Plays the service controller of a cloud: gives load balancers to the Services that want one.
 *
 * All that it knows about a load balancer it reads from the Service, so that it may be restarted at any time: as
 * with the real one, every Service is then ensured once more, and nothing changes.
 */
export function registerCloud(options: CloudOptions): void {
  const { manager, caches, clock, random, log, platform, faults = new CloudFaults(), ranges } = options
  const { services, nodes } = caches
  const timing = { ...realTiming, ...options.timing }
  const events = new ComponentEvents({ component: 'service-controller', clock, random, log })
  const progress = new Map<Key, Progress>()
  /** Given just now, and not in the store yet. */
  const given = new Set<string>()
  /** To which nodes each load balancer sends. */
  const hostsOf = new Map<Key, string>()
  let turn = Math.floor(random() * 1000)

  manager.reconcile({
    name: 'cloud',
    kind: Service,
    sources: [enqueueFrom(services, keyOfObject, { predicate: matters })],
    workers: 8,
    async reconcile(key, { client }): Promise<RequeueAfter | void> {
      const service = services.get(key)
      if (service === undefined) {
        progress.delete(key)
        hostsOf.delete(key)
        return undefined
      }
      turn += 1
      const decision = decideCloud({
        service,
        platform: cloudPlatforms[platform],
        faults: faults.of(key, service.metadata.annotations),
        timing,
        now: clock.monotonic(),
        progress: progress.get(key),
        addressesInUse: new Set([...addressesIn(services.values()), ...given]),
        ...(ranges !== undefined && { ranges }),
        turn,
        hasNodes: hosts() !== '',
      })
      for (const step of decision.steps) await applyStep(client, key, service, step)
      if (decision.progress === undefined) progress.delete(key)
      else progress.set(key, decision.progress)
      return decision.requeueAfterMs === undefined ? undefined : requeueAfter(decision.requeueAfterMs)
    },
  })

  async function applyStep(
    client: KubeApi,
    key: Key,
    service: Cached<CoreService>,
    step: CloudStep,
  ): Promise<void> {
    switch (step.step) {
      case 'event':
        return events.record(client, service, step.event)
      case 'attachHosts':
        hostsOf.set(key, hosts())
        return undefined
      case 'addFinalizer':
      case 'removeFinalizer': {
        const write = serviceWriteOf(step, services.get(key) ?? service)
        if (write === undefined) return undefined
        await client.patch(Service, service.metadata, { type: 'merge', body: write.body })
        const isWanted = step.step === 'addFinalizer'
        return waitForObject<CoreService>(
          services,
          key,
          clock,
          (shown) => shown === undefined || hasFinalizer(shown) === isWanted,
        )
      }
      case 'publish':
        return publish(client, service, step)
    }
  }

  async function publish(
    client: KubeApi,
    service: Cached<CoreService>,
    step: CloudStep & { step: 'publish' },
  ): Promise<void> {
    const write = serviceWriteOf(step, service)
    if (write === undefined) return
    const ips = step.addresses.flatMap(({ ip }) => ip ?? [])
    for (const ip of ips) given.add(ip)
    try {
      const patch = { type: 'merge', body: write.body } as const
      const written = await client.patch(Service, service.metadata, patch, { subresource: 'status' })
      await waitForCache(services, written, clock)
    } catch (error) {
      if (!isNotFound(error)) throw error // It went away with its finalizer.
    } finally {
      for (const ip of ips) given.delete(ip)
    }
  }

  manager.reconcile({
    name: 'cloud-nodes',
    kind: NodeKind,
    sources: [enqueueFrom(nodes, () => 'all', { predicate: changesHosts })],
    workers: 1,
    async reconcile(_key, { client }) {
      const now = hosts()
      for (const service of services.values()) {
        const key = keyOfObject(service)
        const before = hostsOf.get(key)
        if (before === undefined || before === now || !wantsLoadBalancer(service)) continue
        hostsOf.set(key, now)
        if (!hasAddress(service)) continue
        await events.record(client, service, now === '' ? noHosts : newHosts)
      }
    },
  })

  function hosts(): string {
    return hostsAmong(nodes.values())
  }
}

/** What the real one is woken by: its own writes of status and finalizer are not among it. */
function matters(change: Change<Cached<CoreService>>): boolean {
  return change.type !== 'updated' || needsSync(change.previous, change.object)
}

function addressesIn(services: Iterable<Cached<CoreService>>): Set<string> {
  const addresses = new Set<string>()
  for (const { status } of services) {
    for (const { ip } of status?.loadBalancer?.ingress ?? []) if (ip !== undefined) addresses.add(ip)
  }
  return addresses
}
