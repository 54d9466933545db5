import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeKubeconfig } from '@portcullis/cli/internal/sandbox/kubeconfig-file.ts'
import { silentLogger, systemClock } from '@portcullis/kube'
import { startSandbox } from '@portcullis/sandbox'
import { sharedControlPlane } from '../../clusters/shared-control-plane.ts'
import { Terminal } from './terminal.ts'

/** A cluster to work on with kubectl. */
export interface KubectlCluster {
  /** Opens a shell with kubectl, in a new namespace. */
  open(namespace: string): Promise<Terminal>
  close(): Promise<void>
}

export const clusters = [
  { name: 'sandbox', title: 'the sandbox', start: sandboxCluster },
  { name: 'real', title: 'a real control plane', start: realCluster },
] as const

async function sandboxCluster(): Promise<KubectlCluster> {
  const directory = await workingDirectory()
  const log = { ...silentLogger, error: (fields: object, message: string) => console.error(message, fields) }
  const sandbox = await startSandbox({
    platform: 'AWS',
    nodes: 3,
    port: 0,
    cloudDelayMs: 500,
    clock: systemClock,
    random: Math.random,
    log,
  })
  const { server, ca, adminToken: token } = sandbox
  const { path: kubeconfig } = await writeKubeconfig(join(directory, 'kubeconfig'), { server, ca, token })
  const { kubectl } = sharedControlPlane().binaries
  return {
    open: (namespace) => Terminal.open({ kubectl, kubeconfig, directory, namespace }),
    close: async () => {
      await sandbox.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function realCluster(): Promise<KubectlCluster> {
  const directory = await workingDirectory()
  const { binaries, kubeconfigPath: kubeconfig } = sharedControlPlane()
  const { kubectl } = binaries
  return {
    open: (namespace) => Terminal.open({ kubectl, kubeconfig, directory, namespace }),
    close: () => rm(directory, { recursive: true, force: true }),
  }
}

function workingDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'portcullis-kubectl-'))
}
