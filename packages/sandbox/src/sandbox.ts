import { randomUUID } from 'node:crypto'
import {
  Client,
  type Clock,
  type ClusterAccess,
  createMetrics,
  type Logger,
  Manager,
  Node,
  type Random,
} from '@portcullis/kube'
import { Agent, request } from 'undici'
import { registerSandboxControllers } from './controllers/all.ts'
import { CloudFaults } from './controllers/cloud/faults.ts'
import { ClusterCaches } from './controllers/cluster-caches.ts'
import { sandboxNode } from './controllers/kubelet/node-status.ts'
import { PodLogs } from './controllers/kubelet/pod-logs.ts'
import { kindsByDiscovery } from './controllers/served-kinds.ts'
import { providerIds, type SandboxPlatform } from './provider-ids.ts'
import { type SandboxApi, startSandboxApi } from './sandbox-api.ts'

export interface SandboxOptions {
  readonly platform: SandboxPlatform
  readonly nodes: number
  /** 0 lets the system choose. */
  readonly port: number
  /** How long the cloud takes to provide a load balancer. */
  readonly cloudDelayMs: number
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** A whole cluster in this process. */
export interface Sandbox extends Pick<SandboxApi, 'server' | 'ca' | 'adminToken' | 'compact'> {
  /** How to reach it, for clients in this process. */
  readonly access: ClusterAccess
  /** Injected faults of the cloud; none by default. */
  readonly faults: CloudFaults
  close(): Promise<void>
}

/** Starts the API server, creates the nodes, and runs all controllers. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { platform, nodes, port, cloudDelayMs, clock, random, log } = options
  const logs = new PodLogs()
  const api = await startSandboxApi({ clock, random, log, port, logs })
  const access = accessTo(api)
  const metrics = createMetrics('sandbox')
  const client = Client.connect({ access, clock, random, metrics, userAgent: 'sandbox/1', name: 'sandbox' })
  const discovery = new Agent({ connect: { ca: api.ca } })
  const read = async (path: string) => {
    const { body } = await request(`${api.server}${path}`, {
      dispatcher: discovery,
      headers: { authorization: `Bearer ${api.adminToken}`, accept: 'application/json' },
    })
    return body.json()
  }
  const faults = new CloudFaults()
  const manager = new Manager({
    client,
    name: 'sandbox',
    instance: `sandbox-${randomUUID()}`,
    clock,
    random,
    log,
    metrics,
  })
  registerSandboxControllers({
    manager,
    caches: new ClusterCaches(manager),
    clock,
    random,
    log,
    metrics,
    client,
    findKinds: kindsByDiscovery(read),
    ...(platform !== 'BareMetal' && {
      cloud: { platform, timing: { provisioningMs: cloudDelayMs }, faults },
    }),
    kubelet: { logs },
    ca: api.ca,
  })
  for (let number = 1; number <= nodes; number++) {
    const providerID = providerIds[platform](number)
    await client.create(Node, sandboxNode({ name: `worker-${number}`, number, providerID }))
  }
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  return {
    server: api.server,
    ca: api.ca,
    adminToken: api.adminToken,
    compact: () => api.compact(),
    access,
    faults,
    close: async () => {
      stop.abort(new Error('the sandbox is closing'))
      await running
      await client.close()
      await discovery.close()
      await api.close()
    },
  }
}

function accessTo({ server, ca, adminToken }: SandboxApi): ClusterAccess {
  const credential = { authorization: `Bearer ${adminToken}` }
  return {
    source: 'the sandbox',
    server: new URL(server),
    namespace: 'default',
    tls: { ca, insecureSkipVerify: false },
    credentials: { current: () => credential, rejected: async () => false },
  }
}
