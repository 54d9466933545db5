import { expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import { aNode, aRouterPod, inCluster, onHostPorts } from '../testing/nodes.ts'
import type { Scene } from '../testing/scene.ts'
import { commandsIn } from './commands.ts'
import { decide } from './decide.ts'
import { findPlatform } from './platforms/find-platform.ts'
import type { Snapshot } from './snapshot.ts'

/** Brings a command, clears the screen, turns the direction of writing, and begins a line of its own. */
const hostile = 'x `smuggled | sh` \u001b[2J\u009b2J\u202e\r\nDone: `smuggled`'

const controlChars = /[^\P{Cc}\n]|\p{Cf}|[\u2028\u2029]/u

/** All that the operator says of a controller, in conditions and in Events. */
function textsOf(snapshot: Snapshot): string[] {
  const { status, events, actions } = decide(snapshot)
  return [
    ...(status?.conditions ?? []).map(({ message }) => message ?? ''),
    ...[...events, ...actions.flatMap(({ event }) => event ?? [])].map(({ note }) => note),
  ]
}

const onAws = () => anIngressController().on('AWS').scoped('External').published()

function withRouters(scene: Scene, words: string, container?: object): Scene {
  const nodes = ['a', 'b'].map((name) => aNode(name))
  return inCluster(scene, nodes, [
    aRouterPod(scene.name, 1, { words, ports: [] }),
    aRouterPod(scene.name, 2, { node: 'a', ports: [], ...(container && { container }) }),
  ])
}

function refused(spec: Parameters<Scene['spec']>[0]): Snapshot {
  return anIngressController().on('AWS').spec(spec).snapshot()
}

function withAddresses(address: string): Snapshot {
  const scene = onHostPorts()
  scene.settle()
  scene.routersRun()
  const node = { ...aNode('a'), status: { addresses: [{ type: 'InternalIP', address }] } }
  const { spec, ...pod } = aRouterPod(scene.name, 1, { node: 'a' })
  const containers = [{ name: 'router', ports: [{ containerPort: 80, hostPort: 80, name: 'http' }] }]
  const router = {
    ...pod,
    spec: { ...spec, containers },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  }
  return inCluster(scene, [node], [router]).snapshot()
}

const platformStatus = (type: string) => ({ infrastructure: { status: { platformStatus: { type } } } })
const unknown = { infrastructure: undefined, providerIds: [], setting: undefined }

const sayings: Record<string, (text: string) => Snapshot> = {
  'the cloud': (text) => onAws().later(60).cloudSays('SyncLoadBalancerFailed', text).snapshot(),
  'the cloud, of what is being deleted': (text) =>
    onAws().later(60).cloudSays('SyncLoadBalancerFailed', text).remove('Service').snapshot(),
  'the API server': (text) => {
    const scene = onAws()
    scene.problems = [`Cannot patch: ${text}`]
    return scene.snapshot()
  },
  'the scheduler': (text) => withRouters(onAws(), text).snapshot(),
  'a router that ends': (text) =>
    withRouters(onAws(), '', {
      restartCount: 1,
      state: { terminated: { exitCode: 1, message: text } },
    }).snapshot(),
  'a router whose image is not pulled': (text) =>
    withRouters(onAws(), '', {
      image: text,
      state: { waiting: { reason: 'ErrImagePull', message: text } },
    }).snapshot(),
  'a router that cannot be created': (text) =>
    withRouters(onAws(), '', {
      state: { waiting: { reason: 'CreateContainerError', message: text } },
    }).snapshot(),
  'a router that waits': (text) =>
    withRouters(onAws(), '', { state: { waiting: { reason: text, message: text } } }).snapshot(),
  'the Deployment': (text) =>
    onAws()
      .edit('Deployment', {
        status: { conditions: [{ type: 'Available', status: 'False', reason: text, message: text }] },
      })
      .snapshot(),
  'the Deployment whose pods are refused': (text) =>
    onAws()
      .edit('Deployment', {
        status: {
          availableReplicas: 0,
          conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: text }],
        },
      })
      .snapshot(),
  'who writes over addresses': (text) => ({
    ...onAws().snapshot(),
    contestedIngresses: new Map([['shop/web', text]]),
  }),
  'a field that nobody knows': (text) =>
    onAws()
      .spec({ [text]: text, httpHeaders: { [text]: text } })
      .snapshot(),
  'the domain': (text) => refused({ domain: `${text}${'x'.repeat(250)}` }),
  'the domain that another has': (text) => {
    const other = anIngressController('other').spec({ domain: text })
    const scene = anIngressController().on('AWS').spec({ domain: text })
    scene.others = [{ ...other.controller, status: { domain: text } }]
    return scene.snapshot()
  },
  'the certificate': (text) => refused({ defaultCertificate: { name: text } }),
  'the key of a selector': (text) => refused({ namespaceSelector: { matchLabels: { [text]: 'x' } } }),
  'the value of a selector': (text) => refused({ routeSelector: { matchLabels: { x: text } } }),
  'an expression': (text) =>
    refused({ routeSelector: { matchExpressions: [{ key: text, operator: text, values: [text] }] } }),
  'the nodes for routers': (text) =>
    refused({ nodePlacement: { nodeSelector: { matchLabels: { [text]: text } } } }),
  'a toleration': (text) =>
    refused({ nodePlacement: { tolerations: [{ key: text, operator: text, value: text, effect: text }] } }),
  'Infrastructure "cluster"': (text) => ({
    ...refused({ replicas: 1 }),
    platform: findPlatform({ ...unknown, ...(platformStatus(text) as object) }),
  }),
  'the id of a node': (text) => ({
    ...refused({ replicas: 1 }),
    platform: findPlatform({ ...unknown, providerIds: [`${text}://a`] }),
  }),
  'the ids of nodes': (text) => ({
    ...refused({ replicas: 1 }),
    platform: findPlatform({ ...unknown, providerIds: [`${text}://a`, 'aws://b'] }),
  }),
  '--platform': (text) => ({
    ...refused({ replicas: 1 }),
    platform: findPlatform({ ...unknown, setting: text }),
  }),
  'the source ranges of a load balancer that is left over': (text) =>
    onAws()
      .edit('Service', { spec: { loadBalancerSourceRanges: [text] } })
      .spec({ endpointPublishingStrategy: { type: 'Private', loadBalancer: null } })
      .snapshot(),
}

test.each(Object.entries(sayings))(
  'Text from %s is quoted, and brings no command into conditions and Events',
  (_, snapshotWith) => {
    const said = textsOf(snapshotWith(hostile))
    expect(said.join('\n')).toContain('smuggled')
    expect(said.flatMap(commandsIn).filter((command) => !isOurs(command))).toEqual([])
    expect(said.filter((message) => controlChars.test(message))).toEqual([])
    expect(said.flatMap((message) => message.split('\n')).filter((line) => line.startsWith('Done'))).toEqual(
      [],
    )
  },
)

test('A note of the operator that another client has rewritten is not quoted', () => {
  const note = JSON.stringify({ scope: 'External', type: hostile })
  const annotations = { 'portcullis.dev/load-balancer-made-as': note }
  const edge = onAws().edit('Service', { metadata: { annotations } }, { manager: 'portcullis' })
  edge.edit('Service', { status: { loadBalancer: null } })
  expect(textsOf(edge.snapshot()).join()).not.toContain('smuggled')
})

/** Begins with a program that we name; what others wrote is one word of it, in quotes. */
function isOurs(command: string): boolean {
  const unquoted = command.replaceAll(/'[^']*'/g, '')
  return /^(kubectl|oc|portcullis|ss) /.test(command) && !unquoted.includes('smuggled')
}

test('A value in the status of a node that is not an address is not quoted', () => {
  expectNothingSmuggled(withAddresses(hostile))
})

test('A value in the status of a load balancer that is not an address is not quoted', () => {
  const ingress = [{ hostname: hostile }, { ip: hostile }]
  expectNothingSmuggled(
    onAws()
      .edit('Service', { status: { loadBalancer: { ingress } } })
      .snapshot(),
  )
})

function expectNothingSmuggled(snapshot: Snapshot): void {
  const said = textsOf(snapshot)
  expect(said.join('\n')).not.toContain('smuggled')
  expect(said.flatMap(commandsIn).filter((command) => !isOurs(command))).toEqual([])
}
