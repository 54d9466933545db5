import { isIP } from 'node:net'
import {
  type Cached,
  type Client,
  createMetrics,
  enqueueFrom,
  isSameJson,
  keyOfObject,
  Manager,
  Service,
} from '@portcullis/kube'
import { isNetworkLoadBalancer } from '@portcullis/sandbox/internal/controllers/cloud/addresses.ts'
import { registerCloud } from '@portcullis/sandbox/internal/controllers/cloud/cloud.ts'
import type { CloudTiming } from '@portcullis/sandbox/internal/controllers/cloud/decide.ts'
import { CloudFaults } from '@portcullis/sandbox/internal/controllers/cloud/faults.ts'
import {
  type CloudPlatformName,
  cloudPlatforms,
} from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import { ClusterCaches } from '@portcullis/sandbox/internal/controllers/cluster-caches.ts'
import type { Service as CoreService } from 'kubernetes-types/core/v1'
import { connect, type Running, start, systemParts } from '../../../e2e/start-manager.ts'
import { ChildProgram } from '../../child-program.ts'
import { type Log, silent } from '../../log.ts'
import { adminAccess } from '../../test-client.ts'
import type { Scope } from '../layout.ts'
import type { NodesHandle } from '../nodes-handle.ts'
import { addressPlan, freeIps, ipv6Beside, scopeOfIp } from './address-plan.ts'
import type {
  Health,
  HealthCheck,
  LoadBalancer,
  LoadBalancerPort,
  LoadBalancersReport,
  WantedLoadBalancers,
} from './load-balancer.ts'
import { addressOf, type LoadBalancerRecord, loadBalancerOf, targetsAmong } from './wanted-load-balancers.ts'

/** Quicker than any cloud, and slow enough to be seen. */
const timing: Partial<CloudTiming> = {
  provisioningMs: 500,
  deletionMs: 300,
  slowDeletionMs: 10_000,
  retryBaseMs: 1_000,
  retryMaxMs: 5_000,
}

/** A load balancer that no Service asks for: the customer's own, in front of host ports or node ports. */
export interface OwnLoadBalancer {
  readonly scope: Scope
  readonly ports: readonly Pick<LoadBalancerPort, 'port' | 'targetPort'>[]
  readonly healthCheck: HealthCheck
}

/**
 * A small cloud around a bed of real nodes. It gives load balancers to the Services that want one, as the sandbox's cloud does, at
 * addresses that clients reach; and it forwards their requests to the nodes that are healthy.
 */
export class Cloud {
  readonly platform: CloudPlatformName
  /** What goes wrong when load balancers are made, changed or deleted. */
  readonly faults = new CloudFaults()
  readonly #log: Log
  readonly #client: Client
  readonly #process: ChildProgram<WantedLoadBalancers, LoadBalancersReport>
  readonly #running: Running
  readonly #caches: ClusterCaches
  readonly #own = new Map<string, OwnLoadBalancer & { readonly ips: readonly string[] }>()
  readonly #records = new Map<string, LoadBalancerRecord>()
  #wanted: WantedLoadBalancers = { version: 0, loadBalancers: [] }
  #report: LoadBalancersReport = { version: 0, health: {} }
  #problem: string | undefined

  static async start(bed: NodesHandle, platform: CloudPlatformName, log: Log = silent): Promise<Cloud> {
    let cloud: Cloud | undefined
    const process = await ChildProgram.start<WantedLoadBalancers, LoadBalancersReport>({
      inside: bed.insideCloud,
      entry: new URL('load-balancers-child.ts', import.meta.url),
      receive(report) {
        if (cloud !== undefined) cloud.#report = report
      },
    })
    cloud = new Cloud(platform, connect(await adminAccess(bed), 'cloud'), process, log)
    return cloud
  }

  private constructor(
    platform: CloudPlatformName,
    client: Client,
    process: ChildProgram<WantedLoadBalancers, LoadBalancersReport>,
    log: Log,
  ) {
    this.platform = platform
    this.#log = log
    this.#client = client
    this.#process = process
    void process.ended.then((problem) => {
      this.#problem = problem
    })
    const metrics = createMetrics('portcullis')
    const manager = new Manager({ ...systemParts, client, metrics, name: 'cloud', instance: 'cloud-0' })
    const caches = new ClusterCaches({ watch: (kind, options) => manager.watch(kind, options) })
    this.#caches = caches
    registerCloud({
      ...systemParts,
      manager,
      caches,
      platform,
      timing,
      faults: this.faults,
      ranges: addressPlan,
    })
    manager.reconcile({
      name: 'load-balancers',
      kind: Service,
      sources: [enqueueFrom(caches.services, () => 'all'), enqueueFrom(caches.nodes, () => 'all')],
      workers: 1,
      reconcile: async () => this.#change(),
    })
    this.#running = start(manager)
  }

  /** All there are, as they are wanted now. */
  get loadBalancers(): readonly LoadBalancer[] {
    return this.#wanted.loadBalancers
  }

  get health(): Health {
    if (this.#problem !== undefined) throw new Error(`The load balancers have ended: ${this.#problem}`)
    return this.#report.health
  }

  /** What DNS would answer: the IPs of a load balancer, by its host name or IP; none where there is none. */
  resolve(address: string): readonly string[] {
    return this.#records.get(address)?.ips ?? []
  }

  /** Sets up, or changes, a load balancer in front of all nodes; it keeps its addresses. Gives these. */
  setOwnLoadBalancer(name: string, own: OwnLoadBalancer): readonly string[] {
    const ips = this.#own.get(name)?.ips ?? freeIps(own.scope, this.#ipsInUse())
    this.#own.set(name, { ...own, ips })
    this.#change()
    return ips
  }

  removeOwnLoadBalancer(name: string): void {
    this.#own.delete(name)
    this.#change()
  }

  /** Recomputes what is wanted, and has it done if it differs. */
  #change(): void {
    const targets = targetsAmong(this.#caches.nodes.values())
    const services = [...this.#caches.services.values()]
    this.#record(services)
    const ofServices = services.flatMap((service) => {
      const record = this.#records.get(addressOf(service) ?? '')
      return loadBalancerOf(service, record, targets) ?? []
    })
    const own = [...this.#own].map(([name, { scope, ips, ports, healthCheck }]) => ({
      name,
      scope,
      ips,
      ports: ports.map((port) => ({ protocol: 'TCP' as const, ...port })),
      targets,
      healthCheck,
      forwarding: 'direct' as const,
      sourceRanges: [],
    }))
    const loadBalancers: readonly LoadBalancer[] = [...ofServices, ...own]
    if (isSameJson(loadBalancers, this.#wanted.loadBalancers)) return
    this.#wanted = { version: this.#wanted.version + 1, loadBalancers }
    this.#process.send(this.#wanted)
  }

  /** A load balancer keeps the scope that it was made with, whatever its Service says afterwards. */
  #record(services: readonly Cached<CoreService>[]): void {
    const shown = new Set(services.map(addressOf))
    for (const address of this.#records.keys()) if (!shown.has(address)) this.#records.delete(address)
    for (const service of services) {
      const address = addressOf(service)
      if (address === undefined || this.#records.has(address)) continue
      const record = this.#newRecord(address, service)
      this.#records.set(address, record)
      this.#log(
        `${record.scope} load balancer of ${keyOfObject(service)}: ${record.ips.join(' and ')} (${address})`,
      )
    }
  }

  #newRecord(address: string, { metadata }: Cached<CoreService>): LoadBalancerRecord {
    if (isIP(address)) {
      const scope = scopeOfIp(address)
      return { scope, ips: [address, ipv6Beside(address, scope)], isClassic: false }
    }
    const scope = cloudPlatforms[this.platform].isInternal(metadata.annotations ?? {})
      ? 'Internal'
      : 'External'
    const isClassic = this.platform === 'AWS' && !isNetworkLoadBalancer(address)
    return { scope, ips: freeIps(scope, this.#ipsInUse()), isClassic }
  }

  #ipsInUse(): ReadonlySet<string> {
    return new Set([...this.#records.values(), ...this.#own.values()].flatMap(({ ips }) => ips))
  }

  /** Ends its process and its controllers; what Services say stays as it is. */
  async stop(): Promise<void> {
    await this.#running.stop()
    await this.#client.close()
    const problem = await this.#process.stop()
    if (problem !== undefined) throw new Error(`The load balancers ended by themselves: ${problem}`)
  }
}
