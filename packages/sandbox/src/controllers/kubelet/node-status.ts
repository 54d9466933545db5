import type { Cached, DeepReadonly } from '@portcullis/kube'
import { timestamp } from '@portcullis/kube'
import type { Node, NodeCondition } from 'kubernetes-types/core/v1'

export interface SandboxNodeOptions {
  readonly name: string
  /** Its place among the nodes, from 1: decides its address and its zone. */
  readonly number: number
  /** `aws:///us-east-1a/i-…`: shows a cluster's platform. */
  readonly providerID?: string
  readonly zone?: string
  readonly labels?: Readonly<Record<string, string>>
}

const resources = { cpu: '8', 'ephemeral-storage': '100Gi', memory: '32Gi', pods: '110' }

/** A worker node, as a kubelet registers it. */
export function sandboxNode({ name, number, providerID, zone, labels }: SandboxNodeOptions): Node {
  return {
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'node-role.kubernetes.io/worker': '',
        ...(zone !== undefined && {
          'topology.kubernetes.io/region': zone.replace(/-?[a-z]$/, ''),
          'topology.kubernetes.io/zone': zone,
        }),
        ...labels,
      },
    },
    ...(providerID !== undefined && { spec: { providerID } }),
    status: {
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

/** A node that shall not be well: `kubectl annotate node worker-1 sandbox.portcullis.dev/not-ready=true`. */
const notReadyAnnotation = 'sandbox.portcullis.dev/not-ready'

export function isNodeWell({ metadata }: Cached<Node>): boolean {
  return metadata.annotations?.[notReadyAnnotation] !== 'true'
}

const pressures = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const
const ready = ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'] as const
const notReady = ['Ready', 'False', 'KubeletNotReady', 'container runtime is down'] as const

/** What a kubelet says of its node, if it is time to say it. */
export function nodeStatus(node: Cached<Node>, now: Date, heartbeatMs: number): object | undefined {
  const before = new Map((node.status?.conditions ?? []).map((condition) => [condition.type, condition]))
  const wanted = [...pressures, isNodeWell(node) ? ready : notReady]
  const isFresh = wanted.every(([type, status]) => {
    const condition = before.get(type)
    return (
      condition?.status === status &&
      now.getTime() - Date.parse(condition.lastHeartbeatTime ?? '') < heartbeatMs
    )
  })
  if (isFresh && node.status?.allocatable !== undefined) return undefined
  const conditions = wanted.map(([type, status, reason, message]): NodeCondition => {
    const known: DeepReadonly<NodeCondition> | undefined = before.get(type)
    const since = known?.status === status ? known.lastTransitionTime : undefined
    return {
      type,
      status,
      lastHeartbeatTime: timestamp(now),
      lastTransitionTime: since ?? timestamp(now),
      reason,
      message,
    }
  })
  return {
    capacity: node.status?.capacity ?? resources,
    allocatable: node.status?.allocatable ?? resources,
    conditions,
    nodeInfo: {
      machineID: node.metadata.uid.replaceAll('-', ''),
      systemUUID: node.metadata.uid,
      bootID: node.metadata.uid,
      kernelVersion: '6.1.0-sandbox',
      osImage: 'Portcullis sandbox',
      containerRuntimeVersion: 'containerd://2.1.0',
      kubeletVersion: 'v1.36.3',
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
  }
}
