import type { DeepReadonly } from '@portcullis/kube'
import type { Node as KubernetesNode } from 'kubernetes-types/core/v1'
import { type Ip, parseIp } from '../ip.ts'
import type { NamedNode } from './node.ts'

/** The names and addresses of a running cluster's nodes. */
export interface KnownNodes {
  readonly controlPlane: readonly Ip[]
  readonly workers: readonly Ip[]
  readonly names: readonly NamedNode[]
}

const controlPlaneLabels = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']

/** The first internal address of each node is that of its API server; DNS has all of them under its name. */
export function knownNodes(nodes: readonly DeepReadonly<KubernetesNode>[]): KnownNodes {
  const known = nodes
    .map(({ metadata, status }) => ({
      name: metadata?.name ?? '',
      isControlPlane: controlPlaneLabels.some((label) => metadata?.labels?.[label] !== undefined),
      ips: (status?.addresses ?? [])
        .filter(({ type }) => type === 'InternalIP')
        .flatMap(({ address }) => parseIp(address) ?? []),
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name))
  const [controlPlane, workers] = [true, false].map((is) =>
    known.filter(({ isControlPlane }) => isControlPlane === is),
  )
  return {
    controlPlane: (controlPlane ?? []).flatMap(({ ips }) => ips.slice(0, 1)),
    workers: (workers ?? []).flatMap(({ ips }) => ips.slice(0, 1)),
    names: known.flatMap(({ name, ips }) => ips.map((ip) => ({ name, ip }))),
  }
}
