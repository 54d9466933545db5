// oxlint-disable max-lines -- One table of timelines, which together contain every reason of a condition.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import type { AnyObject } from '../testing/fake-api-server.ts'
import { aNode, aNodePortService, aPod, aRouterPod, inCluster, onHostPorts } from '../testing/nodes.ts'
import type { Scene } from '../testing/scene.ts'
import type { Condition } from './conditions/summary-conditions.ts'
import { autoDeleteAnnotation, ownerLabel } from './names.ts'
import { ingressReasons } from './reasons/reasons.ts'

/** What happens, in words and in code. */
type Step = readonly [words: string, act: (scene: Scene) => unknown]

const consents: Step = [
  'the user sets the auto-delete annotation',
  (edge) => edge.annotated({ [autoDeleteAnnotation]: '' }),
]
const routersRun: Step = ['the routers run', (edge) => edge.routersRun()]
const provided: Step = [
  'the cloud assigns an address',
  (edge) => edge.cloudProvides('a1b2-17.us-east-1.elb.amazonaws.com'),
]
const scoped = (scope: 'Internal' | 'External'): Step => [
  `the scope becomes ${scope}`,
  (edge) => edge.scoped(scope),
]
const turned = (type: string): Step => [
  `the type becomes ${type}`,
  (edge) => edge.spec({ endpointPublishingStrategy: { type, loadBalancer: null, hostNetwork: null } }),
]
const passes = (seconds: number): Step => [`${seconds} seconds pass`, (edge) => edge.later(seconds)]
const cloudSays = (...[reason, message]: Parameters<Scene['cloudSays']>): Step => [
  `the cloud reports ${reason}`,
  (edge) => edge.later(1).cloudSays(reason, message),
]
const deployment = (words: string, status: object): Step => [
  `the Deployment reports ${words}`,
  (edge) => edge.edit('Deployment', { status }, { manager: 'kcm' }),
]
const deleted: Step = ['the IngressController is deleted', (edge) => edge.remove('IngressController')]

const loadBalancer = (platform: string) => () =>
  anIngressController().on(platform).scoped('External').spec({ replicas: 2 })

const waiting = { words: '0/2 nodes are available: 2 of something else.' }
const pods =
  (...all: ReturnType<typeof aPod>[]) =>
  (scene: Scene) =>
    inCluster(scene, [aNode('a'), aNode('b'), aNode('c', { unschedulable: true })], all)

const secondRouter = (container: object) =>
  pods(aRouterPod('edge', 1, { node: 'a' }), aRouterPod('edge', 2, { node: 'b', container }))

const timelines: readonly [name: string, begin: () => Scene, ...steps: Step[]][] = [
  [
    'a load balancer that is provisioned late',
    loadBalancer('AWS'),
    cloudSays('EnsuringLoadBalancer'),
    cloudSays('SyncLoadBalancerFailed', 'Error syncing load balancer: TooManyLoadBalancers: quota exceeded'),
    passes(100),
    cloudSays('UnAvailableLoadBalancer', 'There are no available nodes for LoadBalancer'),
    provided,
    routersRun,
    cloudSays('EnsuredLoadBalancer'),
    cloudSays('SyncLoadBalancerFailed', 'Error syncing load balancer: no permission'),
    passes(100),
  ],
  [
    'a change of scope on AWS that is reverted, and then confirmed',
    loadBalancer('AWS'),
    provided,
    routersRun,
    scoped('Internal'),
    scoped('External'),
    scoped('Internal'),
    consents,
    ['the cloud removes the load balancer', (edge) => edge.cloudRemoves()],
    provided,
    deleted,
  ],
  [
    'a change of scope in place on Azure',
    loadBalancer('Azure'),
    ['the cloud assigns an address', (edge) => edge.cloudProvides('203.0.113.7')],
    routersRun,
    scoped('Internal'),
    cloudSays('SyncLoadBalancerFailed', 'subnet is full'),
    cloudSays('EnsuredLoadBalancer'),
    ['the address changes', (edge) => edge.cloudProvides('10.0.0.7')],
    [
      'the scope annotation is removed from the Service',
      (edge) =>
        edge.edit('Service', {
          metadata: { annotations: { 'service.beta.kubernetes.io/azure-load-balancer-internal': null } },
        }),
    ],
  ],
  [
    'a change of the load balancer type on AWS',
    loadBalancer('AWS'),
    provided,
    routersRun,
    [
      'the type NLB is requested',
      (edge) => edge.asking({ providerParameters: { type: 'AWS', aws: { type: 'NLB' } } }),
    ],
    ['allowedSourceRanges are set', (edge) => edge.asking({ allowedSourceRanges: ['192.0.2.0/24'] })],
    consents,
  ],
  [
    'changes of the strategy',
    loadBalancer('AWS'),
    provided,
    routersRun,
    turned('NodePortService'),
    turned('HostNetwork'),
    turned('Private'),
    routersRun,
    consents,
    ['the cloud removes the load balancer', (edge) => edge.cloudRemoves()],
    turned('LoadBalancerService'),
  ],
  [
    'a change from node ports to a load balancer and back with consent',
    () =>
      anIngressController()
        .on('GCP')
        .spec({ replicas: 2, endpointPublishingStrategy: { type: 'NodePortService' } }),
    routersRun,
    passes(100),
    turned('LoadBalancerService'),
    ['the cloud assigns an address', (edge) => edge.cloudProvides('203.0.113.7')],
    passes(59),
    passes(1),
    consents,
    turned('NodePortService'),
    passes(60),
    ['the cloud removes the load balancer', (edge) => edge.cloudRemoves()],
  ],
  [
    'a Service that is deleted, and created by another owner',
    loadBalancer('GCP'),
    ['the cloud assigns an address', (edge) => edge.cloudProvides('203.0.113.7')],
    routersRun,
    ['a user deletes the Service', (edge) => edge.remove('Service')],
    ['the cloud removes the load balancer', (edge) => edge.cloudRemoves()],
    [
      'the Service gets the owner label of another IngressController',
      (edge) => edge.edit('Service', { metadata: { labels: { [ownerLabel]: 'other' } } }),
    ],
    passes(100),
    [
      'so does the Deployment',
      (edge) => edge.edit('Deployment', { metadata: { labels: { [ownerLabel]: null } } }),
    ],
    passes(100),
  ],
  [
    'a spec that is invalid for several reasons',
    loadBalancer('AWS'),
    provided,
    routersRun,
    ['too many replicas are requested', (edge) => edge.spec({ replicas: 1000 })],
    [
      'two ports are equal',
      (edge) =>
        edge.spec({
          endpointPublishingStrategy: {
            type: 'HostNetwork',
            hostNetwork: { httpPort: 443, statsPort: 31_936 },
          },
        }),
    ],
    passes(100),
    [
      'the domain belongs to another IngressController',
      (edge) => {
        const creationTimestamp = '2029-01-01T00:00:00Z'
        const metadata = { name: 'rival', uid: 'rival', resourceVersion: '1', creationTimestamp }
        const domain = 'taken.example.com'
        edge.others = [{ metadata, spec: { domain }, status: { domain } }]
        edge.spec({ domain })
      },
    ],
    [
      'only the domain is in conflict',
      (edge) =>
        edge.spec({
          replicas: 2,
          endpointPublishingStrategy: { type: 'LoadBalancerService', hostNetwork: null },
        }),
    ],
    ['the other IngressController is deleted', (edge) => Object.assign(edge, { others: [] })],
  ],
  [
    'a Service that is edited on AWS',
    loadBalancer('AWS'),
    provided,
    routersRun,
    [
      'its scope annotation is edited',
      (edge) =>
        edge.edit('Service', {
          metadata: { annotations: { 'service.beta.kubernetes.io/aws-load-balancer-internal': 'true' } },
        }),
    ],
    passes(100),
  ],
  [
    'fields without effect',
    loadBalancer('AWS'),
    [
      'unsupported fields are set',
      (edge) =>
        edge.spec({
          tuningOptions: { threadCount: 8 },
          logging: { access: {} },
          endpointPublishingStrategy: {
            loadBalancer: { providerParameters: { type: 'GCP', gcp: { clientAccess: 'Global' } } },
          },
        }),
    ],
  ],
  ['an unknown platform', () => anIngressController(), passes(100)],
  [
    'a cluster without load balancers',
    () => anIngressController().on('None').scoped('External'),
    passes(100),
  ],
  [
    'writes that fail, and contested fields',
    loadBalancer('AWS'),
    provided,
    routersRun,
    [
      'the API server rejects writes',
      (edge) => Object.assign(edge, { problems: ['Cannot create Service a/b: exceeded quota.'] }),
    ],
    passes(100),
    [
      'another client keeps scaling the routers',
      (edge) => {
        edge.problems = []
        for (let round = 0; round < 6; round++) {
          edge.edit('Deployment', { spec: { replicas: 7 } }, { manager: 'hpa' })
          edge.settle()
        }
      },
    ],
    passes(100),
    [
      'other controllers write addresses',
      (edge) =>
        Object.assign(edge, {
          contestedIngresses: new Map([
            ['shop/cart', 'external-dns'],
            ['shop/pay', ''],
            ['pay/web', 'external-dns'],
          ]),
        }),
    ],
    passes(100),
  ],
  [
    'a rollout of routers',
    () => loadBalancer('AWS')().spec({ replicas: 4 }),
    provided,
    deployment('that pods start', {
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 4,
      availableReplicas: 1,
      conditions: [
        { type: 'Available', status: 'False', message: 'too few' },
        { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' },
      ],
    }),
    deployment('that it waits', {
      availableReplicas: 3,
      conditions: [
        { type: 'Available', status: 'True' },
        { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'too slow' },
      ],
    }),
    routersRun,
    ['another image is configured', (edge) => changeImage(edge)],
    deployment('that old pods are left', { replicas: 5, updatedReplicas: 2 }),
    deployment('that there are more than wanted', { replicas: 5, updatedReplicas: 4, availableReplicas: 5 }),
    routersRun,
    deployment('that pods are refused', {
      availableReplicas: 0,
      conditions: [
        { type: 'Available', status: 'False', message: 'too few' },
        { type: 'ReplicaFailure', status: 'True', message: 'pods "router-edge-1" is forbidden: quota' },
      ],
    }),
    passes(100),
    routersRun,
    deployment('that one is missing', { availableReplicas: 3 }),
    deployment('that there is one too many', { replicas: 5 }),
    deployment('nothing', { conditions: [] }),
  ],
  [
    'host ports that are in use',
    () => onHostPorts(undefined, 'edge'),
    ['the cluster has no nodes', (edge) => edge.later(1)],
    ['the cluster has nodes', pods()],
    ['a port is in use on one node', pods(aRouterPod('public', 1, { node: 'a' }))],
    passes(100),
    [
      'a port is in use on both nodes',
      pods(aRouterPod('public', 1, { node: 'a' }), aPod('web', { node: 'b', ports: [80] })),
    ],
    passes(100),
    [
      'a router is pending',
      pods(
        aRouterPod('edge', 1, waiting),
        aRouterPod('public', 1, { node: 'a' }),
        aPod('web', { node: 'b', ports: [80] }),
      ),
    ],
    passes(100),
    [
      'a router preempts a pod',
      pods(aRouterPod('edge', 1, { ...waiting, nominated: 'a' }), aPod('web', { node: 'a', ports: [80] })),
    ],
    [
      'a router cannot be scheduled',
      pods(aRouterPod('edge', 1, { node: 'a' }), aRouterPod('edge', 2, waiting)),
    ],
    [
      'routers of the IngressController use all nodes',
      pods(
        aRouterPod('edge', 1, { node: 'a' }),
        aRouterPod('edge', 2, { node: 'b' }),
        aRouterPod('edge', 3, waiting),
      ),
    ],
    [
      'older routers use the ports',
      pods(
        aRouterPod('edge', 1, { node: 'a', hash: 'old' }),
        aRouterPod('edge', 2, { node: 'b', hash: 'old', terminating: true }),
        aRouterPod('edge', 3, waiting),
      ),
    ],
    passes(100),
  ],
  [
    'routers that fail to start',
    () => onHostPorts(undefined, 'edge'),
    [
      'a router finds its port in use',
      pods(
        aRouterPod('edge', 1, {
          node: 'a',
          container: {
            restartCount: 3,
            state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } },
            lastState: {
              terminated: {
                exitCode: 1,
                reason: 'Error',
                message: 'cannot bind socket [0.0.0.0:80]: Address already in use',
              },
            },
          },
        }),
      ),
    ],
    passes(100),
    [
      'an image cannot be pulled',
      secondRouter({
        image: 'registry.example.com/router:2',
        state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } },
      }),
    ],
    passes(100),
    [
      'a container cannot be created',
      secondRouter({
        state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "tls" not found' } },
      }),
    ],
    [
      'a router crashes again and again',
      secondRouter({
        restartCount: 2,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode: 1, reason: 'Error', message: 'no route to host' } },
      }),
    ],
    ['all routers start', pods(aRouterPod('edge', 1, { node: 'a' }), aRouterPod('edge', 2, { node: 'b' }))],
    routersRun,
    [
      'a node is restarted',
      secondRouter({
        ready: false,
        started: false,
        restartCount: 1,
        state: { running: {} },
        lastState: { terminated: { exitCode: 255, reason: 'Unknown' } },
      }),
    ],
  ],
  [
    'host ports that are reserved or a node port',
    () => onHostPorts({ httpPort: 10_250, statsPort: 10_256 }, 'edge'),
    ['the cluster has nodes', pods()],
    passes(100),
    [
      'a Service has a port of the routers as its node port',
      (edge) => {
        edge.settings = { ...edge.settings, firstNodePort: 32_768 }
        edge.nodePortServices = [aNodePortService('web', 31_080)] as unknown as AnyObject[]
        edge.spec({ endpointPublishingStrategy: { hostNetwork: { httpPort: 31_080, statsPort: 1936 } } })
      },
    ],
    passes(100),
  ],
]

test('The recorded timelines contain every reason of a condition', () => {
  const said = timelines.map(([name]) => readFileSync(new URL(fileOf(name), import.meta.url), 'utf8')).join()
  const all = Object.entries(ingressReasons).filter(([, { conditions }]) => conditions.length > 0)
  const missing = all.map(([reason]) => reason).filter((reason) => !said.includes(`(${reason}): `))
  // It is true only until the first action is carried out.
  expect(missing).toEqual(['ServiceNotFound'])
})

function changeImage(edge: Scene): void {
  edge.settings = { ...edge.settings, routerImage: 'registry.example.com/router:2' }
}

/** The recorded files show every change of a message in review; `vitest run -u` updates them. */
test.each(timelines)(
  'The conditions and events of %s match the recorded timeline',
  async (name, begin, ...steps) => {
    const scene = begin()
    const pages = [page('the IngressController is created', scene)]
    for (const [words, act] of steps) {
      act(scene)
      pages.push(page(words, scene))
    }
    await expect(pages.join('\n')).toMatchFileSnapshot(fileOf(name))
  },
)

function fileOf(name: string): string {
  return `condition-timelines/${name.replaceAll(/[ ,]+/g, '-')}.txt`
}

/** The conditions and events that a step changes. */
function page(words: string, scene: Scene): string {
  const before = conditionsOf(scene)
  const eventsBefore = scene.events.length
  const { addresses, requeueAt } = scene.settle()
  const news = conditionsOf(scene).filter((line) => !before.includes(line))
  const events = scene.events
    .slice(eventsBefore)
    .map(({ type, reason, note }) => `  ${type} ${reason}: ${note}`)
  const again = requeueAt && (requeueAt.getTime() - scene.server.now.getTime()) / 1000
  return [
    `# ${words}`,
    ...news,
    ...(events.length > 0 ? ['events:', ...events] : []),
    `addresses: ${addresses.map((address) => JSON.stringify(address)).join(', ') || 'none'}`,
    ...(again === undefined ? [] : [`requeued after ${again} s`]),
    '',
  ].join('\n')
}

function conditionsOf(scene: Scene): string[] {
  if (scene.server.get('IngressController', scene.name) === undefined) return []
  const conditions = (scene.controller.status?.conditions ?? []) as Condition[]
  return conditions.map(({ type, status, reason, message }) => `${type}=${status} (${reason}): ${message}`)
}
