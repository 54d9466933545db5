import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import type { AnyObject } from '../testing/fake-api-server.ts'
import { aNode, aNodePortService, aPod, aRouterPod, inCluster, onHostPorts } from '../testing/nodes.ts'
import type { Scene } from '../testing/scene.ts'
import type { Condition } from './conditions/summary-conditions.ts'
import { autoDeleteAnnotation, ownerLabel } from './names.ts'
import { ingressReasons } from './reasons/reasons.ts'

/** What somebody does, in words; and how. */
type Step = readonly [words: string, act: (scene: Scene) => unknown]

const consents: Step = [
  'the owner agrees to the deletion of load balancers',
  (edge) => edge.annotated({ [autoDeleteAnnotation]: '' }),
]
const routersRun: Step = ['the routers run', (edge) => edge.routersRun()]
const provided: Step = [
  'the cloud gives an address',
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
  `the cloud says ${reason}`,
  (edge) => edge.later(1).cloudSays(reason, message),
]
const deployment = (words: string, status: object): Step => [
  `the Deployment says ${words}`,
  (edge) => edge.edit('Deployment', { status }, { manager: 'kcm' }),
]
const deleted: Step = ['the controller is deleted', (edge) => edge.remove('IngressController')]

const loadBalancer = (platform: string) => () =>
  anIngressController().on(platform).scoped('External').spec({ replicas: 2 })

const waiting = { words: '0/2 nodes are available: 2 of something else.' }
const pods =
  (...all: ReturnType<typeof aPod>[]) =>
  (scene: Scene) =>
    inCluster(scene, [aNode('a'), aNode('b'), aNode('c', { unschedulable: true })], all)

const lives: readonly [name: string, begin: () => Scene, ...steps: Step[]][] = [
  [
    'a load balancer that comes late',
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
    'a scope that waits on AWS, is taken back, and is agreed to',
    loadBalancer('AWS'),
    provided,
    routersRun,
    scoped('Internal'),
    scoped('External'),
    scoped('Internal'),
    consents,
    ['the cloud lets go of the load balancer', (edge) => edge.cloudRemoves()],
    provided,
    deleted,
  ],
  [
    'a scope that changes in place on Azure',
    loadBalancer('Azure'),
    ['the cloud gives an address', (edge) => edge.cloudProvides('203.0.113.7')],
    routersRun,
    scoped('Internal'),
    cloudSays('SyncLoadBalancerFailed', 'subnet is full'),
    cloudSays('EnsuredLoadBalancer'),
    ['the address becomes another', (edge) => edge.cloudProvides('10.0.0.7')],
    [
      'somebody takes the annotation of the scope away',
      (edge) =>
        edge.edit('Service', {
          metadata: { annotations: { 'service.beta.kubernetes.io/azure-load-balancer-internal': null } },
        }),
    ],
  ],
  [
    'another type of load balancer on AWS',
    loadBalancer('AWS'),
    provided,
    routersRun,
    [
      'it is to be an NLB',
      (edge) => edge.asking({ providerParameters: { type: 'AWS', aws: { type: 'NLB' } } }),
    ],
    ['and open to some alone', (edge) => edge.asking({ allowedSourceRanges: ['192.0.2.0/24'] })],
    consents,
  ],
  [
    'other types, one after the other',
    loadBalancer('AWS'),
    provided,
    routersRun,
    turned('NodePortService'),
    turned('HostNetwork'),
    turned('Private'),
    routersRun,
    consents,
    ['the cloud lets go of the load balancer', (edge) => edge.cloudRemoves()],
    turned('LoadBalancerService'),
  ],
  [
    'a Service that goes, and comes from somebody else',
    loadBalancer('GCP'),
    ['the cloud gives an address', (edge) => edge.cloudProvides('203.0.113.7')],
    routersRun,
    ['somebody deletes the Service', (edge) => edge.remove('Service')],
    ['the cloud lets go of the load balancer', (edge) => edge.cloudRemoves()],
    [
      'the Service is labelled as another’s',
      (edge) => edge.edit('Service', { metadata: { labels: { [ownerLabel]: 'other' } } }),
    ],
    passes(100),
    [
      'so is the Deployment',
      (edge) => edge.edit('Deployment', { metadata: { labels: { [ownerLabel]: null } } }),
    ],
    passes(100),
  ],
  [
    'a spec that is refused, for several reasons',
    loadBalancer('AWS'),
    provided,
    routersRun,
    ['too many replicas are asked for', (edge) => edge.spec({ replicas: 1000 })],
    [
      'and ports that are the same',
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
      'and a domain that is another’s',
      (edge) => {
        const creationTimestamp = '2029-01-01T00:00:00Z'
        const metadata = { name: 'rival', uid: 'rival', resourceVersion: '1', creationTimestamp }
        const domain = 'taken.example.com'
        edge.others = [{ metadata, spec: { domain }, status: { domain } }]
        edge.spec({ domain })
      },
    ],
    [
      'the domain alone stands in the way',
      (edge) =>
        edge.spec({
          replicas: 2,
          endpointPublishingStrategy: { type: 'LoadBalancerService', hostNetwork: null },
        }),
    ],
    ['the other is gone', (edge) => Object.assign(edge, { others: [] })],
  ],
  [
    'a Service that somebody edits on AWS',
    loadBalancer('AWS'),
    provided,
    routersRun,
    [
      'its scope is changed by hand',
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
      'some are set',
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
  ['a platform that nobody knows', () => anIngressController(), passes(100)],
  [
    'a cluster without load balancers',
    () => anIngressController().on('None').scoped('External'),
    passes(100),
  ],
  [
    'writes that fail, and fields that others want',
    loadBalancer('AWS'),
    provided,
    routersRun,
    [
      'the API server refuses',
      (edge) => Object.assign(edge, { problems: ['Cannot create Service a/b: exceeded quota.'] }),
    ],
    passes(100),
    [
      'somebody scales the routers again and again',
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
      'others write addresses',
      (edge) =>
        Object.assign(edge, {
          contestedIngresses: new Map([
            ['shop/cart', 'external-dns'],
            ['shop/pay', 'somebody'],
            ['pay/web', 'external-dns'],
          ]),
        }),
    ],
    passes(100),
  ],
  [
    'routers that come and go',
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
    'ports of nodes that others hold',
    () => onHostPorts(undefined, 'edge'),
    ['there are no nodes', (edge) => edge.later(1)],
    ['there are nodes', pods()],
    ['one is taken', pods(aRouterPod('public', 1, { node: 'a' }))],
    passes(100),
    ['both are taken', pods(aRouterPod('public', 1, { node: 'a' }), aPod('web', { node: 'b', ports: [80] }))],
    passes(100),
    [
      'a router waits',
      pods(
        aRouterPod('edge', 1, waiting),
        aRouterPod('public', 1, { node: 'a' }),
        aPod('web', { node: 'b', ports: [80] }),
      ),
    ],
    passes(100),
    [
      'a router makes room',
      pods(aRouterPod('edge', 1, { ...waiting, nominated: 'a' }), aPod('web', { node: 'a', ports: [80] })),
    ],
    ['a router finds no node', pods(aRouterPod('edge', 1, { node: 'a' }), aRouterPod('edge', 2, waiting))],
    [
      'its own routers take all nodes',
      pods(
        aRouterPod('edge', 1, { node: 'a' }),
        aRouterPod('edge', 2, { node: 'b' }),
        aRouterPod('edge', 3, waiting),
      ),
    ],
    [
      'its own of before are in the way',
      pods(
        aRouterPod('edge', 1, { node: 'a', hash: 'old' }),
        aRouterPod('edge', 2, { node: 'b', hash: 'old', terminating: true }),
        aRouterPod('edge', 3, waiting),
      ),
    ],
    passes(100),
  ],
  [
    'routers that do not start',
    () => onHostPorts(undefined, 'edge'),
    [
      'one finds its port in use',
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
      'one has no image',
      pods(
        aRouterPod('edge', 1, { node: 'a' }),
        aRouterPod('edge', 2, {
          node: 'b',
          container: { state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } },
        }),
      ),
    ],
    passes(100),
    ['all start', pods(aRouterPod('edge', 1, { node: 'a' }), aRouterPod('edge', 2, { node: 'b' }))],
    routersRun,
  ],
  [
    'ports that somebody else may take',
    () => onHostPorts({ httpPort: 10_250, statsPort: 10_256 }, 'edge'),
    ['there are nodes', pods()],
    passes(100),
    [
      'a Service has one as its node port',
      (edge) => {
        edge.settings = { ...edge.settings, firstNodePort: 32_768 }
        edge.nodePortServices = [aNodePortService('web', 31_080)] as unknown as AnyObject[]
        edge.spec({ endpointPublishingStrategy: { hostNetwork: { httpPort: 31_080, statsPort: 1936 } } })
      },
    ],
    passes(100),
  ],
]

test('every reason that a condition can have is among them', () => {
  const said = lives.map(([name]) => readFileSync(new URL(fileOf(name), import.meta.url), 'utf8')).join()
  const all = Object.entries(ingressReasons).filter(([, { conditions }]) => conditions.length > 0)
  const unsaid = all.map(([reason]) => reason).filter((reason) => !said.includes(`(${reason}): `))
  // It is true only until the first action is carried out.
  expect(unsaid).toEqual(['ServiceNotFound'])
})

function changeImage(edge: Scene): void {
  edge.settings = { ...edge.settings, routerImage: 'registry.example.com/router:2' }
}

/** To the last word: whoever changes one sees it in the file, and so does whoever reviews it. `vitest run -u` writes them anew. */
test.each(lives)('all that is said of %s is known', async (name, begin, ...steps) => {
  const scene = begin()
  const pages = [page('it is made', scene)]
  for (const [words, act] of steps) {
    act(scene)
    pages.push(page(words, scene))
  }
  await expect(pages.join('\n')).toMatchFileSnapshot(fileOf(name))
})

function fileOf(name: string): string {
  return `condition-timelines/${name.replaceAll(/[ ,]+/g, '-')}.txt`
}

/** What is new by what somebody did. */
function page(words: string, scene: Scene): string {
  const before = conditionsOf(scene)
  const told = scene.events.length
  const { addresses, requeueAt } = scene.settle()
  const news = conditionsOf(scene).filter((line) => !before.includes(line))
  const events = scene.events.slice(told).map(({ type, reason, note }) => `  ${type} ${reason}: ${note}`)
  const again = requeueAt && (requeueAt.getTime() - scene.server.now.getTime()) / 1000
  return [
    `# ${words}`,
    ...news,
    ...(events.length > 0 ? ['events:', ...events] : []),
    `addresses: ${addresses.map((address) => JSON.stringify(address)).join(', ') || 'none'}`,
    ...(again === undefined ? [] : [`looks again after ${again} s`]),
    '',
  ].join('\n')
}

function conditionsOf(scene: Scene): string[] {
  if (scene.server.get('IngressController', scene.name) === undefined) return []
  const conditions = (scene.controller.status?.conditions ?? []) as Condition[]
  return conditions.map(({ type, status, reason, message }) => `${type}=${status} (${reason}): ${message}`)
}
