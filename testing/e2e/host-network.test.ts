import { type Client, Node, Pod, Service } from '@portcullis/kube'
import { describe, expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { commandsIn } from './router.ts'
import { stories } from './story.ts'
import { onNodes } from './story-nodes.ts'

const { story } = stories()

const conflict = { status: 'False', reason: 'PortConflict' } as const
const clear = { status: 'True', reason: 'AllScheduled' } as const
/** Of the cause going away. */
const soon = 2_000

/**
 * A node port that no other story gets meanwhile: from the part of the range out of which API servers choose none by
 * themselves (30000 to 30085).
 */
async function freeNodePort(client: Client): Promise<number> {
  const { items } = await client.list(Service)
  const taken = new Set(items.flatMap(({ spec }) => spec?.ports?.map(({ nodePort }) => nodePort) ?? []))
  const candidates = Array.from({ length: 86 }, (_, index) => 30_000 + index)
  const free = candidates.find((port) => !taken.has(port))
  if (free === undefined) throw new Error('Services hold all node ports from 30000 to 30085.')
  return free
}

describe('Port conflicts', () => {
  story(
    'A port conflict ends when a port is changed as the message says',
    onNodes(1, async (nodes, cluster) => {
      await nodes.areOn(await nodes.publish('first'), 1)
      const second = await nodes.publish('second', { httpPort: 9080, statsPort: 9936 })
      const condition = await second.reports('PodsScheduled', conflict)
      expect(condition.message).toContain(`port 443 (https) on node ${nodes.names[0]} is in use by pod `)
      await cluster.run(commandsIn(condition)[0] ?? '')
      await second.reports('PodsScheduled', clear, soon)
      await second.reports('PortsAvailable', { status: 'True' }, soon)
      const { hostNetwork } = (await second.read()).status?.endpointPublishingStrategy ?? {}
      expect(hostNetwork).toMatchObject({ httpPort: 9080, statsPort: 9936 })
      // Other stories may hold the first that comes to mind.
      expect(hostNetwork?.httpsPort).toBeGreaterThanOrEqual(8443)
    }),
  )

  story(
    'A port conflict ends when a node is added',
    onNodes(1, async (nodes) => {
      await nodes.areOn(await nodes.publish('first'), 1)
      const second = await nodes.publish('second')
      await second.reports('PodsScheduled', conflict)
      const added = await nodes.add()
      await second.reports('PodsScheduled', clear, soon)
      await second.reports('PortsAvailable', { status: 'True', reason: 'PortsPartlyTaken' }, soon)
      expect(await nodes.areOn(second, 1)).toEqual([added])
    }),
  )

  story(
    'A port conflict ends when the other controller is deleted',
    onNodes(1, async (nodes) => {
      const first = await nodes.publish('first')
      await nodes.areOn(first, 1)
      const second = await nodes.publish('second')
      await second.reports('PodsScheduled', conflict)
      await first.delete()
      await eventually(async () => expect(await nodes.routers(first)).toEqual([]))
      await second.reports('PodsScheduled', clear, soon)
      await second.reports('PortsAvailable', { status: 'True', reason: 'PortsFree' }, soon)
      const condition = (await second.events()).filter(({ type }) => type === 'Warning')
      expect(condition.map(({ reason, count }) => [reason, count ?? 1])).toEqual([['PortsTaken', 1]])
    }),
  )
})

story(
  'Three of six routers find one of three nodes, and the others report who holds the ports',
  onNodes(3, async (nodes) => {
    const all = []
    for (const name of ['first', 'second', 'third']) {
      const router = await nodes.publish(name, undefined, { replicas: 2 })
      all.push(router)
      await nodes.areOn(router, { first: 2, second: 1, third: 0 }[name] ?? 0)
    }
    const [first, second, third] = all
    await first?.reports('PodsScheduled', clear)
    const condition = await second?.reports('PodsScheduled', {
      ...conflict,
      message: /^1 of 2 routers cannot be scheduled/,
    })
    expect(condition?.message?.match(new RegExp(`of IngressController "${first?.name}"`, 'g'))).toHaveLength(
      2,
    )
    const missing = await third?.reports('PodsScheduled', {
      ...conflict,
      message: /^2 of 2 routers cannot be scheduled/,
    })
    for (const node of nodes.names)
      expect(missing?.message).toMatch(new RegExp(`on node ${node} (is|are) in use by`))
    await third?.reports('PortsAvailable', { status: 'False', reason: 'PortsTaken' })
  }),
)

story(
  'An unowned pod that holds a port is named, and left alone',
  onNodes(1, async (nodes, cluster) => {
    const foreign = await nodes.unownedPod('web', nodes.names[0] ?? '', 443)
    const router = await nodes.publish('edge')
    const { operandNamespace } = cluster.settings
    const message = `port 443 (https) on node ${nodes.names[0]} is in use by pod ${operandNamespace}/web. `
    await router.reports('PodsScheduled', { ...conflict, message })
    await router.reports('Available', { status: 'False' })
    expect((await cluster.client.get(Pod, foreign.metadata)).metadata.uid).toBe(foreign.metadata.uid)
    await cluster.client.delete(Pod, foreign.metadata)
    await router.reports('PodsScheduled', clear)
  }),
)

story(
  'A pod of lower priority that holds a port is evicted by the scheduler, and that is reported',
  onNodes(1, async (nodes, cluster) => {
    if (cluster.testCluster.name === 'sandbox') return // Whose scheduler evicts nobody: see docs/sandbox.md.
    const [node = ''] = nodes.names
    const foreign = await nodes.unownedPod('web', node, 443, { priorityClassName: '' })
    const ref = { namespace: cluster.settings.operandNamespace, name: 'web' }
    const finalizers = (list: string[]) =>
      ({ type: 'merge', body: { metadata: { finalizers: list } } }) as const
    await cluster.client.patch(Pod, ref, finalizers(['portcullis.dev/test']))
    const router = await nodes.publish('edge')
    const message = `is evicting pods with a lower priority from node ${node} to make room: port 443 (https) on node ${node} is in use by pod ${ref.namespace}/web`
    await router.reports('PodsScheduled', { status: 'False', reason: 'MakingRoom', message })
    // The scheduler names the node first, and evicts then.
    await eventually(async () =>
      expect((await cluster.client.get(Pod, foreign.metadata)).metadata.deletionTimestamp).toBeDefined(),
    )
    await router.recordsEvents('MakingRoom')
    await cluster.client.patch(Pod, ref, finalizers([]))
    await router.reports('PodsScheduled', clear)
  }),
)

story(
  'A port that a process outside of pods holds is reported, with the command that finds the process',
  onNodes(1, async (nodes, cluster) => {
    const [node = ''] = nodes.names
    const inUse = {
      metadata: { annotations: { 'sandbox.portcullis.dev/host-ports-in-use': '443=nginx (pid 812)' } },
    }
    await cluster.client.patch(Node, { name: node }, { type: 'merge', body: inUse })
    const router = await nodes.publish('edge')
    await nodes.areOn(router, 1)
    if (cluster.testCluster.name === 'real') await crash()
    const words = `cannot bind port 443 (https) on node ${node}: a process that the scheduler does not know of uses it`
    const condition = await router.reports('PodsStarted', {
      status: 'False',
      reason: 'PortInUse',
      message: words,
    })
    expect(commandsIn(condition)).toEqual(["ss -ltnp 'sport = :443'"])
    await router.reports('PodsScheduled', clear)
    await router.reports('Available', { status: 'False' })
    await router.recordsEvents('PortInUse')

    /** As a kubelet reports a container that could not bind its port. */
    async function crash() {
      const pod = await eventually(async () => {
        const [pod] = await nodes.routers(router)
        expect(pod?.status?.phase).toBe('Running')
        return pod
      })
      const terminated = {
        exitCode: 1,
        message: '[ALERT] (17) : Binding : cannot bind socket (Address already in use) for [0.0.0.0:443]',
      }
      const [container] = pod?.status?.containerStatuses ?? []
      const crashed = {
        ...container,
        ready: false,
        started: false,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated },
      }
      const body = { status: { containerStatuses: [crashed] } }
      const ref = { namespace: pod?.metadata.namespace ?? '', name: pod?.metadata.name ?? '' }
      await cluster.client.patch(Pod, ref, { type: 'merge', body }, { subresource: 'status' })
    }
  }),
)

story(
  'A Service that takes a host port as its node port is reported until it releases the port',
  onNodes(1, async (nodes, cluster) => {
    cluster.with({ firstNodePort: 32_768 })
    const nodePort = await freeNodePort(cluster.client)
    const router = await nodes.publish('edge', { httpPort: nodePort })
    await router.reports('PortsAvailable', { status: 'True', reason: 'PortsFree' })
    const namespace = cluster.settings.operandNamespace
    const service = await cluster.client.create(Service, {
      metadata: { namespace, name: 'web' },
      spec: { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 80, nodePort }] },
    })
    const message = `httpPort ${nodePort} is the node port of the Service ${namespace}/web on every node.`
    await router.reports('PortsAvailable', { status: 'False', reason: 'NodePortConflict', message })
    await router.recordsEvents('NodePortConflict')
    await cluster.client.delete(Service, service.metadata)
    await router.reports('PortsAvailable', { status: 'True', reason: 'PortsFree' }, soon)
  }),
)

story(
  'A change of the stats port of running routers is a warning, and changes nothing inside the cluster',
  onNodes(2, async (nodes, cluster) => {
    const router = await nodes.publish('edge', undefined, { replicas: 2 })
    await nodes.areOn(router, 2)
    const name = `router-internal-${router.name}`
    const internal = () => cluster.client.get(Service, { namespace: cluster.settings.operandNamespace, name })
    const before = await internal()
    await router.changeSpec({ endpointPublishingStrategy: { hostNetwork: { statsPort: 8936 } } })
    const moves = 'routers answer on 1936 or 8936: a load balancer in front of the nodes must check health'
    await router.reports('Progressing', { status: 'True', message: moves })
    await router.recordsEvents('HealthPortMoves')
    await router.reports('PodsScheduled', { status: 'True' })
    await eventually(async () => {
      const ports = (await nodes.routers(router)).map(({ spec }) => spec?.containers[0]?.ports?.[2]?.hostPort)
      expect(ports).toContain(8936)
    })
    expect(await internal()).toEqual(before)
    expect((await router.events()).filter(({ reason }) => reason === 'PortConflict')).toEqual([])
  }),
)

story(
  'The API server and the operator refuse invalid ports',
  onNodes(0, async (nodes, cluster) => {
    for (const httpPort of [0, 65_536, -1, 'eighty', 80.5])
      await expect(nodes.publish('refused', { httpPort })).rejects.toThrow(
        /httpPort.*(Invalid value|must be)/,
      )
    const range = await nodes.publish('range', { httpPort: 30_000 })
    const equal = await nodes.publish('equal', { httpPort: 8443, httpsPort: 8443 })
    const member = await cluster.create('member', undefined, {
      endpointPublishingStrategy: { type: 'Private', hostNetwork: { httpPort: 8080 } },
    })
    await range.reports('Admitted', { status: 'False', message: 'httpPort is 30000, ' })
    await equal.reports('Admitted', { status: 'False', message: 'httpsPort is 8443, the same as httpPort' })
    const condition = await member.reports('Admitted', {
      status: 'False',
      message: 'hostNetwork cannot be set with',
    })
    await cluster.run(commandsIn(condition)[0] ?? '')
    await member.reports('Admitted', { status: 'True' })
    for (const refused of [range, equal]) await expect(refused.deployment()).rejects.toThrow('NotFound')
    await range.changeSpec({ endpointPublishingStrategy: { hostNetwork: { httpPort: 29_999 } } })
    await range.reports('Admitted', { status: 'True' })
  }),
)
