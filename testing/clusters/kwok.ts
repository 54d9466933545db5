import { join } from 'node:path'
import type { ControlPlaneHandle } from './control-plane-handle.ts'
import { createNodes, type WorkerNode } from './nodes.ts'
import type { Workspace } from './workspace.ts'

/** What kwok plays: nodes that become Ready and stay so, pods that run, complete and vanish at once. */
const stages = [
  'node/fast/node-initialize.yaml',
  'node/heartbeat-with-lease/node-heartbeat-with-lease.yaml',
  'pod/fast/pod-ready.yaml',
  'pod/fast/pod-complete.yaml',
  'pod/fast/pod-delete.yaml',
]

/** Starts kwok, the stand-in for every kubelet, and creates its nodes. Resolves when all are Ready. */
export async function startKwok(
  workspace: Workspace,
  plane: ControlPlaneHandle,
  { nodes, nodeLeaseSeconds }: { readonly nodes: number; readonly nodeLeaseSeconds: number },
  signal?: AbortSignal,
): Promise<void> {
  const kwok = workspace.launch('kwok', plane.binaries.kwok, [
    `--kubeconfig=${plane.kubeconfigPath}`,
    '--manage-all-nodes=true',
    `--node-lease-duration-seconds=${nodeLeaseSeconds}`,
    '--cidr=10.244.0.0/16',
    ...stages.map((stage) => `--config=${join(plane.binaries.kwokStages, stage)}`),
  ])
  const workers = Array.from({ length: nodes }, (_, index) => workerNode(index + 1))
  await createNodes(plane, workers, signal)
  const allReady = ['wait', '--for=condition=Ready', 'nodes', '--all', '--timeout=2s']
  await kwok.ready(async () => nodes === 0 || (await plane.kubectl(allReady, { signal })).code === 0, signal)
}

/** 192.168.0.0/16 is neither the pods' range nor the Services'. */
function workerNode(number: number): WorkerNode {
  return { name: `worker-${number}`, internalIp: `192.168.${Math.floor(number / 256)}.${number % 256}` }
}
