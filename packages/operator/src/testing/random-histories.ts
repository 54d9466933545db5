import * as fc from 'fast-check'
import { autoDeleteAnnotation, ownerLabel, provenanceAnnotation } from '../ingress/names.ts'
import { platforms } from '../ingress/platforms/platforms.ts'
import { anIngressController } from './a-snapshot.ts'
import type { AnyObject } from './fake-api-server.ts'
import { aNode, aNodePortService, aPod, aRouterPod, inCluster } from './nodes.ts'
import type { Scene } from './scene.ts'

/** Something that may happen to a controller and what belongs to it. */
interface HistoryEvent {
  /** For the reader of a counterexample. */
  readonly what: string
  readonly apply: (edge: Scene) => void
}

const scope = fc.constantFrom('Internal', 'External')
const awsType = fc.constantFrom('Classic', 'NLB')
const clientAccess = fc.constantFrom('Global', 'Local', null)
const ranges = fc.constantFrom(null, [], ['198.51.100.0/24'], ['192.0.2.0/24', '2001:db8::/32'])

/** Keys that some cloud reads, ours, and others. */
const annotationKey = fc.constantFrom(
  'service.beta.kubernetes.io/aws-load-balancer-internal',
  'service.beta.kubernetes.io/aws-load-balancer-type',
  'service.beta.kubernetes.io/azure-load-balancer-internal',
  'cloud.google.com/load-balancer-type',
  'networking.gke.io/load-balancer-type',
  'networking.gke.io/internal-load-balancer-allow-global-access',
  'service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type',
  'service.beta.kubernetes.io/openstack-internal-load-balancer',
  'example.com/mine',
)
const annotationValue = fc.constantFrom(
  'true',
  'false',
  '',
  '0.0.0.0/0',
  'Internal',
  'private',
  'nlb',
  '{"',
  null,
)
const address = fc.constantFrom(
  'a1-2.us-east-1.elb.amazonaws.com',
  'internal-a1-2.us-east-1.elb.amazonaws.com',
  'a1-2.elb.us-east-1.amazonaws.com',
  '203.0.113.7',
  '10.0.0.9',
)
const operand = fc.constantFrom('Service', 'Deployment', 'PodDisruptionBudget')

const changeOfTheRest = fc.oneof(
  fc.record({ endpointPublishingStrategy: fc.constant(null) }),
  fc.record({ replicas: fc.constantFrom(null, 0, 1, 2, 3, 5) }),
  fc.record({ domain: fc.constantFrom(null, 'one.example.com', 'two.example.com') }),
  fc.record({
    nodePlacement: fc.constantFrom(
      null,
      { tolerations: [{ operator: 'Exists' }] },
      { nodeSelector: { matchLabels: { a: 'b' } } },
    ),
  }),
  fc.record({ defaultCertificate: fc.constantFrom(null, { name: 'mine' }) }),
  fc.record({ tuningOptions: fc.constantFrom(null, { threadCount: 3 }) }),
)

const changeOfLoadBalancer = fc
  .record({ scope, allowedSourceRanges: ranges, awsType, clientAccess }, { requiredKeys: [] })
  .map((wish) => ({
    endpointPublishingStrategy: { type: 'LoadBalancerService', loadBalancer: asWritten(wish) },
  }))

const changeOfSpec = fc.oneof(
  { weight: 3, arbitrary: changeOfLoadBalancer },
  { weight: 1, arbitrary: changeOfTheRest },
)

function asWritten({
  awsType,
  clientAccess,
  ...rest
}: {
  awsType?: string
  clientAccess?: string | null
}): object {
  return {
    ...rest,
    ...(awsType !== undefined && { providerParameters: { type: 'AWS', aws: { type: awsType } } }),
    ...(clientAccess !== undefined && { providerParameters: { type: 'GCP', gcp: { clientAccess } } }),
  }
}

const historyEvent = (what: string, apply: (edge: Scene) => void): HistoryEvent => ({ what, apply })

/** Changes by a person that leave everything as it was are none. */
function attempt(edge: Scene, change: (edge: Scene) => void): void {
  try {
    change(edge)
  } catch (error) {
    if (!/changes nothing|There is no/.test(String(error))) throw error
  }
}

const specChanges: fc.Arbitrary<HistoryEvent> = changeOfSpec.map((spec) =>
  historyEvent(`spec ${JSON.stringify(spec)}`, (edge) => edge.spec(spec)),
)

/** With what belongs to the type before, or without: then it is refused. */
const changesOfType: fc.Arbitrary<HistoryEvent> = fc
  .record({
    type: fc.constantFrom('HostNetwork', 'NodePortService', 'Private'),
    members: fc.constantFrom({}, { loadBalancer: null }),
  })
  .map(({ type, members }) =>
    historyEvent(`type ${type} ${JSON.stringify(members)}`, (edge) =>
      edge.spec({ endpointPublishingStrategy: { type, ...members } }),
    ),
  )

/** What people do to a live Service with their own hands, and what the cloud does to it. */
const doneToService: fc.Arbitrary<HistoryEvent> = fc.oneof(
  fc
    .record({ key: annotationKey, value: annotationValue })
    .map(({ key, value }) =>
      historyEvent(`Service annotated ${key}=${value}`, (edge) =>
        edge.edit('Service', { metadata: { annotations: { [key]: value } } }),
      ),
    ),
  ranges.map((loadBalancerSourceRanges) =>
    historyEvent(`Service ranges ${JSON.stringify(loadBalancerSourceRanges)}`, (edge) =>
      edge.edit('Service', { spec: { loadBalancerSourceRanges } }),
    ),
  ),
  fc
    .constantFrom(null, '{"', '{"scope":"Internal"}', '{"scope":"External","type":"NLB"}')
    .map((note) =>
      historyEvent(`note ${note}`, (edge) =>
        edge.edit('Service', { metadata: { annotations: { [provenanceAnnotation]: note } } }),
      ),
    ),
  address.map((each) => historyEvent(`address ${each}`, (edge) => edge.cloudProvides(each))),
  fc
    .constantFrom(
      'SyncLoadBalancerFailed',
      'EnsuringLoadBalancer',
      'EnsuredLoadBalancer',
      'UpdatedLoadBalancer',
      'UnAvailableLoadBalancer',
    )
    .map((reason) => historyEvent(reason, (edge) => edge.cloudSays(reason))),
  fc.nat(4000).map((seconds) => historyEvent(`${seconds} s later`, (edge) => edge.later(seconds))),
)

const others: fc.Arbitrary<HistoryEvent> = fc.oneof(
  fc
    .constantFrom(null, '')
    .map((value) =>
      historyEvent(`auto-delete ${value}`, (edge) => edge.annotated({ [autoDeleteAnnotation]: value })),
    ),
  fc
    .record({ kind: operand, owner: fc.constantFrom(null, 'edge', 'another') })
    .map(({ kind, owner }) =>
      historyEvent(`${kind} of ${owner}`, (edge) =>
        edge.edit(kind, { metadata: { labels: { [ownerLabel]: owner } } }),
      ),
    ),
  operand.map((kind) => historyEvent(`${kind} deleted`, (edge) => edge.remove(kind))),
  fc.constant(historyEvent('cloud lets go', (edge) => edge.cloudRemoves())),
  fc.constant(historyEvent('routers run', (edge) => edge.routersRun())),
  fc
    .constantFrom(...platforms.map(({ name }) => name))
    .map((name) => historyEvent(`now on ${name}`, (edge) => edge.on(name))),
  fc
    .constantFrom(null, { endpointPublishingStrategy: null }, { conditions: [] })
    .map((status) =>
      historyEvent(`status ${JSON.stringify(status)}`, (edge) => edge.edit('IngressController', { status })),
    ),
)

/** Where routers are, and who else holds their ports. */
const placements: fc.Arbitrary<HistoryEvent> = fc
  .record({
    router: fc.constantFrom(
      { node: 'one' },
      { words: '0/1 nodes are available: 1 node(s) did not have free ports for the requested pod ports.' },
      { words: '0/1 nodes are available: 1 Insufficient cpu.' },
      { node: 'one', container: { state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } } } },
      { node: 'one', terminating: true },
    ),
    routers: fc.nat(2),
    holder: fc.constantFrom('nobody', 'a pod', 'a Service'),
  })
  .map(({ router, routers, holder }) =>
    historyEvent(`${routers} routers ${JSON.stringify(router)}, ports of ${holder}`, (edge) => {
      const pods = Array.from({ length: routers }, (_, number) => aRouterPod('edge', number, router))
      const others = holder === 'a pod' ? [aPod('other', { node: 'one', ports: [80] })] : []
      inCluster(edge, [aNode('one')], [...pods, ...others])
      const services = holder === 'a Service' ? [aNodePortService('web', 443)] : []
      edge.nodePortServices = services as object[] as AnyObject[]
    }),
  )

const several = (historyEvents: fc.Arbitrary<HistoryEvent>, maxLength: number) =>
  fc.array(
    historyEvents.map(({ what, apply }) => ({
      what,
      apply: (edge: Scene) => attempt(edge, apply),
      [fc.toStringMethod]: () => what,
    })),
    { maxLength },
  )

/** A controller on some platform, to which things happen one after the other. */
export const histories = fc.record({
  platform: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('AWS', 'Azure', 'GCP', 'IBMCloud', 'PowerVS', 'OpenStack') },
    { weight: 1, arbitrary: fc.constantFrom('unknown', ...platforms.map(({ name }) => name)) },
  ),
  isPublished: fc.boolean(),
  historyEvents: several(
    fc.oneof(
      { weight: 4, arbitrary: specChanges },
      { weight: 4, arbitrary: doneToService },
      { weight: 4, arbitrary: others },
      { weight: 1, arbitrary: changesOfType },
      { weight: 2, arbitrary: placements },
    ),
    12,
  ),
})

/** One whose owner agreed to deletions, changed the spec a few times, and then left it alone. */
export const historiesWithConsent = fc.record({
  platform: fc.constantFrom('AWS', 'IBMCloud', 'OpenStack', 'GCP'),
  specChanges: several(specChanges, 3),
  doneToService: several(doneToService, 8),
})

export function begin({
  platform,
  isPublished = false,
}: {
  readonly platform: string
  readonly isPublished?: boolean
}): Scene {
  const edge = anIngressController('edge')
  if (platform === 'unknown') return edge
  return isPublished ? edge.on(platform).scoped('External').published() : edge.on(platform)
}
