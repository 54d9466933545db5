import { expect, test } from 'vitest'
import { aNode, aRouterPod, inCluster, onHostPorts } from '../../testing/nodes.ts'
import { conditionOf } from '../../testing/pod-conditions.ts'
import type { Scene } from '../../testing/scene.ts'

const image = 'example.com/router:1'
const nodeOf = (number: number) => `node-${number}`

/** A router for each container, from 1, on a node of its own. */
function messageWith(containers: readonly object[], scene: Scene = onHostPorts()): string {
  const pods = containers.map((container, index) =>
    aRouterPod('third', index + 1, { node: nodeOf(index + 1), container: { ready: false, ...container } }),
  )
  const nodes = pods.map((_, index) => aNode(nodeOf(index + 1)))
  return conditionOf(inCluster(scene, nodes, pods), 'PodsStarted').message
}

const waits = (reason: string, message?: string, more: object = {}) => ({
  image,
  state: { waiting: { reason, message } },
  ...more,
})
const crashed = (message: string) => ({
  restartCount: 2,
  state: { waiting: { reason: 'CrashLoopBackOff' } },
  lastState: { terminated: { exitCode: 1, message } },
})
const backOff = waits('ImagePullBackOff', `Back-off pulling image "${image}"`)
const onNode = (number: number) => `openshift-ingress/router-third-${number} on node ${nodeOf(number)}`
const repeat = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)

test('A cause that several routers share is told once, with three of them at most and the command for the first', () => {
  const telling = (pods: string) =>
    `Pods ${pods} cannot pull image ${image} (ImagePullBackOff). The kubelet says: "not found". To see the events of the first: \`kubectl -n openshift-ingress describe pod/router-third-1\``
  const message = (count: number) => messageWith(repeat(count, waits('ErrImagePull', 'not found')))
  expect(message(2)).toBe(telling(`${onNode(1)} and ${onNode(2)}`))
  expect(message(3)).toBe(telling(`${onNode(1)}, ${onNode(2)} and ${onNode(3)}`))
  expect(message(4)).toBe(telling(`${onNode(1)}, ${onNode(2)}, ${onNode(3)} and 1 other`))
  expect(message(9)).toBe(telling(`${onNode(1)}, ${onNode(2)}, ${onNode(3)} and 6 others`))
})

test('Routers that fail alike are reported in the same way in whichever order they are listed', () => {
  const scene = onHostPorts()
  const pods = [1, 2].map((number) =>
    aRouterPod('third', number, { node: 'a', container: { ready: false, ...waits('ErrImagePull', 'no') } }),
  )
  const [one, other] = [pods, pods.toReversed()].map((listed) =>
    conditionOf(inCluster(scene, [aNode('a')], listed), 'PodsStarted'),
  )
  expect(one).toEqual(other)
})

test.each([
  ['image', waits('ErrImagePull', 'no'), waits('ErrImagePull', 'no', { image: 'example.com/other:1' })],
  ['words', waits('ErrImagePull', 'not found'), waits('ErrImagePull', 'unauthorized')],
  ['container', waits('CreateContainerError', 'no'), waits('CreateContainerError', 'no', { name: 'logs' })],
  ['reason', waits('CreateContainerError', 'no'), waits('ErrImagePull', 'no')],
])('Routers that fail with another %s are reported apart', (_, one, other) => {
  const message = messageWith([one, other])
  expect(message.match(/Pod openshift-ingress/g)).toHaveLength(2)
  expect(message).not.toContain('Pods')
})

test('Routers that cannot bind the same port are reported in one sentence', () => {
  expect(messageWith(repeat(5, crashed('bind :443: address already in use')))).toBe(
    `Pods ${onNode(1)}, ${onNode(2)}, ${onNode(3)} and 2 others cannot bind port 443 (https): on each of these nodes a process that the scheduler does not know of uses it. To find it, run \`ss -ltnp 'sport = :443'\` on the node; then stop it, or choose another httpsPort.`,
  )
})

test('Routers that crash alike are reported with the log of the first', () => {
  expect(messageWith(repeat(2, crashed('no memory')))).toBe(
    `Pods ${onNode(1)} and ${onNode(2)} fail to start or keep crashing. Its last output: "no memory". To see the log of the first: \`kubectl -n openshift-ingress logs router-third-1 --previous\``,
  )
})

test('Five causes are reported at most, and how many routers fail for others', () => {
  const causes = Array.from({ length: 6 }, (_, number) => crashed(`cause ${number}`))
  expect(messageWith(causes)).toMatch(/cause 4".*` 1 more router fails otherwise\.$/)
  expect(messageWith([...causes, ...repeat(2, crashed('cause 5'))])).toMatch(
    / 3 more routers fail otherwise\.$/,
  )
  expect(messageWith(causes.slice(1))).not.toContain('otherwise')
})

test('Words of the kubelet are cut after 300 characters, none of which is cut in two', () => {
  const quoted = (words: string) =>
    /says: "(.*)"\. To see/.exec(messageWith([waits('ErrImagePull', words)]))?.[1]
  expect(quoted('👩'.repeat(300))).toBe('👩'.repeat(300))
  expect(quoted('👩'.repeat(301))).toBe(`${'👩'.repeat(299)}…`)
})

test('The name of an image is left out of words that are too long with it, so that the cause is not', () => {
  const long = `quay.io/routers@sha256:${'0'.repeat(64)}`
  const said = (path: string) =>
    `failed to pull image "${path}": failed to resolve "${path}": failed to read "${path}": unauthorized`
  const message = messageWith([waits('ErrImagePull', said(long), { image: long })])
  expect(message).toContain(
    `cannot pull image ${long} (ImagePullBackOff). The kubelet says: "${said('…')}". To see`,
  )
})

test('Words do not contain the port that a connection happened to have', () => {
  const said = (port: number) =>
    `dial tcp: read udp 10.1.2.3:${port}->10.0.0.2:53, [fd00::1]:${port}->[fd00::2]:53: i/o timeout`
  const quoted = '"dial tcp: read udp 10.1.2.3->10.0.0.2:53, [fd00::1]->[fd00::2]:53: i/o timeout"'
  expect(messageWith([waits('ErrImagePull', said(41231)), waits('ErrImagePull', said(9))])).toContain(
    `and ${onNode(2)} cannot pull image ${image} (ImagePullBackOff). The kubelet says: ${quoted}.`,
  )
  // The end of the output begins within the port.
  const crashes = [41231, 54321].map((port) => crashed(`:${port}->${'x'.repeat(198)}`))
  expect(messageWith(crashes)).toContain(`Its last output: "->${'x'.repeat(198)}".`)
})

test('A kubelet that says nothing while it waits for the next attempt changes nothing in what is reported', () => {
  const scene = onHostPorts()
  const failed = messageWith([waits('ErrImagePull', 'read udp 10.1.2.3:41231->10.0.0.2:53: "no"')], scene)
  const { resourceVersion } = scene.controller.metadata
  expect(messageWith([backOff], scene)).toBe(failed)
  expect(messageWith([waits('ErrImagePull', 'read udp 10.1.2.3:500->10.0.0.2:53: "no"')], scene)).toBe(failed)
  expect(scene.controller.metadata.resourceVersion).toBe(resourceVersion)
})

test('A kubelet that says nothing from the beginning is not quoted', () => {
  expect(messageWith([backOff])).toMatch(
    /cannot pull image \S+ \(ImagePullBackOff\)\. To see its events: `[^`]+`$/,
  )
})

test('Words that stand for another image or another cause are not quoted again', () => {
  const scene = onHostPorts()
  messageWith([waits('ErrImagePull', 'not found', { image: 'example.com/other:1' })], scene)
  expect(messageWith([backOff], scene)).not.toContain('The kubelet says')
  messageWith([waits('CreateContainerError', 'not found')], scene)
  expect(messageWith([backOff], scene)).not.toContain('The kubelet says')
})

test('Words that stand for the same router are quoted again, before those that stand for others', () => {
  const scene = onHostPorts()
  const failed = messageWith(
    [waits('ErrImagePull', 'not found'), waits('ErrImagePull', 'unauthorized')],
    scene,
  )
  expect(messageWith([backOff, backOff], scene)).toBe(failed)
  const message = messageWith([backOff, backOff, backOff], scene)
  expect(message).toContain(`Pods ${onNode(1)} and ${onNode(3)} cannot pull image ${image}`)
  expect(message).toContain('"not found"')
})
