import { Ingress } from '@portcullis/kube'
import { IngressController } from '@portcullis/operator'
import type { CloudPlatformName } from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import { describe, expect } from 'vitest'
import { stringify } from 'yaml'
import { eventually } from '../clusters/eventually.ts'
import { expectedClouds } from '../conformance/controllers/expected-clouds.ts'
import { CheckedPlan, portcullis } from './checked-plan.ts'
import type { Cluster } from './cluster.ts'
import { commandsIn } from './router.ts'
import { stories } from './story.ts'
import { onNodes } from './story-nodes.ts'

const { story } = stories({ timeoutMs: 120_000 })

const platforms = Object.keys(expectedClouds) as CloudPlatformName[]

/** What people type. */
const scopePatch = (cluster: Cluster, name: string, scope: string) =>
  `kubectl -n ${cluster.settings.operatorNamespace} patch ingresscontrollers/${name} --type=merge --patch='{"spec":{"endpointPublishingStrategy":{"type":"LoadBalancerService","loadBalancer":{"scope":"${scope}"}}}}'`

async function anIngress({ client, settings }: Cluster, controller: string, host: string): Promise<void> {
  await client.create(Ingress, {
    metadata: { namespace: settings.operandNamespace, name: host.replaceAll('.', '-') },
    spec: {
      ingressClassName: `portcullis-${controller}`,
      rules: [{ host }],
      defaultBackend: { service: { name: 'web', port: { number: 80 } } },
    },
  })
}

describe.each(platforms)('A plan of a scope change on %s', (platform) => {
  const inPlace = expectedClouds[platform].changesInPlace

  story('The plan of another scope is what happens', async (cluster) => {
    const router = await cluster.on(platform).publish('edge', { scope: 'External' })
    await anIngress(cluster, router.name, 'a.example')
    await anIngress(cluster, router.name, 'b.example')
    await cluster.waitUntilQuiescent()
    const before = await router.address()

    const checked = await CheckedPlan.of(cluster, [router.name, '--scope', 'Internal'])
    const [outlook] = checked.plan.controllers
    expect(outlook?.ingresses).toEqual({ count: 2, hosts: ['a.example', 'b.example'] })
    expect(outlook?.addresses).toMatchObject({ before: [before], decidedBy: 'cloud' })
    expect(checked.signs).toContain(`${inPlace ? '~' : '-/+'} Service router-${router.name}`)
    expect(checked.code).toBe(inPlace ? 2 : 3)

    await cluster.run(scopePatch(cluster, router.name, 'Internal'))
    if (inPlace) expect(outlook?.waits).toBeUndefined()
    else {
      const waiting = await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
      expect([outlook?.waits?.command, outlook?.waits?.revert]).toEqual(commandsIn(waiting))
      expect(outlook?.waits?.reason).toBe('ScopeChanged')
      await cluster.run(outlook?.waits?.command ?? '')
    }
    await checked.cameTrue()
    await router.reports('Progressing', { status: 'False' })
    await eventually(async () => expect(await router.address()).not.toBe(before))
    await cluster.waitUntilQuiescent()
    const again = await portcullis(cluster, ['plan', router.name, '--scope', 'Internal'])
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes.') as string })
  })
})

story('The operator replaces an annotated Service at a scope change, as planned', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  await router.annotate({ 'ingress.operator.openshift.io/auto-delete-load-balancer': '' })
  await cluster.waitUntilQuiescent()
  const checked = await CheckedPlan.of(cluster, [router.name, '--scope', 'Internal'])
  expect(checked.code).toBe(3)
  expect(checked.plan.controllers[0]).toMatchObject({
    interruptions: [expect.stringContaining('replaced')],
  })
  expect(checked.plan.controllers[0]?.waits).toBeUndefined()
  await cluster.run(scopePatch(cluster, router.name, 'Internal'))
  await checked.cameTrue()
})

story('The plan of a file predicts global client access and its end', async (cluster) => {
  const router = await cluster.on('GCP').publish('edge', { scope: 'Internal' })
  await cluster.waitUntilQuiescent()
  const { spec: before } = await cluster.client.get(IngressController, router.ref)
  for (const clientAccess of ['Global', 'Local']) {
    const loadBalancer = { scope: 'Internal', providerParameters: { type: 'GCP', gcp: { clientAccess } } }
    const spec = { ...before, endpointPublishingStrategy: { type: 'LoadBalancerService', loadBalancer } }
    const file = {
      apiVersion: 'operator.openshift.io/v1',
      kind: 'IngressController',
      metadata: router.ref,
      spec,
    }
    const checked = await CheckedPlan.of(cluster, ['-f', '-'], { input: stringify(file) })
    expect(checked.code).toBe(2)
    expect(checked.signs).toEqual([`~ IngressController ${router.name}`, `~ Service router-${router.name}`])
    await router.changeSpec(spec)
    await checked.cameTrue()
    await cluster.waitUntilQuiescent()
  }
})

const onHost = (cluster: Cluster, nodes: { placement: object }, name: string, hostNetwork?: object) => ({
  apiVersion: 'operator.openshift.io/v1',
  kind: 'IngressController',
  metadata: cluster.router(name).ref,
  spec: {
    domain: `${cluster.router(name).name}.foo.com`,
    replicas: 2,
    endpointPublishingStrategy: { type: 'HostNetwork' as const, ...(hostNetwork && { hostNetwork }) },
    nodePlacement: nodes.placement,
  },
})

const otherPorts = { httpPort: 8080, httpsPort: 8443, statsPort: 8936 }

story(
  'Two controllers with different ports share the same nodes, as planned',
  onNodes(2, async (nodes, cluster) => {
    await cluster.startOperator()
    const files = [onHost(cluster, nodes, 'public'), onHost(cluster, nodes, 'internal', otherPorts)]
    const input = files.map((file) => stringify(file)).join('---\n')
    const checked = await CheckedPlan.of(cluster, ['-f', '-'], { input })
    expect(checked.code).toBe(2)
    expect(checked.plan.controllers.map(({ problems }) => problems)).toEqual([[], []])
    for (const file of files) await cluster.client.create(IngressController, file)
    await checked.cameTrue()
    for (const name of ['public', 'internal']) {
      expect(await nodes.areOn(cluster.router(name), 2)).toEqual(nodes.names)
      await cluster.router(name).reports('PortsAvailable', { status: 'True', reason: 'PortsFree' })
    }
  }),
)

story(
  'The plan of two controllers shows the port conflict between them',
  onNodes(2, async (nodes, cluster) => {
    await cluster.startOperator()
    const files = [onHost(cluster, nodes, 'public'), onHost(cluster, nodes, 'other')]
    const input = files.map((file) => stringify(file)).join('---\n')
    const checked = await CheckedPlan.of(cluster, ['-f', '-'], { input })
    const [first, second] = checked.plan.controllers
    expect(first?.problems).toEqual([])
    const [problem] = second?.problems ?? []
    expect(problem).toMatchObject({ condition: 'PortsAvailable', reason: 'PortsTaken' })
    expect(problem?.message).toContain(`of IngressController "${cluster.router('public').name}"`)

    await cluster.client.create(IngressController, files[0] ?? {})
    await nodes.areOn(cluster.router('public'), 2)
    await cluster.client.create(IngressController, files[1] ?? {})
    const { message } = await cluster
      .router('other')
      .reports('PortsAvailable', { status: 'False', reason: 'PortsTaken' })
    // Which ports are free depends on what other stories do meanwhile.
    const withoutPorts = (text = '') =>
      commandsIn({ message: text }).map((each) => each.replaceAll(/\d{4,}/g, 'n'))
    expect(withoutPorts(message)).toEqual(withoutPorts(problem?.message))
    await checked.cameTrue()
  }),
)

story(
  'Routers leave the host ports when the load balancer is provisioned, as planned',
  onNodes(1, async (nodes, cluster) => {
    cluster.on('AWS')
    const router = await nodes.publish('edge')
    await router.isUp()
    await cluster.waitUntilQuiescent()
    const checked = await CheckedPlan.of(cluster, [
      router.name,
      '--type',
      'LoadBalancerService',
      '--scope',
      'External',
    ])
    expect(checked.signs).toEqual([
      `~ IngressController ${router.name}`,
      `+ Service router-${router.name}`,
      `~ Deployment router-${router.name}`,
    ])
    await router.changeSpec({
      endpointPublishingStrategy: {
        type: 'LoadBalancerService',
        hostNetwork: null,
        loadBalancer: { scope: 'External' },
      },
    })
    await router.isProvided()
    await router.reports('DeploymentRollingOut', { status: 'True' })
    await router.isUp()
    await checked.cameTrue()
  }),
)

story('A plan refuses what the API server would refuse, with the field', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const spec = {
    endpointPublishingStrategy: { type: 'LoadBalancerService', loadBalancer: { scope: 'Everywhere' } },
  }
  const file = {
    apiVersion: 'operator.openshift.io/v1',
    kind: 'IngressController',
    metadata: router.ref,
    spec,
  }
  const { stderr, code } = await portcullis(cluster, ['plan', '-f', '-'], { input: stringify(file) })
  expect(code).toBe(1)
  const words =
    'spec.endpointPublishingStrategy.loadBalancer.scope: Unsupported value: "Everywhere": supported values: "Internal", "External"'
  expect(stderr).toContain(words)
  await expect(router.changeSpec(spec)).rejects.toThrow(words)
})

const members = {
  LoadBalancerService: 'loadBalancer',
  HostNetwork: 'hostNetwork',
  NodePortService: 'nodePort',
  Private: 'private',
} as const
const types = Object.keys(members) as (keyof typeof members)[]
const pairs = types.flatMap((from) => types.filter((to) => to !== from).map((to) => [from, to] as const))

describe.each(pairs)('A plan from %s to %s', (from, to) => {
  story('The plan of a type change is what happens', async (cluster) => {
    const router = await cluster
      .on('AWS')
      .withAddressSettings({ lostAddressGraceMs: 0 })
      .create('edge', undefined, { endpointPublishingStrategy: { type: from } })
    if (from === 'LoadBalancerService') await router.isProvided()
    await router.reports('DeploymentRollingOut', { status: 'False' })
    await anIngress(cluster, router.name, 'a.example')
    await cluster.waitUntilQuiescent()
    const checked = await CheckedPlan.of(cluster, [router.name, '--type', to])
    await router.changeSpec({ endpointPublishingStrategy: { type: to, [members[from]]: null } })
    const command = checked.plan.controllers[0]?.waits?.command
    expect(command !== undefined).toBe(from === 'LoadBalancerService')
    if (command !== undefined) {
      const waiting = await router.reports('Progressing', { status: 'True', reason: 'TypeChanged' })
      expect(commandsIn(waiting)[0]).toBe(command)
      await cluster.run(command)
    }
    await checked.cameTrue()
  })
})

const waysOut = [
  ['other ports', ['--http-port', '8080'], { hostNetwork: { httpPort: 8080 } }],
  ['node ports', ['--type', 'NodePortService'], { type: 'NodePortService', hostNetwork: null }],
  ['no way in', ['--type', 'Private'], { type: 'Private', hostNetwork: null }],
] as const

for (const [way, args, endpointPublishingStrategy] of waysOut) {
  story(
    `A change from host ports to ${way} cuts off clients of the closed ports, as planned`,
    onNodes(1, async (nodes, cluster) => {
      cluster.withAddressSettings({ lostAddressGraceMs: 0 })
      const router = await nodes.publish('edge')
      await router.reports('Published', { status: 'True' })
      await anIngress(cluster, router.name, 'a.example')
      await cluster.waitUntilQuiescent()
      const checked = await CheckedPlan.of(cluster, [router.name, ...args])
      expect(checked.code).toBe(3)
      expect(checked.plan.controllers[0]).toMatchObject({
        ingresses: { count: 1 },
        interruptions: [expect.stringMatching(/clients that use .* are cut off/)],
      })
      await router.changeSpec({ endpointPublishingStrategy })
      // The old router goes when the new one has been ready for half a minute.
      await checked.cameTrue(60_000)
    }),
  )
}
