import type { ControlPlaneHandle } from './control-plane-handle.ts'

export interface WorkerNode {
  readonly name: string
  readonly internalIp: string
  readonly spec?: object
}

const resources = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' }

/** Creates nodes as they are before any kubelet has spoken for them. */
export async function createNodes(
  plane: ControlPlaneHandle,
  nodes: readonly WorkerNode[],
  signal?: AbortSignal,
): Promise<void> {
  if (nodes.length === 0) return
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: nodes.map(nodeManifest) })
  const { code, stderr } = await plane.kubectl(['create', '--validate=false', '-f', '-'], { input, signal })
  if (code !== 0) throw new Error(`The nodes could not be created: ${stderr}`)
}

/** A node that no kubelet has spoken for. */
export function nodeManifest({ name, internalIp, spec = {} }: WorkerNode) {
  return {
    apiVersion: 'v1' as const,
    kind: 'Node' as const,
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node-role.kubernetes.io/worker': '',
      },
    },
    spec,
    status: {
      allocatable: resources,
      capacity: resources,
      addresses: [
        { type: 'InternalIP', address: internalIp },
        { type: 'Hostname', address: name },
      ],
    },
  }
}
