import { setMaxListeners } from 'node:events'
import { delimiter, dirname, join } from 'node:path'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, inject } from 'vitest'
import { crds } from '../../src/api/crds.ts'
import type { ClusterAccess } from '../../src/kube/access/access.ts'
import { Client } from '../../src/kube/client.ts'
import { systemClock } from '../../src/kube/clock.ts'
import { Node } from '../../src/kube/kinds.ts'
import { silentLogger } from '../../src/kube/log.ts'
import { createMetrics } from '../../src/kube/metrics.ts'
import { kind } from '../../src/kube/objects.ts'
import { Runtime } from '../../src/kube/runtime.ts'
import { ClusterStores } from '../../src/sandbox/controllers/cluster-stores.ts'
import { registerDeployments } from '../../src/sandbox/controllers/deployment/deployment.ts'
import { registerGarbageCollector } from '../../src/sandbox/controllers/garbage-collector/garbage-collector.ts'
import { registerKubelet } from '../../src/sandbox/controllers/kubelet/kubelet.ts'
import { sandboxNode } from '../../src/sandbox/controllers/kubelet/node-status.ts'
import { registerReplicaSets } from '../../src/sandbox/controllers/replicaset/replicaset.ts'
import { registerScheduler } from '../../src/sandbox/controllers/scheduler/scheduler.ts'
import { kindsByDiscovery } from '../../src/sandbox/controllers/served-kinds.ts'
import { type SandboxApi, startSandboxApi } from '../../src/sandbox/sandbox-api.ts'
import type { ControlPlaneHandle } from '../clusters/control-plane-handle.ts'
import { run } from '../clusters/run.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { adminAccess, eventually } from '../kube/cluster.ts'
import { interpret } from './command-line.ts'

/** A cluster in which our kinds are known and pods run, but without a cloud: each story brings its own. */
export interface Bed {
  readonly name: 'sandbox' | 'real'
  readonly access: ClusterAccess
  /** The admin's. */
  readonly client: Client
  /** Runs a command as the admin would type it. */
  run(line: string): Promise<string>
  close(): Promise<void>
}

/** What everything here is made with. */
export const surroundings = { clock: systemClock, random: Math.random, log: silentLogger }

/**
 * The cluster that a file's stories share: in the project `cluster` the real control plane, elsewhere a sandbox of
 * the file's own. It is there from the file's first story to its last.
 */
export function theBed(): () => Bed {
  let bed: Bed | undefined
  beforeAll(async () => {
    // Provided in the project `cluster` alone, whatever its type says.
    const isReal = (inject('controlPlane') as unknown) !== undefined
    bed = isReal ? await realBed(sharedControlPlane()) : await sandboxBed()
  })
  afterAll(() => bed?.close())
  return () => {
    if (bed === undefined) throw new Error('The bed is there in tests and hooks only.')
    return bed
  }
}

async function realBed(plane: ControlPlaneHandle): Promise<Bed> {
  const access = await adminAccess(plane)
  const client = connect(access, 'admin')
  await install(client)
  const env = {
    PATH: [dirname(plane.binaries.kubectl), process.env['PATH'] ?? ''].join(delimiter),
    KUBECONFIG: plane.kubeconfigPath,
    KUBECACHEDIR: join(dirname(plane.kubeconfigPath), 'kubectl-cache'),
    KUBERC: 'off',
  }
  return {
    name: 'real',
    access,
    client,
    async run(line) {
      const { stdout, stderr, code } = await run('sh', ['-c', line], { env })
      if (code !== 0) throw new Error(`${line}\n${stderr}`)
      return stdout
    },
    close: () => client.close(),
  }
}

async function sandboxBed(): Promise<Bed> {
  const api = await startSandboxApi(surroundings)
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
  const runtime = new Runtime({ ...surroundings, client, metrics, name: 'sandbox', instance: 'sandbox-0' })
  const parts = { ...surroundings, runtime, stores: new ClusterStores(runtime) }
  registerScheduler(parts)
  registerKubelet(parts)
  registerReplicaSets(parts)
  registerDeployments(parts)
  registerGarbageCollector({ ...parts, client, metrics, findKinds })
  const running = start(runtime)
  return {
    async stop() {
      await running.stop()
      await client.close()
      await agent.close()
    },
  }
}

export interface Running {
  stop(): Promise<void>
}

/** Lets a runtime run until it is told to stop. */
export function start(runtime: Runtime): Running {
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  const run = runtime.run(stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await run
    },
  }
}

export function connect(access: ClusterAccess, name: string): Client {
  return Client.connect({ ...surroundings, access, metrics: createMetrics(), userAgent: `${name}/1` })
}

const CustomResourceDefinition = kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition')

/** Our kinds, as they are now, whoever installed them before. */
async function install(client: Client): Promise<void> {
  for (const crd of crds) {
    const options = { fieldManager: 'portcullis' }
    const ref = { name: crd.metadata.name }
    await client.patch(CustomResourceDefinition, ref, { type: 'apply', body: crd, force: true }, options)
    const { group, names, versions } = crd.spec
    const served = kind(`${group}/${versions[0]?.name}`, names.kind)
    await eventually(() => client.list(served))
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
