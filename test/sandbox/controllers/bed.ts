import { setMaxListeners } from 'node:events'
import { homedir } from 'node:os'
import { loadClusterAccess } from '../../../src/kube/access/load-access.ts'
import { Client } from '../../../src/kube/client.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { silentLogger } from '../../../src/kube/log.ts'
import { createMetrics, type Metrics } from '../../../src/kube/metrics.ts'
import { Runtime } from '../../../src/kube/runtime.ts'
import { ClusterStores } from '../../../src/sandbox/controllers/cluster-stores.ts'
import { type FindKinds, kindsByDiscovery } from '../../../src/sandbox/controllers/served-kinds.ts'
import type { Surroundings } from '../../../src/sandbox/controllers/surroundings.ts'
import { type ControlPlane, startControlPlane } from '../../clusters/control-plane.ts'

/** A real API server on which nothing runs but the controllers of the sandbox. */
export interface Bed {
  readonly plane: ControlPlane
  readonly client: Client
  /** Errors that any controller logged. */
  readonly errors: string[]
  /** Ends the controllers, and starts others that know nothing of what these did. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** What a test may need to register controllers with. */
export interface BedSurroundings extends Surroundings {
  readonly client: Client
  readonly metrics: Metrics
  readonly findKinds: FindKinds
}

export async function startBed(assemble: (surroundings: BedSurroundings) => void): Promise<Bed> {
  const plane = await startControlPlane({
    parts: 'etcd+apiserver',
    apiServerFlags: ['--disable-admission-plugins=ServiceAccount'],
  })
  const access = await loadClusterAccess({
    kubeconfig: plane.kubeconfigPath,
    environment: { env: {}, homeDirectory: homedir(), isTerminal: false },
    clock: systemClock,
    log: silentLogger,
  })
  const metrics = createMetrics()
  const connect = (name: string) =>
    Client.connect({ access, clock: systemClock, random: Math.random, metrics, userAgent: `${name}/1` })
  const [client, controllers] = [connect('test'), connect('sandbox')]
  const errors: string[] = []
  const log = {
    ...silentLogger,
    error: (_fields: object, message: string) => void errors.push(message),
    child: () => log,
  }
  const findKinds = kindsByDiscovery(async (path) => {
    const { code, stdout, stderr } = await plane.kubectl(['get', '--raw', path])
    if (code !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as unknown
  })
  const start = () => {
    const clock = systemClock
    const random = Math.random
    const name = 'sandbox'
    const runtime = new Runtime({
      client: controllers,
      name,
      instance: 'sandbox-0',
      clock,
      random,
      log,
      metrics,
    })
    const stores = new ClusterStores(runtime)
    assemble({ runtime, stores, clock, random, log, client: controllers, metrics, findKinds })
    const stopping = new AbortController()
    // Every store waits for its first list under this one signal.
    setMaxListeners(0, stopping.signal)
    const running = runtime.run(stopping.signal)
    return async () => {
      stopping.abort()
      await running
    }
  }
  let stop = start()
  return {
    plane,
    client,
    errors,
    async restart() {
      await stop()
      stop = start()
    },
    async stop() {
      await stop()
      await Promise.all([client.close(), controllers.close()])
      await plane.stop()
    },
  }
}
