import { certificateAuthority } from '@portcullis/kube'
import { allOrNone } from './all-or-none.ts'
import { ApiServer, auditLogName } from './api-server.ts'
import { type Binaries, controlPlaneBinaries } from './binaries.ts'
import { ComponentFailed } from './component.ts'
import { type ControlPlaneCoordinates, ControlPlaneHandle } from './control-plane-handle.ts'
import { startControllerManager, startScheduler } from './controllers.ts'
import { startEtcd } from './etcd.ts'
import { freePort } from './free-port.ts'
import { kubeconfig } from './kubeconfig-file.ts'
import { startKwok } from './kwok.ts'
import { type Log, silent } from './log.ts'
import { writeServiceAccountKeys } from './service-account-keys.ts'
import { makeTokens } from './tokens.ts'
import { Workspace } from './workspace.ts'

const attempts = 3

export interface ControlPlaneOptions {
  /**
   * `everything` (the default) also runs Deployments and schedules pods onto nodes that kwok plays;
   * `etcd+apiserver` only stores objects, with half the memory.
   */
  readonly parts?: 'everything' | 'etcd+apiserver'
  /** Worker nodes, if kwok runs; 3 unless given. */
  readonly nodes?: number
  /** For how long a node counts as alive after a heartbeat; 40 seconds unless given. Many nodes make many heartbeats. */
  readonly nodeLeaseSeconds?: number
  /**
   * How long a node may be silent, the API server being away included. kwok never calls a pod ready again that was called
   * unready meanwhile, as a kubelet does.
   */
  readonly nodeGraceSeconds?: number
  readonly apiServerFlags?: readonly string[]
  readonly etcdFlags?: readonly string[]
  /** A host name, beside localhost and 127.0.0.1, for which the API server's certificate is valid. */
  readonly extraName?: string
  /**
   * Starts a cloud's own controllers when all else is up; they end first. The controller manager then leaves to them
   * what is theirs.
   */
  readonly cloud?: (workspace: Workspace, plane: ControlPlane, signal?: AbortSignal) => Promise<void>
  readonly log?: Log
  /** Ends the start, and removes what has been started by then. `stop` ends what has come up. */
  readonly signal?: AbortSignal | undefined
}

/** Starts a real control plane of this machine's own: everything listens on loopback only. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { log = silent, signal } = options
  const binaries = await controlPlaneBinaries(log, { signal })
  for (let attempt = 1; ; attempt++) {
    const workspace = await Workspace.create(log)
    try {
      return await start(workspace, binaries, options)
    } catch (error) {
      await workspace.remove()
      if (!(error instanceof ComponentFailed && error.lostItsPort) || attempt === attempts) throw error
      log('A port was taken by another program at the last moment; trying again with others.')
    }
  }
}

/** A control plane that this process runs, and ends with `stop`. It ends with the process in any case. */
export class ControlPlane extends ControlPlaneHandle {
  readonly #workspace: Workspace
  readonly #apiServer: ApiServer
  #stopped: Promise<void> | undefined

  constructor(coordinates: ControlPlaneCoordinates, workspace: Workspace, apiServer: ApiServer) {
    super(coordinates)
    this.#workspace = workspace
    this.#apiServer = apiServer
  }

  /** `graceful` lets requests under way finish and ends watches; `kill` cuts everything off. */
  stopApiServer(how: 'graceful' | 'kill' = 'graceful'): Promise<void> {
    return this.#apiServer.stop(how === 'kill' ? 'SIGKILL' : 'SIGTERM')
  }

  /** At the same address, with the same data. Resolves when it is ready. */
  startApiServer(): Promise<void> {
    return this.#apiServer.start()
  }

  async restartApiServer(how: 'graceful' | 'kill' = 'graceful'): Promise<void> {
    await this.stopApiServer(how)
    await this.startApiServer()
  }

  /** Ends every process, and removes the directory. */
  stop(): Promise<void> {
    this.#stopped ??= this.#workspace.remove()
    return this.#stopped
  }
}

async function start(
  workspace: Workspace,
  binaries: Binaries,
  options: ControlPlaneOptions,
): Promise<ControlPlane> {
  const {
    parts = 'everything',
    nodes = 3,
    nodeLeaseSeconds = 40,
    nodeGraceSeconds,
    apiServerFlags = [],
    etcdFlags = [],
    extraName,
    cloud,
    log = silent,
    signal,
  } = options
  const authority = await certificateAuthority('portcullis-test-authority')
  const tokens = makeTokens()
  const serviceAccountKeys = await writeServiceAccountKeys(workspace)

  log('Starting etcd and kube-apiserver …')
  const etcd = await startEtcd(workspace, binaries.etcd, { flags: etcdFlags, signal })
  const apiServer = await ApiServer.prepare(workspace, {
    binary: binaries.kubeApiserver,
    port: await freePort(),
    etcd,
    authority,
    tokens,
    serviceAccountKeys,
    extraName,
    extraFlags: apiServerFlags,
  })
  await apiServer.start(signal)

  const access = { server: apiServer.url, ca: authority.certificate, user: 'admin', token: tokens.admin }
  const kubeconfigPath = await workspace.write('kubeconfig', kubeconfig(access))
  const auditLog = workspace.path(auditLogName)
  const coordinates = { server: apiServer.url, authority, tokens, kubeconfigPath, etcd, auditLog, binaries }
  const plane = new ControlPlane(coordinates, workspace, apiServer)
  if (parts === 'everything') {
    log(`Starting kube-controller-manager, kube-scheduler, and kwok with ${nodes} nodes …`)
    await allOrNone(signal, [
      (signal) =>
        startControllerManager(
          workspace,
          plane,
          { serviceAccountKeys, hasCloud: cloud !== undefined, nodeGraceSeconds },
          signal,
        ),
      () => startScheduler(workspace, plane),
      (signal) => startKwok(workspace, plane, { nodes, nodeLeaseSeconds }, signal),
    ])
  }
  await cloud?.(workspace, plane, signal)
  return plane
}
