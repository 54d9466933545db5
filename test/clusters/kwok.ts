import { join } from 'node:path'
import type { ControlPlaneHandle } from './control-plane-handle.ts'
import type { Premises } from './premises.ts'

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
  premises: Premises,
  plane: ControlPlaneHandle,
  nodes: number,
  signal?: AbortSignal,
): Promise<void> {
  const kwok = premises.launch('kwok', plane.binaries.kwok, [
    `--kubeconfig=${plane.kubeconfigPath}`,
    '--manage-all-nodes=true',
    '--node-lease-duration-seconds=40',
    '--cidr=10.244.0.0/16',
    ...stages.map((stage) => `--config=${join(plane.binaries.kwokStages, stage)}`),
  ])
  await createNodes(plane, nodes, signal)
  const allReady = ['wait', '--for=condition=Ready', 'nodes', '--all', '--timeout=2s']
  await kwok.ready(async () => nodes === 0 || (await plane.kubectl(allReady, { signal })).code === 0, signal)
}

async function createNodes(plane: ControlPlaneHandle, count: number, signal?: AbortSignal): Promise<void> {
  if (count === 0) return
  const items = Array.from({ length: count }, (_, index) => workerNode(index + 1))
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  const { code, stderr } = await plane.kubectl(['create', '--validate=false', '-f', '-'], { input, signal })
  if (code !== 0) throw new Error(`The nodes could not be created: ${stderr}`)
}

/** A node as it is before any kubelet has spoken for it. */
function workerNode(number: number): object {
  const name = `worker-${number}`
  const resources = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node-role.kubernetes.io/worker': '',
      },
    },
    status: {
      allocatable: resources,
      capacity: resources,
      addresses: [
        { type: 'InternalIP', address: internalIp(number) },
        { type: 'Hostname', address: name },
      ],
    },
  }
}

/** 192.168.0.0/16 is neither the pods' range nor the Services'. */
function internalIp(number: number): string {
  return `192.168.${Math.floor(number / 256)}.${number % 256}`
}
