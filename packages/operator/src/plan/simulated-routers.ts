import { type Cached, Deployment, Node, Pod } from '@portcullis/kube'
import type { Deployment as DeploymentObject } from 'kubernetes-types/apps/v1'
import type { Node as NodeObject, Pod as PodObject } from 'kubernetes-types/core/v1'
import { ownerOf, templateHashLabel } from '../ingress/names.ts'
import { eligibleNodes } from '../ingress/placement/eligible-nodes.ts'
import { hasEnded, hostPortsIn, routersOf } from '../ingress/placement/port-holders.ts'
import type { SimulatedCluster } from './simulated-cluster.ts'

/**
 * Lets the routers of Deployments follow their templates: those of an older one go, new ones come to nodes where their
 * ports are free. Deployments whose routers are as they should be are left alone, whatever state those are in.
 *
 * @returns the controllers whose routers might be on other nodes as well
 */
export function rollOutRouters(
  cluster: SimulatedCluster,
  deployments: ReadonlySet<string>,
): ReadonlySet<string> {
  const changed = cluster.all(Deployment).filter(({ metadata }) => deployments.has(metadata.uid))
  const withChoice = [retire, place].flatMap((follow) =>
    changed.filter((deployment) => follow(cluster, deployment)),
  )
  return new Set(withChoice.flatMap((deployment) => ownerOf(deployment) ?? []))
}

/** @returns whether it might have been others that stay */
function retire(cluster: SimulatedCluster, deployment: Cached<DeploymentObject>): boolean {
  const { replicas = 1 } = deployment.spec ?? {}
  const ours = routers(cluster, deployment)
  const newest = ours.filter((pod) => hashIn(pod.metadata) === newestHash(deployment))
  const staying = newest.slice(0, replicas)
  for (const pod of ours) if (!staying.includes(pod)) cluster.remove(Pod, pod)
  return staying.length > 0 && staying.length < newest.length
}

/** @returns whether there was a choice of nodes */
function place(cluster: SimulatedCluster, deployment: Cached<DeploymentObject>): boolean {
  const { replicas = 1, template } = deployment.spec ?? {}
  const missing = Math.max(0, replicas - routers(cluster, deployment).length)
  const { nodeSelector = {}, tolerations = [] } = template?.spec ?? {}
  const mayRun = eligibleNodes(cluster.all(Node), { nodeSelector, tolerations })
  const free = mayRun.filter((node) => hasRoom(cluster, node, deployment))
  for (let number = 0; number < missing; number++) {
    const name = freeName(cluster, deployment)
    cluster.create(Pod, router(deployment, name, free[number], mayRun.length), 'kube-controller-manager')
  }
  const placed = routers(cluster, deployment).filter(({ spec }) => spec?.nodeName).length
  cluster.patch(
    Deployment,
    deployment,
    { status: statusOf(deployment, replicas, placed) },
    'kube-controller-manager',
  )
  return missing > 0 && free.length > missing
}

/** As a pod might be called; the real ones have letters. */
function freeName(
  cluster: SimulatedCluster,
  { metadata: { namespace = '', name } }: Cached<DeploymentObject>,
): string {
  for (let number = 1; ; number++) {
    if (cluster.get(Pod, { namespace, name: `${name}-${number}` }) === undefined) return `${name}-${number}`
  }
}

function routers(cluster: SimulatedCluster, deployment: Cached<DeploymentObject>): Cached<PodObject>[] {
  const { namespace } = deployment.metadata
  return cluster
    .all(Pod)
    .filter((pod) => routersOf(pod) === ownerOf(deployment) && pod.metadata.namespace === namespace)
}

/** One router of a controller on a node, and no other pod on its ports. */
function hasRoom(
  cluster: SimulatedCluster,
  { metadata }: Cached<NodeObject>,
  deployment: Cached<DeploymentObject>,
): boolean {
  const onNode = (pod: Cached<PodObject>) => pod.spec?.nodeName === metadata.name
  if (routers(cluster, deployment).some(onNode)) return false
  const wanted = new Set(hostPortsIn({ spec: deployment.spec?.template.spec } as Cached<PodObject>))
  return !cluster
    .all(Pod)
    .some((pod) => onNode(pod) && !hasEnded(pod) && hostPortsIn(pod).some((port) => wanted.has(port)))
}

function router(
  { metadata, spec }: Cached<DeploymentObject>,
  name: string,
  node: Cached<NodeObject> | undefined,
  nodes: number,
): PodObject & { metadata: { name: string } } {
  const { template } = spec ?? {}
  const message = `0/${nodes} nodes that may be used have room.`
  return {
    metadata: {
      ...(metadata.namespace && { namespace: metadata.namespace }),
      name,
      labels: { ...template?.metadata?.labels },
    },
    spec: {
      ...(template?.spec as PodObject['spec']),
      ...(node && { nodeName: node.metadata.name }),
    } as NonNullable<PodObject['spec']>,
    status: {
      phase: node === undefined ? 'Pending' : 'Running',
      conditions:
        node === undefined
          ? [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }]
          : [
              { type: 'PodScheduled', status: 'True' },
              { type: 'Ready', status: 'True' },
            ],
    },
  }
}

function statusOf({ metadata }: Cached<DeploymentObject>, replicas: number, placed: number) {
  return {
    observedGeneration: metadata.generation,
    replicas,
    updatedReplicas: replicas,
    availableReplicas: placed,
    conditions: [
      { type: 'Available', status: placed > 0 ? 'True' : 'False' },
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
    ],
  }
}

function newestHash({ spec }: Cached<DeploymentObject>): string | undefined {
  return hashIn(spec?.template.metadata ?? {})
}

function hashIn({ labels }: { readonly labels?: Readonly<Record<string, string>> }): string | undefined {
  return labels?.[templateHashLabel]
}
