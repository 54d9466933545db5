import { setMaxListeners } from 'node:events'
import {
  Client,
  type ClusterAccess,
  createMetrics,
  Manager,
  type Metrics,
  silentLogger,
  systemClock,
} from '@portcullis/kube'
import { ClusterCaches } from '@portcullis/sandbox/internal/controllers/cluster-caches.ts'
import type { ControllerContext } from '@portcullis/sandbox/internal/controllers/controller-context.ts'
import { type FindKinds, kindsByDiscovery } from '@portcullis/sandbox/internal/controllers/served-kinds.ts'
import { startSandboxApi } from '@portcullis/sandbox/internal/sandbox-api.ts'
import { Agent, request } from 'undici'
import { inject } from 'vitest'
import { type ControlPlane, startControlPlane } from '../../clusters/control-plane.ts'

/** An API server on which nothing runs but the controllers of the sandbox. */
export interface ControllersCluster {
  readonly client: Client
  /** Errors that any controller logged. */
  readonly errors: string[]
  /** Ends the controllers, and starts others that know nothing of what these did. */
  readonly restart: (assemble?: Assemble) => Promise<void>
  readonly stop: () => Promise<void>
}

/** One whose API server is the real one. */
export interface RealControllersCluster extends ControllersCluster {
  readonly plane: ControlPlane
}

/** What a test may need to register controllers with. */
export interface ControllerParts extends ControllerContext {
  readonly client: Client
  readonly metrics: Metrics
  readonly findKinds: FindKinds
}

export type Assemble = (parts: ControllerParts) => void

/** On a real API server in the project `control-plane`, elsewhere on that of a sandbox. */
export function startControllers(assemble: Assemble): Promise<ControllersCluster> {
  // Provided in the project `control-plane` alone, whatever its type says.
  const isCluster = (inject('controlPlane') as unknown) !== undefined
  return isCluster ? startControllersOnRealServer(assemble) : startControllersOnSandbox(assemble)
}

export async function startControllersOnRealServer(assemble: Assemble): Promise<RealControllersCluster> {
  const plane = await startControlPlane({
    parts: 'etcd+apiserver',
    apiServerFlags: ['--disable-admission-plugins=ServiceAccount'],
  })
  const cluster = controllersOn(plane, assemble)
  return {
    ...cluster,
    plane,
    async stop() {
      await cluster.stop()
      await plane.stop()
    },
  }
}

async function startControllersOnSandbox(assemble: Assemble): Promise<ControllersCluster> {
  const api = await startSandboxApi({ clock: systemClock, random: Math.random, log: silentLogger })
  const cluster = controllersOn(api, assemble)
  return {
    ...cluster,
    async stop() {
      await cluster.stop()
      await api.close()
    },
  }
}

interface Served {
  readonly server: string
  readonly ca: string
  readonly adminToken: string
}

function controllersOn(served: Served, assemble: Assemble): ControllersCluster {
  const metrics = createMetrics('portcullis')
  const access = accessTo(served)
  const connect = (name: string) =>
    Client.connect({ access, clock: systemClock, random: Math.random, metrics, userAgent: `${name}/1` })
  const [client, controllers] = [connect('test'), connect('sandbox')]
  const agent = new Agent({ connect: { ca: served.ca } })
  const findKinds = kindsByDiscovery(async (path) => {
    const headers = { authorization: `Bearer ${served.adminToken}`, accept: 'application/json' }
    const { body } = await request(`${served.server}${path}`, { dispatcher: agent, headers })
    return body.json()
  })
  const errors: string[] = []
  const log = {
    ...silentLogger,
    error: (_fields: object, message: string) => void errors.push(message),
    child: () => log,
  }
  const parts = { clock: systemClock, random: Math.random, log, metrics, client: controllers }
  const start = (assembling: Assemble) => {
    const manager = new Manager({ ...parts, name: 'sandbox', instance: 'sandbox-0' })
    assembling({ ...parts, manager, caches: new ClusterCaches(manager), findKinds })
    return running(manager)
  }
  let current = assemble
  let stop = start(current)
  return {
    client,
    errors,
    async restart(other = current) {
      await stop()
      current = other
      stop = start(current)
    },
    async stop() {
      await stop()
      await Promise.all([client.close(), controllers.close(), agent.close()])
    },
  }
}

/** Lets it run until the returned function is called. */
function running(manager: Manager): () => Promise<void> {
  const stopping = new AbortController()
  // Every store waits for its first list under this one signal.
  setMaxListeners(0, stopping.signal)
  const run = manager.run(stopping.signal)
  return async () => {
    stopping.abort()
    await run
  }
}

function accessTo({ server, ca, adminToken }: Served): ClusterAccess {
  const credential = { authorization: `Bearer ${adminToken}` }
  return {
    source: 'the test cluster',
    server: new URL(server),
    namespace: 'default',
    tls: { ca, insecureSkipVerify: false },
    credentials: { current: () => credential, rejected: async () => false },
  }
}
