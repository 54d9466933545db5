import { type ClusterAccess, createMetrics, Manager, Node } from '@portcullis/kube'
import { ClusterCaches } from '@portcullis/sandbox/internal/controllers/cluster-caches.ts'
import { registerDeployments } from '@portcullis/sandbox/internal/controllers/deployment/deployment.ts'
import { registerGarbageCollector } from '@portcullis/sandbox/internal/controllers/garbage-collector/garbage-collector.ts'
import { registerKubelet } from '@portcullis/sandbox/internal/controllers/kubelet/kubelet.ts'
import { sandboxNode } from '@portcullis/sandbox/internal/controllers/kubelet/node-status.ts'
import { registerReplicaSets } from '@portcullis/sandbox/internal/controllers/replicaset/replicaset.ts'
import { registerScheduler } from '@portcullis/sandbox/internal/controllers/scheduler/scheduler.ts'
import { kindsByDiscovery } from '@portcullis/sandbox/internal/controllers/served-kinds.ts'
import { type SandboxApi, startSandboxApi } from '@portcullis/sandbox/internal/sandbox-api.ts'
import { Agent, request } from 'undici'
import { install } from './install.ts'
import { interpret } from './kubectl-interpreter.ts'
import { connect, type Running, start, systemParts } from './start-manager.ts'
import type { TestCluster } from './test-cluster.ts'

/** In this process, with as much of kubectl as is needed. */
export async function sandboxTestCluster(): Promise<TestCluster> {
  const api = await startSandboxApi(systemParts)
  const access = accessTo(api)
  const client = connect(access, 'admin')
  const workloads = await startWorkloads(api, access)
  await install(client)
  return {
    name: 'sandbox',
    access,
    client,
    run: (line) => interpret(line, client),
    async close() {
      await workloads.stop()
      await client.close()
      await api.close()
    },
  }
}

/** Whatever makes pods of Deployments and lets them run. */
async function startWorkloads(api: SandboxApi, access: ClusterAccess): Promise<Running> {
  const metrics = createMetrics('sandbox')
  const client = connect(access, 'sandbox')
  const agent = new Agent({ connect: { ca: api.ca } })
  const findKinds = kindsByDiscovery(async (path) => {
    const headers = { authorization: `Bearer ${api.adminToken}`, accept: 'application/json' }
    return (await request(`${api.server}${path}`, { dispatcher: agent, headers })).body.json()
  })
  for (const number of [1, 2, 3]) {
    await client.create(Node, sandboxNode({ name: `worker-${number}`, number }))
  }
  const manager = new Manager({ ...systemParts, client, metrics, name: 'sandbox', instance: 'sandbox-0' })
  const parts = { ...systemParts, manager, caches: new ClusterCaches(manager) }
  registerScheduler(parts)
  registerKubelet(parts)
  registerReplicaSets(parts)
  registerDeployments(parts)
  registerGarbageCollector({ ...parts, client, metrics, findKinds })
  const running = start(manager)
  return {
    async stop() {
      await running.stop()
      await client.close()
      await agent.close()
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
