import { randomBytes } from 'node:crypto'
import { isNotFound, Node, type Persisted, Pod } from '@portcullis/kube'
import { routerLabel } from '@portcullis/operator/internal/ingress/names.ts'
import { sandboxNode } from '@portcullis/sandbox/internal/controllers/kubelet/node-status.ts'
import type { Node as NodeObject, Pod as PodObject } from 'kubernetes-types/core/v1'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Cluster } from './cluster.ts'
import type { Router } from './router.ts'

const resources = { cpu: '8', memory: '32Gi', pods: '110' }

/** Nodes of a story's own: nobody else's pods come here, and its routers go nowhere else. */
export class StoryNodes {
  readonly cluster: Cluster
  readonly #story = randomBytes(3).toString('hex')
  readonly #names: string[] = []

  constructor(cluster: Cluster) {
    this.cluster = cluster
  }

  get names(): readonly string[] {
    return this.#names
  }

  /** Where routers of this story go. */
  get placement() {
    return {
      nodeSelector: { matchLabels: { story: this.#story } },
      tolerations: [{ key: 'story', operator: 'Equal', value: this.#story, effect: 'NoSchedule' }],
    }
  }

  /** Adds a node, and waits until pods may go there. */
  async add({ labels, taints = [], ...spec }: NodeSketch = {}): Promise<string> {
    const { client } = this.cluster
    const number = this.#names.length + 1
    const name = `node-${this.#story}-${number}`
    this.#names.push(name)
    const node = sandboxNode({ name, number: 500 + number, labels: { story: this.#story, ...labels } })
    const ours = { key: 'story', value: this.#story, effect: 'NoSchedule' }
    await client.create(Node, {
      ...node,
      spec: { ...spec, taints: [ours, ...taints] },
      status: { ...node.status, allocatable: resources, capacity: resources },
    })
    const expected = 1 + taints.length + (spec.unschedulable ? 1 : 0)
    await eventually(async () => {
      const { status, spec: now } = await client.get(Node, { name })
      expect(status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True')
      expect(now?.taints?.filter(({ key }) => key !== 'node.kubernetes.io/not-ready')).toHaveLength(expected)
      expect(now?.taints).toHaveLength(expected)
    })
    return name
  }

  /** Publishes a controller on ports of these nodes, and waits for nothing. */
  async publish(name: string, hostNetwork?: object, spec: object = {}): Promise<Router> {
    return this.cluster.create(name, undefined, {
      replicas: 1,
      endpointPublishingStrategy: { type: 'HostNetwork', ...(hostNetwork && { hostNetwork }) },
      nodePlacement: this.placement,
      ...spec,
    })
  }

  /** An unowned pod of the priority of routers, which the scheduler does not evict. */
  async unownedPod(
    name: string,
    node: string,
    hostPort: number,
    spec: object = {},
  ): Promise<Persisted<PodObject>> {
    const { client, settings } = this.cluster
    await this.cluster.prepare()
    const pod = await eventually(() =>
      client.create(Pod, {
        metadata: { namespace: settings.operandNamespace, name },
        spec: {
          nodeSelector: { 'kubernetes.io/hostname': node },
          tolerations: this.placement.tolerations,
          priorityClassName: 'system-node-critical',
          automountServiceAccountToken: false,
          containers: [{ name: 'web', image: 'web', ports: [{ containerPort: hostPort, hostPort }] }],
          ...spec,
        },
      }),
    )
    await eventually(async () => expect((await client.get(Pod, pod.metadata)).spec?.nodeName).toBe(node))
    return pod
  }

  /** The routers of a controller that are not about to end, by node; those without one under ''. */
  async routers(router: Router): Promise<readonly Persisted<PodObject>[]> {
    const { client, settings } = this.cluster
    const { items } = await client.list(Pod, { namespace: settings.operandNamespace })
    return items.filter(
      ({ metadata }) =>
        metadata.labels?.[routerLabel] === router.name && metadata.deletionTimestamp === undefined,
    )
  }

  /** Waits until so many routers have a node, and gives the nodes' names. */
  async areOn(router: Router, count: number, withinMs?: number): Promise<string[]> {
    return eventually(async () => {
      const nodes = (await this.routers(router)).flatMap(({ spec }) => spec?.nodeName ?? []).sort()
      expect(nodes).toHaveLength(count)
      return nodes
    }, withinMs)
  }

  async remove(): Promise<void> {
    for (const name of this.#names) {
      await this.cluster.client.delete(Node, { name }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      })
    }
  }
}

export type NodeSketch = NonNullable<NodeObject['spec']> & {
  readonly labels?: Readonly<Record<string, string>>
}

/** A story on nodes of its own, somewhere without a cloud unless it says otherwise. */
export function onNodes(
  count: number,
  run: (nodes: StoryNodes, cluster: Cluster) => Promise<void>,
): (cluster: Cluster) => Promise<void> {
  return async (cluster) => {
    const nodes = new StoryNodes(cluster.on('None'))
    try {
      await Promise.all(Array.from({ length: count }, () => nodes.add()))
      await run(nodes, cluster)
    } finally {
      // Whatever still has to end its pods needs the nodes for that.
      await cluster.close()
      await nodes.remove()
    }
  }
}
