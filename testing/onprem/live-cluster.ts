import { writeKubeconfig } from '@portcullis/cli/internal/sandbox/kubeconfig-file.ts'
import { silentLogger, systemClock } from '@portcullis/kube'
import { crds } from '@portcullis/operator'
import { type SandboxApi, startSandboxApi } from '@portcullis/sandbox/internal/sandbox-api.ts'
import { Agent, request } from 'undici'

const routerLabel = 'ingresscontroller.operator.openshift.io/deployment-ingresscontroller'

interface NewObject {
  readonly metadata: object
  readonly status?: object
  readonly [field: string]: unknown
}

/** What an API server says of a cluster that is installed on premises. */
export class LiveCluster {
  readonly #api: SandboxApi
  readonly #agent: Agent

  private constructor(api: SandboxApi) {
    this.#api = api
    this.#agent = new Agent({ connect: { ca: api.ca } })
  }

  static async start(): Promise<LiveCluster> {
    const api = await startSandboxApi({ clock: systemClock, random: Math.random, log: silentLogger })
    return new LiveCluster(api)
  }

  async close(): Promise<void> {
    await this.#agent.close()
    await this.#api.close()
  }

  async kubeconfig(path: string): Promise<string> {
    const { server, ca, adminToken: token } = this.#api
    return (await writeKubeconfig(path, { server, ca, token })).path
  }

  async describe(cluster: {
    readonly api: string
    readonly ingress: string
    readonly controlPlane: readonly string[]
    readonly routers: readonly string[]
    readonly statsPort?: number
  }): Promise<void> {
    for (const crd of crds)
      await this.#make('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { ...crd })
    for (const name of ['openshift-ingress', 'openshift-ingress-operator'])
      await this.#make('/api/v1/namespaces', { metadata: { name } })
    await this.#make('/apis/config.openshift.io/v1/infrastructures', {
      apiVersion: 'config.openshift.io/v1',
      kind: 'Infrastructure',
      metadata: { name: 'cluster' },
      spec: {},
      status: {
        platformStatus: {
          type: 'VSphere',
          vsphere: {
            apiServerInternalIPs: [cluster.api],
            ingressIPs: [cluster.ingress],
            loadBalancer: { type: 'UserManaged' },
          },
        },
      },
    })
    const statsPort = cluster.statsPort === undefined ? {} : { statsPort: cluster.statsPort }
    const endpointPublishingStrategy = { type: 'HostNetwork', hostNetwork: statsPort }
    await this.#make(
      '/apis/operator.openshift.io/v1/namespaces/openshift-ingress-operator/ingresscontrollers',
      {
        apiVersion: 'operator.openshift.io/v1',
        kind: 'IngressController',
        metadata: { name: 'default' },
        spec: { domain: 'apps.edge.example.com', endpointPublishingStrategy },
        status: { domain: 'apps.edge.example.com', endpointPublishingStrategy },
      },
    )
    for (const address of cluster.controlPlane)
      await this.#node(`master-${address}`, address, { 'node-role.kubernetes.io/control-plane': '' })
    for (const address of cluster.routers) {
      await this.#node(`worker-${address}`, address, { 'node-role.kubernetes.io/worker': '' })
      await this.#make('/api/v1/namespaces/openshift-ingress/pods', {
        metadata: { name: `router-${address}`, labels: { [routerLabel]: 'default' } },
        spec: { nodeName: `worker-${address}`, containers: [{ name: 'router', image: 'router' }] },
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      })
    }
  }

  async #node(name: string, address: string, labels: Readonly<Record<string, string>>): Promise<void> {
    await this.#make('/api/v1/nodes', {
      metadata: { name, labels },
      status: { addresses: [{ type: 'InternalIP', address }] },
    })
  }

  /** Creates an object, and then its status. */
  async #make(path: string, object: NewObject): Promise<void> {
    const { name } = object.metadata as { name: string }
    for (let tries = 1; ; tries++) {
      const { statusCode, text } = await this.#send('POST', path, object)
      if (statusCode === 201) break
      // A kind is served a moment after its definition was made.
      if (statusCode !== 404 || tries === 50) throw new Error(`${path} ${statusCode}: ${text}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    if (object.status === undefined) return
    const { statusCode, text } = await this.#send('PATCH', `${path}/${name}/status`, {
      status: object.status,
    })
    if (statusCode !== 200) throw new Error(`${path}/${name}/status ${statusCode}: ${text}`)
  }

  async #send(method: 'POST' | 'PATCH', path: string, body: object) {
    const { statusCode, body: answer } = await request(`${this.#api.server}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: {
        authorization: `Bearer ${this.#api.adminToken}`,
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
      body: JSON.stringify(body),
    })
    return { statusCode, text: await answer.text() }
  }
}
