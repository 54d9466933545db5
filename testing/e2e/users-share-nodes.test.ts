import { Service } from '@portcullis/kube'
import { IngressController } from '@portcullis/operator'
import { asApplied } from '@portcullis/operator/testing'
import { expect } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { commandsIn } from './router.ts'
import { stories } from './story.ts'
import { onNodes, type StoryNodes } from './story-nodes.ts'

const { alone } = stories()

/** As people write it; only where the routers may run is added. */
const yaml = `
---
apiVersion: operator.openshift.io/v1
kind: IngressController
metadata:
  name: public
  namespace: openshift-ingress-operator
spec:
  domain: foo.com
  endpointPublishingStrategy:
    type: HostNetwork
---
apiVersion: operator.openshift.io/v1
kind: IngressController
metadata:
  name: internal
  namespace: openshift-ingress-operator
spec:
  domain: private.foo.com
  endpointPublishingStrategy:
    type: HostNetwork
    hostNetwork:
      httpPort: 8080
      httpsPort: 8443
      statsPort: 8936
`

async function applyTheSeed({ cluster, placement }: StoryNodes) {
  await cluster.inTheUsualNamespaces().startOperator()
  for (const document of parseAllDocuments(yaml)) {
    const object = document.toJS() as { metadata: object; spec: object } | null
    if (object === null) continue
    const spec = { ...object.spec, nodePlacement: placement }
    await cluster.client.create(IngressController, asApplied({ metadata: object.metadata, spec }))
  }
  return { publicOne: cluster.router('public'), internal: cluster.router('internal') }
}

alone(
  'Two controllers share nodes on different ports, and a third on port 80 reports who holds it, and where',
  onNodes(2, async (nodes, cluster) => {
    const { publicOne, internal } = await applyTheSeed(nodes)
    for (const router of [publicOne, internal]) {
      expect(await nodes.areOn(router, 2)).toEqual(nodes.names)
      await router.reports('PodsScheduled', { status: 'True' })
      await router.reports('PortsAvailable', { status: 'True', reason: 'PortsFree' })
    }
    const [pod] = await nodes.routers(internal)
    expect(pod?.spec).toMatchObject({ hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' })
    const [router] = pod?.spec?.containers ?? []
    expect(
      router?.ports?.map(({ name, containerPort, hostPort }) => [name, containerPort, hostPort]),
    ).toEqual([
      ['http', 8080, 8080],
      ['https', 8443, 8443],
      ['metrics', 8936, 8936],
    ])
    const variables = Object.fromEntries((router?.env ?? []).map(({ name, value }) => [name, value]))
    expect(variables).toMatchObject({
      ROUTER_SERVICE_HTTP_PORT: '8080',
      ROUTER_SERVICE_HTTPS_PORT: '8443',
      STATS_PORT: '8936',
    })
    for (const probe of [router?.startupProbe, router?.readinessProbe, router?.livenessProbe])
      expect(probe?.httpGet).toMatchObject({ port: 8936 })
    const { spec } = await internal.deployment()
    expect(spec?.strategy?.rollingUpdate).toMatchObject({ maxSurge: 0 })
    const reached = await cluster.client.get(Service, {
      namespace: 'openshift-ingress',
      name: 'router-internal-internal',
    })
    expect(reached.spec?.ports?.map(({ port, targetPort }) => [port, targetPort])).toEqual([
      [80, 'http'],
      [443, 'https'],
      [1936, 'metrics'],
    ])

    const before = performance.now()
    const third = await nodes.publish('third', undefined, { replicas: 2 })
    const held =
      /^2 of 2 routers cannot be scheduled: ports 80 \(http\), 443 \(https\) and 1936 \(metrics\) on node node-\S+ are in use by pod openshift-ingress\/router-public-\S+ of IngressController "public"; ports 80 /
    const conflict = await third.reports('PodsScheduled', {
      status: 'False',
      reason: 'PortConflict',
      message: held,
    })
    expect(performance.now() - before).toBeLessThan(5_000)
    await third.reports('PortsAvailable', { status: 'False', reason: 'PortsTaken', message: '"public"' })
    await third.reports('Admitted', { status: 'True' })
    await third.reports('Available', { status: 'False' })
    expect(conflict.message).toMatch(
      /Ports that are free on all of these nodes: \d+, \d+, \d+. To use them: /,
    )

    await cluster.run(commandsIn(conflict)[0] ?? '')
    await third.reports('PortsAvailable', { status: 'True' }, 2_000)
    await third.reports('PodsScheduled', { status: 'True' }, 2_000)
    // The second follows when the first has proved itself.
    await nodes.areOn(third, 1)

    if (cluster.testCluster.name === 'real') {
      const shown = (await cluster.run('kubectl get ingresscontrollers -n openshift-ingress-operator')).split(
        '\n',
      )
      expect(shown[0]).toMatch(/NAME +STRATEGY +SCOPE +HTTP +HTTPS +STATS/)
      expect(shown.find((line) => line.startsWith('internal'))).toMatch(/HostNetwork +8080 +8443 +8936/)
      for (const each of [publicOne, internal, third])
        await each.reports('Available', { status: 'True' }, 45_000)
    }
  }),
)
