import { delimiter, dirname, join } from 'node:path'
import type { ControlPlaneHandle } from '../clusters/control-plane-handle.ts'
import { run } from '../clusters/run-command.ts'
import { adminAccess } from '../clusters/test-client.ts'
import { install } from './install.ts'
import { connect } from './start-manager.ts'
import type { TestCluster } from './test-cluster.ts'

/** On the control plane that all files share, with the real kubectl. */
export async function realTestCluster(plane: ControlPlaneHandle): Promise<TestCluster> {
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
