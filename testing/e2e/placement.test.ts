import { type Cached, Node, Pod } from '@portcullis/kube'
import { aNode } from '@portcullis/operator/testing'
import { decideNode } from '@portcullis/sandbox/internal/controllers/scheduler/decide.ts'
import { assert, property, sample } from 'fast-check'
import type { Pod as PodObject } from 'kubernetes-types/core/v1'
import { expect, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Cluster } from './cluster.ts'
import { aScenario, type ControllerDraft, type PodDraft, predict, type Scenario } from './random-placement.ts'
import { stories } from './story.ts'
import { StoryNodes } from './story-nodes.ts'

const { alone } = stories()

/** How many scenarios if there is time, how many of them side by side, and until when another is begun. */
const scenarios = { real: 32, sandbox: 4 } as const
const workers = 6
const enoughMs = 20_000

const portsOf = ({ port, protocol, hostIP }: PodDraft) => [
  { containerPort: port, hostPort: port, protocol, ...(hostIP && { hostIP }) },
]

alone(
  'The operator predicts which routers find no node, and why, as the scheduler decides',
  async (cluster) => {
    await cluster.on('None').startOperator()
    const seed = Number(process.env['SEED'] ?? 659_674) // Give another to try others.
    const drawn = sample(aScenario, { seed, numRuns: scenarios[cluster.testCluster.name] })
    const left = [...drawn.entries()]
    const end = performance.now() + enoughMs
    const runWorker = async () => {
      for (
        let next = left.shift();
        next !== undefined;
        next = performance.now() < end ? left.shift() : undefined
      ) {
        const [number, scenario] = next
        await play(cluster, scenario, number).catch((error: unknown) => {
          throw new Error(`SEED=${seed}, scenario ${number}: ${JSON.stringify(scenario)}`, { cause: error })
        })
      }
    }
    const outcomes = await Promise.allSettled(Array.from({ length: workers }, runWorker))
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    expect(drawn.length - left.length).toBeGreaterThanOrEqual(Math.min(workers, drawn.length))
  },
)

async function play(cluster: Cluster, scenario: Scenario, number: number): Promise<void> {
  const nodes = new StoryNodes(cluster)
  try {
    await Promise.all(scenario.nodes.map((node) => nodes.add(node)))
    await Promise.all(scenario.pods.map((pod, at) => putPod(nodes, pod, `web-${number}-${at}`)))
    for (const [at, controller] of scenario.controllers.entries())
      await comes(nodes, controller, `c${number}x${at}`)
  } finally {
    await nodes.remove()
  }
}

/** An unowned pod that is bound to a node, past the scheduler. */
async function putPod(nodes: StoryNodes, pod: PodDraft, name: string): Promise<void> {
  const { client, settings } = nodes.cluster
  await eventually(() =>
    client.create(Pod, {
      metadata: { namespace: settings.operandNamespace, name },
      spec: {
        nodeName: nodes.names[pod.node % nodes.names.length] ?? '',
        priorityClassName: 'system-node-critical',
        automountServiceAccountToken: false,
        tolerations: [{ operator: 'Exists' }],
        containers: [{ name: 'web', image: 'web', ports: portsOf(pod) }],
      },
    }),
  )
}

/** One controller more: what was predicted happens, and is said. */
async function comes(nodes: StoryNodes, draft: ControllerDraft, name: string): Promise<void> {
  const { client } = nodes.cluster
  const { nodeSelector, tolerations } = nodes.placement
  const controller = {
    ...draft,
    labels: { ...nodeSelector.matchLabels, ...draft.labels },
    tolerations: [...tolerations, ...draft.tolerations],
  }
  const seen = (await client.list(Node)).items
  const expected = predict(controller, seen, (await client.list(Pod)).items)
  const router = await nodes.publish(name, draft.hostNetwork, {
    replicas: draft.replicas,
    nodePlacement: { nodeSelector: { matchLabels: controller.labels }, tolerations: controller.tolerations },
  })
  await eventually(async () => {
    const pods = await nodes.routers(router)
    expect(pods).toHaveLength(draft.replicas)
    expect(pods.filter(({ status, spec }) => spec?.nodeName || isUnschedulable(status))).toHaveLength(
      draft.replicas,
    )
    expect(pods.filter(({ spec }) => spec?.nodeName)).toHaveLength(expected.placed)
  })
  const status = expected.cause === 'AllScheduled' ? 'True' : 'False'
  await router.reports('PodsScheduled', { status, reason: expected.cause })
}

function isUnschedulable(status: PodObject['status']): boolean {
  return status?.conditions?.find(({ type }) => type === 'PodScheduled')?.status === 'False'
}

test('The operator predicts what the scheduler of the sandbox decides in many more scenarios', () => {
  const holds = property(aScenario, ({ nodes, pods, controllers }) => {
    const allNodes = nodes.map(({ labels, ...spec }, at) => ({
      ...aNode(`node-${at}`, { ...spec, labels }),
      status: { allocatable: { cpu: '8', memory: '32Gi', pods: '110' } },
    }))
    const there: Cached<PodObject>[] = pods.map((pod, at) =>
      aPod(`web-${at}`, portsOf(pod), `node-${pod.node % nodes.length}`),
    )
    for (const [at, controller] of controllers.entries()) {
      const expected = predict(controller, allNodes, there)
      let placed = 0
      for (let replica = 0; replica < controller.replicas; replica++) {
        const { httpPort, httpsPort, statsPort } = controller.hostNetwork
        const ports = [httpPort, httpsPort, statsPort].map((port) => ({
          containerPort: port,
          hostPort: port,
        }))
        const pod = aPod(`router-${at}-${replica}`, ports, undefined, controller)
        const podsByNode = new Map(
          allNodes.map(({ metadata: { name } }) => [
            name,
            there.filter(({ spec }) => spec?.nodeName === name),
          ]),
        )
        const { node } = decideNode({ pod, nodes: allNodes, podsByNode, namespaceLabels: () => ({}) })
        if (node === undefined) continue
        placed++
        there.push(aPod(`router-${at}-${replica}`, ports, node, controller))
      }
      expect(placed).toBe(expected.placed)
    }
  })
  assert(holds, { numRuns: 500 })
})

function aPod(
  name: string,
  ports: NonNullable<NonNullable<PodObject['spec']>['containers'][0]['ports']>,
  nodeName?: string,
  { labels, tolerations }: Pick<ControllerDraft, 'labels' | 'tolerations'> = { labels: {}, tolerations: [] },
): Cached<PodObject> {
  return {
    metadata: { namespace: 'default', name, uid: name, resourceVersion: '1' },
    spec: {
      nodeSelector: labels,
      tolerations,
      containers: [{ name: 'c', ports }],
      ...(nodeName && { nodeName }),
    },
  }
}
