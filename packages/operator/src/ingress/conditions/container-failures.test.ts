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
    ['has ended again', { ready: false, restartCount: 1, state: crash(bind) }],
    [
      'waits for its next try',
      { ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: crash(bind) },
    ],
    [
      'tries for the third time',
      { ready: false, started: false, restartCount: 2, state: { running: {} }, lastState: crash(bind) },
    ],
  ])(
    'A router that fails to start is reported with port, node and the command that finds the process if it %s',
    (_, container) => {
      const { status, reason, message } = started(container)
      expect([status, reason]).toEqual(['False', 'PortInUse'])
      expect(message).toBe(
        "Pod openshift-ingress/router-third-1 cannot bind port 443 (https) on node a: a process that the scheduler does not know of uses it. To find it, run `ss -ltnp 'sport = :443'` on the node; then stop it, or choose another httpsPort.",
      )
    },
  )

  test.each([
    ['listen tcp :1936: bind: address already in use', 'port 1936 (metrics)'],
    ['listen tcp [::]:80: bind: address already in use', 'port 80 (http)'],
  ])('A router that fails to start is reported with the port in its output: %s', (words, expected) => {
    expect(started({ ready: false, restartCount: 1, state: crash(words) }).message).toContain(expected)
  })

  test.each(['bind :8080: address already in use', 'out of memory on :443'])(
    'A router that fails to start is reported with any other output, and the command for more: %s',
    (words) => {
      const { reason, message } = started({ ready: false, restartCount: 1, state: crash(words) })
      expect(reason).toBe('RouterFails')
      expect(message).toBe(
        `Pod openshift-ingress/router-third-1 on node a fails to start or keeps crashing. Its last output: "${words}". To see its log: \`kubectl -n openshift-ingress logs router-third-1 --previous\``,
      )
    },
  )

  test('A router that ends with code 0 before it is ready is reported with the command that shows who uses its ports', () => {
    const waiting = { waiting: { reason: 'CrashLoopBackOff' } }
    const messageOf = (exitCode: number, more: object = {}) =>
      started({ ready: false, restartCount: 2, state: waiting, lastState: crash('', exitCode), ...more })
        .message
    expect(messageOf(0)).toBe(
      "Pod openshift-ingress/router-third-1 on node a fails to start or keeps crashing. It ended with exit code 0 before it was ready, as a router does that cannot bind a port. To see who uses its ports, run `ss -ltnp 'sport = :80 or sport = :443 or sport = :1936'` on the node. To see its log: `kubectl -n openshift-ingress logs router-third-1 --previous`",
    )
    expect(messageOf(1)).not.toContain('ss -ltnp')
    expect(messageOf(0, { name: 'logs' })).not.toContain('ss -ltnp')
  })

  test('A router that ends with code 0 is reported without ports if it uses none of its node', () => {
    const scene = onHostPorts().spec({ endpointPublishingStrategy: { type: 'Private' } })
    const container = {
      ready: false,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: crash('', 0),
    }
    const pod = aRouterPod('third', 1, { node: 'a', ports: [], container })
    const { reason, message } = conditionOf(inCluster(scene, [aNode('a')], [pod]), 'PodsStarted')
    expect(reason).toBe('RouterFails')
    expect(message).not.toContain('ss -ltnp')
  })

  test.each([undefined, '', ' \n'])(
    'A router that fails to start is reported without its output if that is empty: %j',
    (words) => {
      expect(started({ ready: false, restartCount: 1, state: crash(words) }).message).toContain(
        'fails to start or keeps crashing. To see its log: ',
      )
    },
  )

  test('A router that fails to start is reported with its output without surrounding white space', () => {
    const { message } = started({ ready: false, restartCount: 1, state: crash('  out of memory \n') })
    expect(message).toContain('Its last output: "out of memory"')
  })

  test('A router that fails to start is not reported with a port whose bind error is far from the end of its output', () => {
    const { reason } = started({
      ready: false,
      restartCount: 1,
      state: crash(`${bind}\n${'x'.repeat(3000)}`),
    })
    expect(reason).toBe('RouterFails')
  })

  test('A router that fails to start is not reported if it is terminating', () => {
    const pod = aRouterPod('third', 1, {
      node: 'a',
      terminating: true,
      container: { ready: false, restartCount: 1, state: crash(bind) },
    })
    expect(conditionOf(inCluster(onHostPorts(), [aNode('a')], [pod]), 'PodsStarted').status).toBe('True')
  })

  test('A router that fails to start is reported with the end of its output, without cutting a character in two', () => {
    const { message } = started({
      ready: false,
      restartCount: 1,
      state: crash(`${'x'.repeat(500_000)}${'👩'.repeat(150)}${'y'.repeat(99)}\n`),
    })
    expect(message).toContain(`Its last output: "${'👩'.repeat(101)}${'y'.repeat(99)}"`)
  })

  test('A router that fails to start is reported beside others that fail, and PortInUse takes precedence as the reason', () => {
    const failing = [bind, 'out of memory'].map((words, at) =>
      aRouterPod('third', at, {
        node: 'a',
        container: { ready: false, restartCount: 1, state: crash(words) },
      }),
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

  test.each([
    ['is being created', { ready: false, state: { waiting: { reason: 'ContainerCreating' } } }],
    ['waits for its init containers', { ready: false, state: { waiting: { reason: 'PodInitializing' } } }],
    ['waits, and does not say for what', { ready: false, state: { waiting: {} } }],
    ['is ready', { ready: true, restartCount: 9, state: { running: {} }, lastState: crash(bind) }],
    [
      'has recovered',
      { ready: true, started: true, restartCount: 9, state: { running: {} }, lastState: crash(bind) },
    ],
    [
      'runs, but is not ready',
      { ready: false, started: true, restartCount: 9, state: { running: {} }, lastState: crash(bind) },
    ],
    ['has ended once', { ready: false, restartCount: 0, state: crash(bind) }],
    [
      'is being started for the second time',
      { ready: false, started: false, restartCount: 1, state: { running: {} }, lastState: crash(bind) },
    ],
  ])('A router is not reported as failing to start if it %s', (_, container) => {
    expect(started(container).status).toBe('True')
  })
})

describe('a router whose container has ended', () => {
  const at = (minute: number) => new Date(Date.UTC(2030, 0, 1, 0, minute)).toISOString()
  const ran = (minutes: number, exit: object) => ({
    terminated: { startedAt: at(0), finishedAt: at(minutes), ...exit },
  })
  const again = (restartCount: number, lastState: object) => ({
    ready: false,
    started: false,
    restartCount,
    state: { running: { startedAt: at(20) } },
    lastState,
  })
  const failure = (container: object) => {
    const pod = aRouterPod('third', 1, { node: 'a', container })
    const { status, reason } = conditionOf(inCluster(onHostPorts(), [aNode('a')], [pod]), 'PodsStarted')
    return status === 'True' ? 'none' : reason
  }

  test.each([
    [255, 'Unknown'],
    [255, 'Error'],
    [137, 'ContainerStatusUnknown'],
    [137, 'Error'],
  ])(
    'A router whose container has ended with its node is starting again, and does not fail: code %i, %s',
    (exitCode, reason) => {
      expect(failure(again(1, ran(600, { exitCode, reason })))).toBe('none')
      // Nor with a node that is restarted for the fifth time in the life of the pod.
      expect(failure(again(5, ran(600, { exitCode, reason })))).toBe('none')
    },
  )

  test('A router whose container has ended with its node, which lost the record of it, does not fail however often that happens', () => {
    const lost = { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown', startedAt: null } }
    expect(failure(again(3, lost))).toBe('none')
    expect(failure(again(3, ran(1, { exitCode: 255, reason: 'Unknown' })))).toBe('none')
  })

  test.each([
    ['with an error', ran(1, { exitCode: 1, reason: 'Error' })],
    ['by its startup probe, with code 0', ran(3, { exitCode: 0, reason: 'Completed' })],
    ['for lack of memory', ran(1, { exitCode: 137, reason: 'OOMKilled' })],
    ['at an unknown time', { terminated: { exitCode: 1 } }],
  ])(
    'A router whose container has ended soon after its start fails from the second time on: %s',
    (_, exit) => {
      expect(failure({ ready: false, restartCount: 0, state: exit })).toBe('none')
      expect(failure(again(1, exit))).toBe('none')
      expect(failure({ ready: false, restartCount: 1, state: exit })).toBe('RouterFails')
      expect(failure(again(2, exit))).toBe('RouterFails')
    },
  )

  test('A router whose container has ended fails again and again only if it ran for less than ten minutes each time', () => {
    const exit = { exitCode: 1, reason: 'Error' }
    expect(failure(again(2, ran(9, exit)))).toBe('RouterFails')
    expect(failure(again(2, ran(10, exit)))).toBe('none')
  })

  test('A router whose container has ended fails while it waits in CrashLoopBackOff, however long it ran', () => {
    const state = { waiting: { reason: 'CrashLoopBackOff' } }
    const lastState = ran(600, { exitCode: 0, reason: 'Completed' })
    expect(failure({ ready: false, restartCount: 2, state, lastState })).toBe('RouterFails')
    expect(failure({ ready: false, restartCount: 2, state })).toBe('RouterFails')
  })
})

describe('a router whose init container ended', () => {
  const started = (init: object) => {
    const pod = aRouterPod('third', 1, { node: 'a' })
    const status = { ...pod.status, initContainerStatuses: [{ name: 'init-router', ready: false, ...init }] }
    return conditionOf(
      inCluster(onHostPorts(), [aNode('a')], [{ ...pod, status } as object as typeof pod]),
      'PodsStarted',
    )
  }

  test('A router whose init container ended fails if that ended with an error more than once, and its log is that of the init container', () => {
    const state = { terminated: { exitCode: 1, message: 'cp: no space left' } }
    const { reason, message } = started({ restartCount: 1, state })
    expect(reason).toBe('RouterFails')
    expect(message).toContain('Its last output: "cp: no space left".')
    expect(message).toContain('`kubectl -n openshift-ingress logs router-third-1 -c init-router --previous`')
  })

  test('A router whose init container ended does not fail if that did its work and does it again', () => {
    const lastState = { terminated: { exitCode: 0, reason: 'Completed' } }
    expect(started({ restartCount: 3, state: { running: {} }, lastState }).status).toBe('True')
  })
})
