import { type ControlPlane, startControlPlane } from '../control-plane.ts'
import type { ControlPlaneCoordinates } from '../control-plane-handle.ts'
import { type Log, silent } from '../log.ts'
import { type Account, openAccount } from './account.ts'
import { joinNodes, startCloudControllerManager } from './cloud-controller-manager.ts'
import { type CloudProxy, startCloudProxy } from './cloud-proxy.ts'
import { startEmulator } from './emulator.ts'
import { awsPrograms } from './programs.ts'

/** All that is needed to use a cluster on AWS that runs elsewhere: plain data, which can cross to another process. */
export interface AwsCoordinates {
  readonly controlPlane: ControlPlaneCoordinates
  /** URL of what plays AWS; to be asked, it says what there really is. */
  readonly emulator: string
  /** URL by which calls of the cloud controller manager can be made to fail. */
  readonly control: string
  readonly account: Account
}

/** A control plane with AWS' own cloud controller manager on an AWS that is played by moto. */
export interface AwsCluster {
  readonly plane: ControlPlane
  readonly coordinates: AwsCoordinates
  stop(): Promise<void>
}

export interface AwsClusterOptions {
  readonly log?: Log
  readonly signal?: AbortSignal | undefined
}

/** Starts one of this machine's own. Throws `ToolMissing` where it cannot be built. */
export async function startAwsCluster({ log = silent, signal }: AwsClusterOptions = {}): Promise<AwsCluster> {
  const programs = await awsPrograms(log, signal)
  let proxy: CloudProxy | undefined
  let cloud: Omit<AwsCoordinates, 'controlPlane'> | undefined
  const close = async () => proxy?.close()
  const plane = await startControlPlane({
    nodes: 0,
    log,
    signal,
    async cloud(workspace, plane, signal) {
      log("Starting moto and AWS' cloud controller manager …")
      const api = await startEmulator(workspace, programs.python, signal)
      await close() // It is a second try, with other ports.
      proxy = await startCloudProxy(api.url)
      const account = await openAccount(api)
      cloud = { emulator: api.url, control: proxy.control, account }
      await joinNodes(plane, account, signal)
      const settings = { binary: programs.cloudControllerManager, aws: proxy.url, account }
      await startCloudControllerManager(workspace, plane, settings, signal)
    },
  }).catch(async (error: unknown) => {
    await close()
    throw error
  })
  if (cloud === undefined) throw new Error('The control plane has come up without its cloud.')
  return {
    plane,
    coordinates: { controlPlane: plane.coordinates, ...cloud },
    async stop() {
      await plane.stop()
      await close()
    },
  }
}
