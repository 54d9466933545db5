import { expect, test } from 'vitest'
import { defaultAddressSettings } from '../addresses/settings.ts'
import { anIngressController } from '../testing/a-snapshot.ts'
import { aNode, aPod, onHostPorts } from '../testing/nodes.ts'
import type { Scene } from '../testing/scene.ts'
import { overview } from './overview.ts'

const anIngress = (name: string, ip?: string, ingressClassName = 'portcullis-edge') => ({
  metadata: { namespace: 'shop', name, uid: name, resourceVersion: '1' },
  spec: { ingressClassName },
  ...(ip && { status: { loadBalancer: { ingress: [{ ip }] } } }),
})

const of = (
  { controller, server }: Pick<Scene, 'controller' | 'server'>,
  ingresses: object[] = [],
  namespaces: object[] = [],
) =>
  overview(
    controller,
    {
      ingresses: ingresses as never,
      classes: server.list('IngressClass') as never,
      namespaces: namespaces as never,
    },
    defaultAddressSettings,
  )

test('A healthy controller is shown with its address, and with nothing to do', () => {
  const scene = anIngressController().on('AWS').scoped('External').published()
  expect(of(scene)).toMatchObject({
    name: 'edge',
    strategy: 'LoadBalancerService',
    scope: 'External',
    addresses: ['a1b2-17.us-east-1.elb.amazonaws.com'],
    available: 'True',
    degraded: 'False',
    routers: 2,
    ports: [],
    pending: [],
    problems: [],
    isAnswered: true,
    isBeingDeleted: false,
  })
})

test('Ingresses of the class are counted, and those that still wait for an address', () => {
  const scene = anIngressController().on('AWS').scoped('External').published()
  const ingresses = [anIngress('a', '192.0.2.1'), anIngress('b'), anIngress('c', undefined, 'other')]
  expect(of(scene, ingresses).ingresses).toEqual({ count: 2, waiting: 1, excluded: 0 })
})

test('Ingresses that its selectors leave out wait for nothing, and are counted apart', () => {
  const scene = anIngressController().on('AWS').scoped('External').published()
  const inNamespace = (namespace: string, name: string, labels = {}) => {
    const ingress = anIngress(name)
    return { ...ingress, metadata: { ...ingress.metadata, namespace, labels } }
  }
  const namespaces = [
    { metadata: { name: 'trusted', labels: { shard: 'trusted' } } },
    { metadata: { name: 'tenant' } },
  ]
  const ingresses = [
    inNamespace('trusted', 'a', { edge: 'yes' }),
    inNamespace('trusted', 'b'),
    inNamespace('tenant', 'c', { edge: 'yes' }),
    inNamespace('not-listed', 'd', { edge: 'yes' }),
  ]
  const counted = (selectors: object) => {
    const { controller, server } = scene
    const selecting = { ...controller, status: { ...controller.status, ...selectors } }
    return of({ controller: selecting, server }, ingresses, namespaces).ingresses
  }
  const namespaceSelector = { matchLabels: { shard: 'trusted' } }
  const routeSelector = { matchLabels: { edge: 'yes' } }
  expect(counted({})).toEqual({ count: 4, waiting: 4, excluded: 0 })
  expect(counted({ namespaceSelector })).toEqual({ count: 3, waiting: 3, excluded: 1 })
  expect(counted({ routeSelector })).toEqual({ count: 3, waiting: 3, excluded: 1 })
  expect(counted({ namespaceSelector, routeSelector })).toEqual({ count: 2, waiting: 2, excluded: 2 })
})

test('A change that waits for a person comes with its commands', () => {
  const scene = anIngressController().on('AWS').scoped('External').published().scoped('Internal')
  scene.settle()
  const [pending] = of(scene).pending
  expect(pending).toMatchObject({ condition: 'Progressing', reason: 'ScopeChanged', waitsForYou: true })
  expect(pending?.commands).toEqual([
    'kubectl -n openshift-ingress delete svc/router-edge',
    expect.stringContaining('"scope":"External"'),
  ])
})

test('A conflict is shown once, with what to do about it', () => {
  const scene = onHostPorts()
  scene.nodes = [aNode('n1')] as never
  scene.hostPortPods = [aPod('web', { node: 'n1', ports: [80] })] as never
  scene.settle()
  scene.routersRun(0)
  scene.settle()
  const ports = of(scene).problems.filter(({ reason }) => reason.includes('Port'))
  expect(ports).toMatchObject([{ condition: 'PortsAvailable', reason: 'PortsTaken' }])
  expect(ports[0]?.commands).toHaveLength(1)
})

test('A spec that the operator has not observed yet is shown as such', () => {
  const scene = anIngressController().on('AWS').scoped('External').published().scoped('Internal')
  expect(of(scene).isAnswered).toBe(false)
})

test('The state of a controller that was never reconciled is unknown', () => {
  expect(of(anIngressController())).toMatchObject({
    strategy: undefined,
    addresses: [],
    available: 'Unknown',
    degraded: 'Unknown',
    routers: 0,
    pending: [],
    problems: [],
  })
})

test('A controller on host ports names all of them', () => {
  const scene = onHostPorts()
  scene.settle()
  expect(of(scene).ports).toEqual([80, 443, 1936])
})

test('Ingresses of another controller’s class are not counted', () => {
  const [ours, theirs] = ['edge', 'other'].map((name) => anIngressController(name).on('AWS'))
  ours?.settle()
  theirs?.settle()
  const classes = [ours, theirs].flatMap((scene) => scene?.server.list('IngressClass') ?? [])
  const ingresses = [anIngress('a'), anIngress('b', undefined, 'portcullis-other')]
  const { count } = overview(
    ours?.controller as never,
    { ingresses, classes: classes as never, namespaces: [] },
    defaultAddressSettings,
  ).ingresses
  expect(count).toBe(1)
})

test.each([
  ['ScopeChanged', true],
  ['LoadBalancerTypeChanged', true],
  ['TypeChanged', true],
  ['ServiceEdited', true],
  ['ScopeChanging', false],
  ['DeploymentRollingOut', false],
])('A change with the reason %s waits for a person: %s', (reason, waitsForYou) => {
  expect(progressingBy({ reason, message: 'Do `it`.' })).toEqual([
    {
      condition: 'Progressing',
      status: 'True',
      reason,
      since: '2030-01-01T00:00:00Z',
      message: 'Do `it`.',
      commands: ['it'],
      waitsForYou,
    },
  ])
})

test('A condition without a reason and a message is shown with empty ones', () => {
  expect(progressingBy({})).toMatchObject([{ reason: '', message: '', commands: [], waitsForYou: false }])
})

function progressingBy(more: { readonly reason?: string; readonly message?: string }) {
  const { controller, server } = anIngressController()
  const progressing = {
    type: 'Progressing',
    status: 'True',
    lastTransitionTime: '2030-01-01T00:00:00Z',
    ...more,
  }
  return of({ controller: { ...controller, status: { conditions: [progressing] } }, server }).pending
}
