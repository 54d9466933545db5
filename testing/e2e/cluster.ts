import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Client,
  type ClusterAccess,
  createMetrics,
  isAlreadyExists,
  type Kind,
  type Logger,
  Manager,
  Namespace,
  silentLogger,
} from '@portcullis/kube'
import { assembleOperator, defaultSettings, IngressController, type Settings } from '@portcullis/operator'
import {
  type AddressSettings,
  defaultAddressSettings,
} from '@portcullis/operator/internal/addresses/settings.ts'
import { asApplied } from '@portcullis/operator/testing'
import { registerCloud } from '@portcullis/sandbox/internal/controllers/cloud/cloud.ts'
import { CloudFaults } from '@portcullis/sandbox/internal/controllers/cloud/faults.ts'
import {
  type CloudPlatformName,
  cloudPlatforms,
} from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import { ClusterCaches } from '@portcullis/sandbox/internal/controllers/cluster-caches.ts'
import { eventually } from '../clusters/eventually.ts'
import { Journal } from './journal.ts'
import { accessOfTheOperator } from './operator-account.ts'
import { Router } from './router.ts'
import { connect, type Running, start, systemParts } from './start-manager.ts'
import type { TestCluster } from './test-cluster.ts'

/** Fast, but slow enough to be caught at it. */
const timing = {
  provisioningMs: 150,
  deletionMs: 100,
  slowDeletionMs: 2_000,
  retryBaseMs: 400,
  retryMaxMs: 400,
}

const electionTiming = { leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 400 }

/** What a story happens in: a cluster with a cloud and with Portcullis, in namespaces of its own. */
export class Cluster {
  readonly testCluster: TestCluster
  /** What goes wrong in the cloud. */
  readonly faults = new CloudFaults()
  /** All that the operator asks of the API server. */
  readonly journal = new Journal()
  /** What the operator logged in passing. */
  readonly log: string[] = []
  /** Errors that the operator logged. */
  readonly errors: string[] = []
  readonly #story = randomBytes(3).toString('hex')
  #settings: Settings
  #cloud: Running | undefined
  #operator: Promise<Running> | undefined
  #access: Promise<ClusterAccess> | undefined
  #isPrepared = false
  #addresses: Partial<AddressSettings> = {}
  #isElected = false

  constructor(testCluster: TestCluster) {
    this.testCluster = testCluster
    this.#settings = {
      ...defaultSettings,
      operatorNamespace: `story-${this.#story}-operator`,
      operandNamespace: `story-${this.#story}-ingress`,
      // Nobody follows: no story waits for a minute.
      clientsFollowSeconds: 1,
    }
  }

  get client(): Client {
    return this.testCluster.client
  }

  get settings(): Settings {
    return this.#settings
  }

  /** Where the cluster runs: one of the clouds, or somewhere without. */
  on(platform: string, settings: Partial<Settings> = {}): this {
    return this.with({ platform, ...settings })
  }

  with(settings: Partial<Settings>): this {
    this.#settings = { ...this.#settings, ...settings }
    return this
  }

  /** The address settings, where they are not the defaults. */
  withAddressSettings(addresses: Partial<AddressSettings>): this {
    this.#addresses = { ...this.#addresses, ...addresses }
    return this
  }

  /** The operator stands for election, at a fifth of the usual times. */
  elected(): this {
    this.#isElected = true
    return this
  }

  get lease() {
    return { namespace: this.#settings.operatorNamespace, name: 'portcullis' }
  }

  /** Everything has the names that it has in documented commands. */
  inTheUsualNamespaces(): this {
    const { operatorNamespace, operandNamespace } = defaultSettings
    return this.with({ operatorNamespace, operandNamespace })
  }

  /** Publishes a controller by a load balancer, and waits until the cloud has provided it. */
  async publish(name: string, loadBalancer: object | undefined, spec: object = {}): Promise<Router> {
    const router = await this.create(name, loadBalancer, spec)
    await router.isProvided()
    await router.reports('LoadBalancerProgressing', { status: 'False' })
    return router
  }

  /**
   * Creates a controller, and waits for nothing. It has no routers unless the spec says so: most stories are about
   * load balancers.
   */
  async create(name: string, loadBalancer?: object, spec: object = {}): Promise<Router> {
    await this.startOperator()
    const router = this.router(name)
    const controller = {
      metadata: router.ref,
      spec: {
        domain: `${name}.example`,
        replicas: 0,
        endpointPublishingStrategy: {
          type: 'LoadBalancerService' as const,
          ...(loadBalancer !== undefined && { loadBalancer: loadBalancer as { scope: 'External' } }),
        },
        ...spec,
      },
    }
    await this.client.create(IngressController, asApplied(controller))
    return router
  }

  /** By the name it has in the story; stories that share a cluster do not share names, for classes are everybody's. */
  router(name: string): Router {
    return new Router(this.#isUsual ? name : `${name}-${this.#story}`, this.client, this.#settings)
  }

  /** Runs a documented command or that of a message, as it stands there. */
  run(line: string): Promise<string> {
    return this.testCluster.run(line.replace(/^oc /, 'kubectl '))
  }

  /** The namespaces and the cloud, without the operator. */
  async prepare(): Promise<void> {
    if (this.#isPrepared) return
    this.#isPrepared = true
    const { operatorNamespace, operandNamespace } = this.#settings
    for (const name of [operatorNamespace, operandNamespace]) {
      await this.client.create(Namespace, { metadata: { name } }).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error
      })
    }
    this.startCloud()
  }

  async startOperator(): Promise<void> {
    await this.prepare()
    this.#operator ??= this.#start()
    await this.#operator
  }

  async #start(): Promise<Running> {
    const access = await this.#accessOfTheOperator()
    const client = connect(access, 'portcullis')
    this.journal.attachTo(client)
    const metrics = createMetrics('portcullis')
    const parts = { ...systemParts, log: this.#log(), metrics }
    const electing = connect(access, 'portcullis-election')
    const election = { ...electionTiming, lease: this.lease, client: electing }
    const manager = new Manager({
      ...parts,
      client,
      name: 'portcullis',
      instance: 'portcullis-0',
      ...(this.#isElected && { election }),
    })
    const addresses = {
      ...defaultAddressSettings,
      controllerNamespace: this.#settings.operatorNamespace,
      ...this.#addresses,
    }
    assembleOperator({ ...parts, manager, settings: this.#settings, addresses })
    return closing(start(manager), client, electing)
  }

  #accessOfTheOperator(): Promise<ClusterAccess> {
    this.#access ??= accessOfTheOperator(
      this.testCluster,
      this.#isUsual ? 'portcullis' : `portcullis-${this.#story}`,
      this.#settings,
    )
    return this.#access
  }

  async stopOperator(): Promise<void> {
    const operator = this.#operator
    this.#operator = undefined
    await (await operator)?.stop()
  }

  startCloud(): void {
    const { platform } = this.#settings
    if (this.testCluster.aws === undefined && isCloud(platform)) this.#cloud ??= this.#startCloud(platform)
  }

  /** Stops the controller of load balancers. */
  async stopCloud(): Promise<void> {
    const cloud = this.#cloud
    this.#cloud = undefined
    await cloud?.stop()
  }

  /** Leaves a namespace that others use as it was found; namespaces of its own are left to the end of the test cluster. */
  async close(): Promise<void> {
    if (this.#settings.operatorNamespace === defaultSettings.operatorNamespace)
      await this.#removeControllers()
    await this.stopOperator()
    await this.stopCloud()
  }

  get #isUsual(): boolean {
    return this.#settings.operatorNamespace === defaultSettings.operatorNamespace
  }

  async #removeControllers(): Promise<void> {
    const namespace = this.#settings.operatorNamespace
    const all = async () => (await this.client.list(IngressController, { namespace })).items
    for (const { metadata } of await all()) await this.client.delete(IngressController, metadata)
    await eventually(async () => {
      if ((await all()).length > 0) throw new Error(`There still are IngressControllers in ${namespace}`)
    })
  }

  /** Waits until the operator has asked for nothing for a while. */
  async waitUntilQuiescent(): Promise<void> {
    for (let before = -1; before !== this.journal.length; await pause(500)) before = this.journal.length
  }

  #startCloud(platform: CloudPlatformName): Running {
    const client = connect(this.testCluster.access, 'cloud')
    const metrics = createMetrics('portcullis')
    const manager = new Manager({ ...systemParts, client, metrics, name: 'cloud', instance: 'cloud-0' })
    const { operandNamespace: namespace } = this.#settings
    const watch: Manager['watch'] = (kind, options) =>
      manager.watch(kind, { ...options, ...(isService(kind) && { selection: { namespace } }) })
    const caches = new ClusterCaches({ watch })
    registerCloud({ ...systemParts, manager, caches, platform, timing, faults: this.faults })
    return closing(start(manager), client)
  }

  #log(): Logger {
    const log: Logger = {
      ...silentLogger,
      info: (_fields, message) => void this.log.push(message),
      error: (_fields, message) => void this.errors.push(message),
      child: () => log,
    }
    return log
  }
}

function closing(running: Running, ...clients: Client[]): Running {
  return {
    async stop() {
      await running.stop()
      await Promise.all(clients.map((client) => client.close()))
    },
  }
}

function isCloud(platform: string | undefined): platform is CloudPlatformName {
  return platform !== undefined && Object.hasOwn(cloudPlatforms, platform)
}

/** Other Services are other stories'. */
function isService({ kind }: Kind): boolean {
  return kind === 'Service'
}
