import type { Role } from './node.ts'
import { type NodeFile, unitDirectory } from './render.ts'

/** The files as a MachineConfig, which the machine-config operator brings to every node of the role. */
export function machineConfig(role: Role, files: readonly NodeFile[]) {
  if (role === 'bootstrap')
    throw new Error(
      'There is no MachineConfig for bootstrap, which is gone before anybody reads one; write its files with --out.',
    )
  const units = files.filter(({ path }) => path.startsWith(unitDirectory))
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: {
      name: `99-${role}-portcullis-on-premises`,
      labels: { 'machineconfiguration.openshift.io/role': role },
    },
    spec: {
      config: {
        ignition: { version: '3.2.0' },
        storage: {
          files: files
            .filter((file) => !units.includes(file))
            .map(({ path, content }) => ({
              path: `/${path}`,
              mode: 0o644,
              overwrite: true,
              contents: {
                source: `data:text/plain;charset=utf-8;base64,${Buffer.from(content).toString('base64')}`,
              },
            })),
        },
        systemd: {
          units: units.map(({ path, content }) => ({
            name: path.slice(unitDirectory.length),
            enabled: true,
            contents: content,
          })),
        },
      },
    },
  }
}
