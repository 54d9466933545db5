import {
  Client,
  createMetrics,
  Deployment,
  IngressClass,
  isNotFound,
  type Kind,
  type KubeObject,
  kind,
  Namespace,
  type ObjectRef,
  type Persisted,
  PodDisruptionBudget,
  Service,
  silentLogger,
  systemClock,
} from '@portcullis/kube'
import {
  crds,
  defaultSettings,
  IngressController,
  type IngressControllerObject,
  publishedAddress,
  type Settings,
} from '@portcullis/operator'
import {
  ingressClassName,
  internalServiceName,
  keptSourceRangesAnnotation,
  routerName,
} from '@portcullis/operator/internal/ingress/names.ts'
import { asApplied } from '@portcullis/operator/testing'
import { type Sandbox, startSandbox } from '@portcullis/sandbox'
import type { CloudPlatformName } from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'

const CustomResourceDefinition = kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition')

/** A sandbox in which every run of a story has a controller of its own. */
export class CrashTestSandbox {
  readonly sandbox: Sandbox
  readonly #client: Client
  #count = 0

  private constructor(sandbox: Sandbox, client: Client) {
    this.sandbox = sandbox
    this.#client = client
  }

  static async on(platform: CloudPlatformName): Promise<CrashTestSandbox> {
    const parts = { clock: systemClock, random: Math.random, log: silentLogger }
    const sandbox = await startSandbox({ ...parts, platform, nodes: 2, port: 0, cloudDelayMs: 20 })
    const { access } = sandbox
    const client = Client.connect({
      ...parts,
      access,
      metrics: createMetrics('portcullis'),
      userAgent: 'user/1',
    })
    for (const crd of crds) await client.create(CustomResourceDefinition, crd)
    return new CrashTestSandbox(sandbox, client)
  }

  async controller(): Promise<IsolatedController> {
    const number = ++this.#count
    const settings = {
      ...defaultSettings,
      defaultDomain: `apps-${number}.example.com`,
      operatorNamespace: `operator-${number}`,
      operandNamespace: `routers-${number}`,
    }
    for (const name of [settings.operatorNamespace, settings.operandNamespace])
      await this.#client.create(Namespace, { metadata: { name } })
    // Its class has no namespace, so that the name must differ too.
    return new IsolatedController(this.#client, settings, `edge-${number}`)
  }

  async close(): Promise<void> {
    await this.#client.close()
    await this.sandbox.close()
  }
}

/** What a user sees and does. */
export class IsolatedController {
  readonly settings: Settings
  /** Of its controller. */
  readonly name: string
  readonly #client: Client

  constructor(client: Client, settings: Settings, name: string) {
    this.#client = client
    this.settings = settings
    this.name = name
  }

  async create(spec: IngressControllerObject['spec']): Promise<void> {
    const controller = asApplied({ metadata: this.#controller, ...(spec && { spec }) })
    await eventually(() =>
      this.#client.create(IngressController, controller).then(
        () => true,
        () => false, // A kind is served a moment after its definition has been created.
      ),
    )
  }

  async patchController(body: object): Promise<void> {
    await this.#client.patch(IngressController, this.#controller, { type: 'merge', body })
  }

  async patchService(body: object): Promise<void> {
    await this.#client.patch(Service, this.#router, { type: 'merge', body }, { fieldManager: 'kubectl-edit' })
  }

  async deleteController(): Promise<void> {
    await this.#client.delete(IngressController, this.#controller)
  }

  async deleteService(): Promise<void> {
    await this.#client.delete(Service, this.#router)
  }

  /** Deletes it, and waits until there is another one. */
  async replaceService(): Promise<void> {
    const before = await this.service()
    await this.deleteService()
    await eventually(async () => {
      const uid = (await this.service())?.metadata.uid
      return uid !== undefined && uid !== before?.metadata.uid
    })
  }

  async exists(): Promise<boolean> {
    return (await this.#find(IngressController, this.#controller)) !== undefined
  }

  /** Whether it is noted that the next Service must have these source ranges. */
  async keepsRanges(ranges: string): Promise<boolean> {
    const deployment = await this.#find(Deployment, this.#router)
    return deployment?.metadata.annotations?.[keptSourceRangesAnnotation] === ranges
  }

  service(): Promise<Persisted<NonNullable<(typeof Service)['object']>> | undefined> {
    return this.#find(Service, this.#router)
  }

  async condition(type: string): Promise<string | undefined> {
    const controller = await this.#find(IngressController, this.#controller)
    const found = controller?.status?.conditions?.find((condition) => condition.type === type)
    return found && `${found.status} ${found.reason}`
  }

  /** Whether the status speaks of the spec and of the load balancer as they are now. */
  async isUpToDate(): Promise<boolean> {
    const controller = await this.#find(IngressController, this.#controller)
    if (controller === undefined) return true
    const [address] = (await this.service())?.status?.loadBalancer?.ingress ?? []
    return (
      controller.status?.observedGeneration === controller.metadata.generation &&
      publishedAddress(controller.status) === (address?.hostname ?? address?.ip ?? '')
    )
  }

  /** Everything that belongs to the controller, as far as it does not depend on time or chance. */
  async everything(): Promise<object> {
    const { operandNamespace: namespace } = this.settings
    const internal = { namespace, name: internalServiceName(this.name) }
    return {
      controller: await this.#find(IngressController, this.#controller),
      loadBalancer: await this.service(),
      internalService: await this.#find(Service, internal),
      deployment: await this.#find(Deployment, this.#router),
      budget: await this.#find(PodDisruptionBudget, this.#router),
      ingressClass: await this.#find(IngressClass, { name: ingressClassName(this.name) }),
    }
  }

  get #controller() {
    return { namespace: this.settings.operatorNamespace, name: this.name }
  }

  get #router() {
    return { namespace: this.settings.operandNamespace, name: routerName(this.name) }
  }

  async #find<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef): Promise<Persisted<T> | undefined> {
    try {
      return await this.#client.get(kind, ref)
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }
}

/** Asks until it is so. */
export async function eventually(isSo: () => Promise<boolean>, patienceMs = 30_000): Promise<void> {
  const end = Date.now() + patienceMs
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`Not so within ${patienceMs} ms: ${String(isSo)}`)
    await new Promise<void>((resolve) => systemClock.after(50, resolve))
  }
}
