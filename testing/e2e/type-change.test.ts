import { setTimeout as pause } from 'node:timers/promises'
import { isNotFound, type Persisted, Service } from '@portcullis/kube'
import { templateHashLabel } from '@portcullis/operator/internal/ingress/names.ts'
import type { Service as ServiceObject } from 'kubernetes-types/core/v1'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Cluster } from './cluster.ts'
import { commandsIn, type Router } from './router.ts'
import { stories } from './story.ts'
import { onNodes } from './story-nodes.ts'

const { story } = stories()

const members = {
  LoadBalancerService: 'loadBalancer',
  HostNetwork: 'hostNetwork',
  NodePortService: 'nodePort',
  Private: 'private',
} as const
type Type = keyof typeof members
const types = Object.keys(members) as Type[]
const autoDelete = { 'ingress.operator.openshift.io/auto-delete-load-balancer': '' }

/** What says more about each type here. */
const details: Readonly<Record<Type, object>> = {
  LoadBalancerService: { scope: 'Internal' },
  HostNetwork: { httpPort: 8080, httpsPort: 8443, statsPort: 8936 },
  NodePortService: { protocol: 'PROXY' },
  Private: { protocol: 'TCP' },
}

const strategyOf = (type: Type) => ({ type, [members[type]]: details[type] })

/** The change of a spec that leads to another type, with nothing left of the one before. */
const turnedTo = (type: Type) => ({
  endpointPublishingStrategy: {
    ...Object.fromEntries(Object.values(members).map((member) => [member, null])),
    ...strategyOf(type),
  },
})

async function publish(cluster: Cluster, name: string, type: Type): Promise<Router> {
  const router = await cluster.create(name, undefined, { endpointPublishingStrategy: strategyOf(type) })
  if (type === 'LoadBalancerService') await router.isProvided()
  await router.reports('Admitted', { status: 'True' })
  await router.isAnswered()
  return router
}

async function serviceNamed(cluster: Cluster, name: string): Promise<Persisted<ServiceObject> | undefined> {
  try {
    return await cluster.client.get(Service, { namespace: cluster.settings.operandNamespace, name })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

const nodePorts = (cluster: Cluster, router: Router) =>
  serviceNamed(cluster, `router-nodeport-${router.name}`)
const loadBalancer = (cluster: Cluster, router: Router) => serviceNamed(cluster, `router-${router.name}`)

/** All that runs for a controller and all that is said of it, without what differs between any two. */
async function stateOf(cluster: Cluster, router: Router): Promise<unknown> {
  const { spec, metadata } = await router.deployment()
  const { status } = await router.read()
  const services = [await loadBalancer(cluster, router), await nodePorts(cluster, router)]
  const whole = {
    deployment: { spec, annotations: metadata.annotations },
    services: services.map(
      (service) => service && { spec: service.spec, annotations: service.metadata.annotations },
    ),
    strategy: status?.endpointPublishingStrategy,
    conditions: status?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`),
  }
  const hash = spec?.template.metadata?.labels?.[templateHashLabel] ?? ''
  const text = JSON.stringify(whole)
    .replaceAll(hash, 'its hash')
    .replaceAll(status?.domain ?? '', 'its domain')
  return inOrder(JSON.parse(text.replaceAll(router.name, 'it')))
}

/** Chosen anew for each object, or each time. */
const ofOneObject = [
  'clusterIP',
  'clusterIPs',
  'nodePort',
  'healthCheckNodePort',
  'deployment.kubernetes.io/revision',
]

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => inOrder(item))
    return items.sort((a, b) => ((JSON.stringify(a) ?? '') < (JSON.stringify(b) ?? '') ? -1 : 1))
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key]) => !ofOneObject.includes(key))
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, part]) => [key, inOrder(part)]),
  )
}

/** Waits until it is as if it had been created so. */
async function endsAsIfCreatedSo(cluster: Cluster, router: Router, fresh: Router): Promise<void> {
  const text = (state: unknown) => JSON.stringify(state, undefined, 1)
  await eventually(async () => {
    await pause(100)
    const [is, shallBe] = [await stateOf(cluster, router), await stateOf(cluster, fresh)]
    expect(text(is)).toBe(text(shallBe))
  }, 10_000)
}

for (const to of types) {
  story(
    `A change to ${to} from every other type deletes no load balancer unasked, and ends as if created so`,
    async (cluster) => {
      await cluster.on('Azure').startOperator()
      const fresh = await publish(cluster, 'fresh', to)
      const turn = async (from: Type) => {
        const router = await publish(cluster, `from-${members[from].toLowerCase()}`, from)
        const before = await loadBalancer(cluster, router)
        await router.changeSpec(turnedTo(to))
        if (from === 'LoadBalancerService') {
          const claim = { status: 'True', reason: 'TypeChanged', message: `to "${to}"` } as const
          const [remove = ''] = commandsIn(await router.reports('Progressing', claim))
          await router.everythingIsSeen()
          expect(await loadBalancer(cluster, router)).toEqual(before)
          await router.changeSpec({ httpHeaders: null })
          await cluster.run(remove)
        }
        await endsAsIfCreatedSo(cluster, router, fresh)
        await router.recordsEvents('TypeRequested')
      }
      await Promise.all(types.filter((from) => from !== to).map(turn))
      // Its node ports are all that the operator may take away unasked.
      expect(cluster.journal.count('delete Service')).toBe(to === 'NodePortService' ? 0 : 1)
    },
  )
}

for (const to of types.filter((type) => type !== 'LoadBalancerService')) {
  story(`A change to ${to} with the annotation deletes the load balancer once`, async (cluster) => {
    await cluster.on('Azure').startOperator()
    const fresh = await publish(cluster, 'fresh', to)
    const router = await publish(cluster, 'edge', 'LoadBalancerService')
    await router.annotate(autoDelete)
    await router.changeSpec(turnedTo(to))
    await endsAsIfCreatedSo(cluster, router, fresh)
    await router.recordsEvents('TypeRequested', 'ServiceDeleted', 'ChangeCompleted')
    expect(cluster.journal.count('delete Service')).toBe(1)
  })
}

story(
  'A change of type reverted by the command of the message leaves everything as it was',
  async (cluster) => {
    const router = await cluster
      .on('AWS')
      .publish('edge', { scope: 'Internal', allowedSourceRanges: ['10.0.0.0/8'] })
    const before = await router.service()
    await router.changeSpec(turnedTo('Private'))
    const [, revert = ''] = commandsIn(
      await router.reports('Progressing', { status: 'True', reason: 'TypeChanged' }),
    )
    await cluster.run(revert)
    await router.reports('LoadBalancerProgressing', { status: 'False' })
    expect(await router.service()).toEqual(before)
    await router.recordsEvents('ChangeReverted')
  },
)

story('Routers stay on the host ports until the load balancer has an address', async (cluster) => {
  cluster.on('AWS')
  const router = await publish(cluster, 'edge', 'HostNetwork')
  await cluster.stopCloud()
  await router.changeSpec(turnedTo('LoadBalancerService'))
  await router.reports('LoadBalancerReady', { status: 'False', reason: 'LoadBalancerPending' })
  await router.everythingIsSeen()
  const podSpec = async () => (await router.deployment()).spec?.template.spec
  expect(await podSpec()).toMatchObject({ hostNetwork: true })
  cluster.startCloud()
  await router.isProvided()
  await eventually(async () => expect(await podSpec()).not.toHaveProperty('hostNetwork'))
})

story(
  'No old router ends before a new one is available when routers leave the host ports and return to them',
  onNodes(3, async (nodes, cluster) => {
    cluster.on('AWS')
    const router = await nodes.publish('edge', undefined, { replicas: 3 })
    await router.isUp()
    for (const type of ['LoadBalancerService', 'HostNetwork'] as const) {
      await router.changeSpec(turnedTo(type))
      if (type === 'LoadBalancerService') await router.isProvided()
      await router.reports('DeploymentRollingOut', { status: 'True' })
      const available = router.leastAvailable()
      await router.isUp()
      expect(await available()).toBe(3)
      const onHost = (await nodes.routers(router)).map(({ spec }) => spec?.hostNetwork === true)
      expect(onHost).toEqual([type, type, type].map((each) => each === 'HostNetwork'))
    }
  }),
)

story(
  'A change to host ports that another pod holds keeps the running router, and names the conflict',
  onNodes(1, async (nodes, cluster) => {
    const [node = ''] = nodes.names
    await nodes.unownedPod('web', node, 8080)
    const router = await nodes.publish('edge', undefined, {
      endpointPublishingStrategy: strategyOf('NodePortService'),
    })
    await nodes.areOn(router, 1)
    const [before] = await nodes.routers(router)
    await router.changeSpec(turnedTo('HostNetwork'))
    const message = `port 8080 (http) on node ${node} is in use by pod ${cluster.settings.operandNamespace}/web. `
    await router.reports('PodsScheduled', { status: 'False', reason: 'PortConflict', message })
    const names = (await nodes.routers(router)).map(({ metadata }) => metadata.name)
    expect(names).toContain(before?.metadata.name)
    expect(await nodePorts(cluster, router)).toBeDefined()
  }),
)

story('Node ports stay until the load balancer has an address, and are then released', async (cluster) => {
  cluster.on('AWS')
  const router = await publish(cluster, 'edge', 'NodePortService')
  await cluster.stopCloud()
  await router.changeSpec(turnedTo('LoadBalancerService'))
  await router.reports('LoadBalancerReady', { status: 'False', reason: 'LoadBalancerPending' })
  await router.everythingIsSeen()
  expect(await nodePorts(cluster, router)).toBeDefined()
  cluster.startCloud()
  await router.isProvided()
  await eventually(async () => expect(await nodePorts(cluster, router)).toBeUndefined())
})

story('Node ports that a user chose are kept', async (cluster) => {
  const router = await publish(cluster.on('None'), 'edge', 'NodePortService')
  const service = await nodePorts(cluster, router)
  // Its own ports the other way round: no other Service can hold them.
  const fixed = service?.spec?.ports?.map(({ nodePort }) => nodePort).toReversed()
  const ports = service?.spec?.ports?.map((port, at) => ({ ...port, nodePort: fixed?.[at] }))
  const { namespace = '', name = '' } = service?.metadata ?? {}
  await cluster.client.patch(Service, { namespace, name }, { type: 'merge', body: { spec: { ports } } })
  await router.everythingIsSeen()
  await router.changeSpec({ endpointPublishingStrategy: { nodePort: { protocol: 'TCP' } } })
  await router.everythingIsSeen()
  const kept = (await nodePorts(cluster, router))?.spec?.ports
  expect(kept?.map(({ nodePort }) => nodePort)).toEqual(fixed)
})
