import { describe, expect, test } from 'vitest'
import { aNode, aRouterPod, inCluster, onHostPorts } from '../../testing/nodes.ts'
import { conditionOf } from '../../testing/pod-conditions.ts'

describe('a router that fails to start', () => {
  const crash = (message?: string, exitCode = 1) => ({ terminated: { exitCode, message } })
  const bind = 'cannot bind socket (Address already in use) for [0.0.0.0:443]'
  const started = (container: object) =>
    conditionOf(
      inCluster(onHostPorts(), [aNode('a')], [aRouterPod('third', 1, { node: 'a', container })]),
      'PodsStarted',
    )

  test.each([
    ['has ended', { ready: false, state: crash(bind) }],
    [
      'waits for its next try',
      { ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: crash(bind) },
    ],
    ['tries again', { ready: false, started: false, state: { running: {} }, lastState: crash(bind) }],
  ])('is reported with port, node and the command that finds the process if it %s', (_, container) => {
    const { status, reason, message } = started(container)
    expect([status, reason]).toEqual(['False', 'PortInUse'])
    expect(message).toBe(
      "Pod openshift-ingress/router-third-1 cannot bind port 443 (https) on node a: a process that the scheduler does not know of uses it. To find it, run `ss -ltnp 'sport = :443'` on the node; then stop it, or choose another httpsPort.",
    )
  })

  test.each([
    ['listen tcp :1936: bind: address already in use', 'port 1936 (metrics)'],
    ['listen tcp [::]:80: bind: address already in use', 'port 80 (http)'],
  ])('%s', (words, expected) => {
    expect(started({ ready: false, state: crash(words) }).message).toContain(expected)
  })

  test.each(['bind :8080: address already in use', 'out of memory on :443'])(
    'words that tell of something else are quoted, with the command for more: %s',
    (words) => {
      const { reason, message } = started({ ready: false, state: crash(words) })
      expect(reason).toBe('RouterFails')
      expect(message).toBe(
        `Pod openshift-ingress/router-third-1 on node a fails to start or keeps crashing. Its last output: "${words}". To see its log: \`kubectl -n openshift-ingress logs router-third-1 --previous\``,
      )
    },
  )

  test.each([undefined, '', ' \n'])('is reported without its output if that is empty: %j', (words) => {
    expect(started({ ready: false, state: crash(words) }).message).toContain(
      'fails to start or keeps crashing. To see its log: ',
    )
  })

  test('is reported with its output without surrounding white space', () => {
    const { message } = started({ ready: false, state: crash('  out of memory \n') })
    expect(message).toContain('Its last output: "out of memory"')
  })

  test('is not reported with a port whose bind error is far from the end of its output', () => {
    const { reason } = started({ ready: false, state: crash(`${bind}\n${'x'.repeat(3000)}`) })
    expect(reason).toBe('RouterFails')
  })

  test('is not reported if it is terminating', () => {
    const pod = aRouterPod('third', 1, {
      node: 'a',
      terminating: true,
      container: { ready: false, state: crash(bind) },
    })
    expect(conditionOf(inCluster(onHostPorts(), [aNode('a')], [pod]), 'PodsStarted').status).toBe('True')
  })

  test('is reported with the end of its output, without cutting a character in two', () => {
    const { message } = started({
      ready: false,
      state: crash(`${'x'.repeat(500_000)}${'👩'.repeat(150)}${'y'.repeat(99)}\n`),
    })
    expect(message).toContain(`Its last output: "${'👩'.repeat(101)}${'y'.repeat(99)}"`)
  })

  test('is reported beside others that fail, and PortInUse takes precedence as the reason', () => {
    const failing = [bind, 'out of memory'].map((words, at) =>
      aRouterPod('third', at, { node: 'a', container: { ready: false, state: crash(words) } }),
    )
    const [one, other] = [failing, failing.toReversed()].map((pods) =>
      conditionOf(inCluster(onHostPorts(), [aNode('a')], pods), 'PodsStarted'),
    )
    expect(one).toEqual(other)
    expect(one?.reason).toBe('PortInUse')
    expect(one?.message).toMatch(
      /cannot bind port 443 .* fails to start or keeps crashing\. Its last output: "out of memory"/,
    )
  })

  test('is reported if its image cannot be pulled', () => {
    const state = { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x"' } }
    expect(started({ ready: false, state }).message).toContain('Back-off pulling image "x"')
  })

  test.each([
    ['is being created', { ready: false, state: { waiting: { reason: 'ContainerCreating' } } }],
    ['waits for its init containers', { ready: false, state: { waiting: { reason: 'PodInitializing' } } }],
    ['waits, and does not say for what', { ready: false, state: { waiting: {} } }],
    ['is ready', { ready: true, state: { running: {} }, lastState: crash(bind) }],
    ['has recovered', { ready: true, started: true, state: { running: {} }, lastState: crash(bind) }],
    [
      'runs, but is not ready',
      { ready: false, started: true, state: { running: {} }, lastState: crash(bind) },
    ],
    ['has ended well', { ready: false, state: crash(undefined, 0) }],
  ])('is not reported if it %s', (_, container) => {
    expect(started(container).status).toBe('True')
  })
})
