import { describe, expect, test } from 'vitest'
import { aNode, aPod, aRouterPod, inCluster, onHostPorts } from '../../testing/nodes.ts'
import type { Scene } from '../../testing/scene.ts'
import { ownerLabel, templateHashLabel } from '../names.ts'

const waiting = { words: '0/2 nodes are available: 2 of something else.' }

/** Settles, and gives the condition. */
function conditionOf(scene: Scene, type: string) {
  scene.settle()
  return scene.condition(type)
}

const scheduled = (scene: Scene) => conditionOf(scene, 'PodsScheduled')

describe('routers without a node', () => {
  test('who holds the port is named, with the node, how many wait, and a command that ends it', () => {
    const scene = inCluster(
      onHostPorts(),
      [aNode('worker-1'), aNode('worker-2')],
      [
        aRouterPod('third', 1, { node: 'worker-1' }),
        aRouterPod('third', 2, waiting),
        aRouterPod('public', 1, { node: 'worker-2', ports: [8080, 443, 9000] }),
      ],
    )
    const { status, reason, message } = scheduled(scene)
    expect([status, reason]).toEqual(['False', 'PortConflict'])
    expect(message).toBe(
      '1 of 2 routers cannot be scheduled: port 443 (https) on node worker-2 is in use by pod openshift-ingress/router-public-1 of IngressController "public". ' +
        `Ports that are free on all of these nodes: 8443. To use them: \`kubectl -n openshift-ingress-operator patch ingresscontrollers/third --type=merge --patch='{"spec":{"endpointPublishingStrategy":{"type":"HostNetwork","hostNetwork":{"httpsPort":8443}}}}'\``,
    )
  })

  test('a foreign pod is named without a controller', () => {
    const pods = [aRouterPod('third', 1, waiting), aPod('web', { node: 'a', ports: [80] })]
    const { reason, message } = scheduled(inCluster(onHostPorts(), [aNode('a')], pods))
    expect(reason).toBe('PortConflict')
    expect(message).toContain('port 80 (http) on node a is in use by pod default/web. ')
  })

  test('that a holder is ending is said: it may take an hour', () => {
    const pods = [aRouterPod('third', 1, waiting), aRouterPod('public', 1, { node: 'a', terminating: true })]
    expect(scheduled(inCluster(onHostPorts(), [aNode('a')], pods)).message).toContain(
      'of IngressController "public" (terminating). ',
    )
  })

  test('of many holders five are named', () => {
    const nodes = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => aNode(name))
    const holders = nodes.map(({ metadata: { name } }, number) =>
      aRouterPod('public', number, { node: name }),
    )
    const { message } = scheduled(
      inCluster(onHostPorts(), nodes, [aRouterPod('third', 1, waiting), ...holders]),
    )
    expect(message.match(/(is|are) in use by/g)).toHaveLength(5)
    expect(message).toContain('; and 2 more. ')
  })

  test('nodes that may not be used do not matter', () => {
    const scene = inCluster(
      onHostPorts().spec({ nodePlacement: { nodeSelector: { matchLabels: { pool: 'a' } } } }),
      [aNode('a', { labels: { pool: 'a' } }), aNode('b')],
      [
        aRouterPod('third', 1, waiting),
        aRouterPod('public', 1, { node: 'a', ports: [80] }),
        aRouterPod('public', 2, { node: 'b', ports: [443] }),
      ],
    )
    expect(scheduled(scene).message).toMatch(/port 80 \(http\) on node a .* "public"\. Ports that are free/)
  })

  test('where its own routers take all nodes, there are too few', () => {
    const pods = [aRouterPod('third', 1, { node: 'a' }), aRouterPod('third', 2, waiting)]
    const { status, reason, message } = scheduled(inCluster(onHostPorts(), [aNode('a')], pods))
    expect([status, reason]).toEqual(['False', 'TooFewNodes'])
    expect(message).toMatch(
      /^1 of 2 routers cannot be scheduled: each router needs its ports on a node of its own, and only 1 node is eligible \(a\)/,
    )
  })

  test.each([
    ['no node may be used', [], []],
    ['a node has room for it as far as ports go', [aNode('b')], []],
    [
      'a node is free, and a port on another is not',
      [aNode('b'), aNode('c')],
      [aPod('x', { node: 'c', ports: [80] })],
    ],
  ])('where %s, the scheduler is quoted', (_, nodes, pods) => {
    const scene = inCluster(onHostPorts(), nodes, [aRouterPod('third', 1, waiting), ...pods])
    const { status, reason, message } = scheduled(scene)
    expect([status, reason]).toEqual(['False', 'Unschedulable'])
    expect(message).toBe(`1 of 1 routers cannot be scheduled: ${waiting.words}`)
  })

  test('routers of other types are spoken of in the words of the scheduler', () => {
    const scene = onHostPorts().spec({ endpointPublishingStrategy: { type: 'Private' } })
    const pods = [aRouterPod('third', 1, { ...waiting, ports: [] }), aPod('x', { node: 'a', ports: [80] })]
    expect(scheduled(inCluster(scene, [aNode('a')], pods)).reason).toBe('Unschedulable')
  })

  test('routers of other types need no node each: that there are fewer nodes is not the cause', () => {
    const scene = onHostPorts().spec({ endpointPublishingStrategy: { type: 'Private' } })
    const pods = [1, 2].map((number) => aRouterPod('third', number, { ...waiting, ports: [] }))
    expect(scheduled(inCluster(scene, [aNode('a')], pods)).reason).toBe('Unschedulable')
  })

  test('nodes that are too few are named in order', () => {
    const pods = [
      ...['b', 'a'].map((node, number) => aRouterPod('third', number, { node })),
      aRouterPod('third', 2, waiting),
    ]
    const { message } = scheduled(inCluster(onHostPorts(), [aNode('b'), aNode('a')], pods))
    expect(message).toContain('only 2 nodes are eligible (a, b)')
  })

  test.each([
    [['Too old.', 'No memory.', 'Too old.'], 'No memory. Too old.'],
    [[undefined, 'No memory.'], 'No memory.'],
    [[undefined, ''], 'the scheduler gives no reason.'],
  ])('what the scheduler says of them is told once, in order: %j', (words, told) => {
    const pods = words.map((each, number) =>
      aRouterPod('third', number, each === undefined ? {} : { words: each }),
    )
    const { message } = scheduled(inCluster(onHostPorts(), [], pods))
    expect(message).toBe(`${words.length} of ${words.length} routers cannot be scheduled: ${told}`)
  })

  test('routers that are ending are not counted', () => {
    const pods = [
      aRouterPod('third', 1, { node: 'a' }),
      aRouterPod('third', 2, { node: 'b', terminating: true }),
      aRouterPod('third', 3, waiting),
    ]
    expect(scheduled(inCluster(onHostPorts(), [], pods)).message).toMatch(
      /^1 of 2 routers cannot be scheduled/,
    )
  })

  test.each([
    ['is ending', aRouterPod('third', 1, { ...waiting, terminating: true })],
    [
      'has one, whatever its condition still says',
      { ...aRouterPod('third', 1, waiting), spec: { containers: [], nodeName: 'a' } },
    ],
  ])('one that %s waits for no node', (_, pod) => {
    expect(scheduled(inCluster(onHostPorts(), [aNode('a')], [pod])).reason).toBe('AllScheduled')
  })

  test('one that the scheduler has not looked at yet is no trouble', () => {
    const { status: _, ...pod } = aRouterPod('third', 1)
    const scene = inCluster(onHostPorts(), [aNode('a')], [pod, aPod('x', { node: 'a', ports: [80] })])
    expect(scheduled(scene)).toMatchObject({ status: 'True', reason: 'AllScheduled' })
  })

  test('one for which the scheduler evicts others says whom, and that nobody need act', () => {
    const pods = [
      aRouterPod('third', 1, { ...waiting, nominated: 'a' }),
      aPod('web', { node: 'a', ports: [80] }),
    ]
    const { status, reason, message } = scheduled(inCluster(onHostPorts(), [aNode('a')], pods))
    expect([status, reason]).toEqual(['False', 'MakingRoom'])
    expect(message).toMatch(
      /is evicting pods with a lower priority from node a to make room: port 80 .* pod default\/web\.$/,
    )
  })

  test.each([
    [
      'of whom others still wait',
      ['a', undefined],
      'node a to make room: port 80 (http) on node a is in use by pod default/web-a.',
    ],
    [
      'whose nodes are several',
      ['b', 'a'],
      'node a, b to make room: port 80 (http) on node a is in use by pod default/web-a; port 80 (http) on node b is in use by pod default/web-b.',
    ],
    ['for whom pods go that hold no port', ['c'], 'node c to make room.'],
  ])('routers %s tell only of the nodes that the scheduler chose', (_, chosen, told) => {
    const scene = inCluster(
      onHostPorts(),
      ['a', 'b', 'c'].map((name) => aNode(name)),
      [
        ...chosen.map((node, number) =>
          aRouterPod('third', number, { ...waiting, ...(node && { nominated: node }) }),
        ),
        ...['a', 'b'].map((node) => aPod(`web-${node}`, { node, ports: [80] })),
      ],
    )
    const { reason, message } = scheduled(scene)
    expect(reason).toBe('MakingRoom')
    expect(message.replace(/^.* a lower priority from /, '')).toBe(told)
  })
})

describe('during a roll-out', () => {
  /** Two nodes and two routers, of which one is replaced. */
  function rollingOut(old: Parameters<typeof aRouterPod>[2], ...others: ReturnType<typeof aPod>[]) {
    const scene = onHostPorts()
    scene.settle()
    const hash = scene.deployment.spec.template.metadata.labels[templateHashLabel]
    return inCluster(
      scene,
      [aNode('a'), aNode('b')],
      [
        aRouterPod('third', 1, { node: 'a', hash: 'old' }),
        aRouterPod('third', 2, { node: 'b', hash: 'old', ...old }),
        aRouterPod('third', 3, { ...waiting, hash }),
        ...others,
      ],
    )
  }

  test('a router that waits for its predecessor to end does not alarm', () => {
    expect(scheduled(rollingOut({ terminating: true }))).toMatchObject({
      status: 'True',
      reason: 'WaitingForOldRouters',
    })
  })

  test('nor does one whose predecessor is about to end: there are more than are wanted', () => {
    expect(scheduled(rollingOut({}))).toMatchObject({ status: 'True', reason: 'WaitingForOldRouters' })
  })

  test('one whose place somebody else has taken does, although an older router is still there', () => {
    const scene = rollingOut({ node: 'c' }, aRouterPod('public', 1, { node: 'b' }))
    scene.pods = scene.pods.filter(({ metadata }) => metadata.name !== 'router-third-2')
    const { status, reason, message } = scheduled(scene)
    expect([status, reason]).toEqual(['False', 'PortConflict'])
    expect(message).toContain('on node b are in use by pod openshift-ingress/router-public-1')
  })

  test('nor does a predecessor that leaves help where somebody else has another of the ports', () => {
    const scene = rollingOut({ terminating: true, ports: [80] }, aPod('web', { node: 'b', ports: [443] }))
    expect(scheduled(scene)).toMatchObject({ status: 'False', reason: 'PortConflict' })
  })

  test('one that waits on ports that are not wanted any more waits for nothing: it is replaced', () => {
    const scene = onHostPorts()
    scene.settle()
    const pods = [aRouterPod('third', 1, { ...waiting, hash: 'old' }), aPod('x', { node: 'a', ports: [80] })]
    expect(scheduled(inCluster(scene, [aNode('a')], pods))).toMatchObject({
      status: 'True',
      reason: 'AllScheduled',
    })
  })

  test('one that moves to a port that is taken everywhere does, too', () => {
    const scene = onHostPorts({ httpPort: 8080 })
    scene.settle()
    const hash = scene.deployment.spec.template.metadata.labels[templateHashLabel]
    const nodes = [aNode('a'), aNode('b')]
    inCluster(scene, nodes, [
      aRouterPod('third', 1, { node: 'a', hash: 'old' }),
      aRouterPod('third', 2, { ...waiting, hash, ports: [8080, 443, 1936] }),
      ...nodes.map(({ metadata: { name } }) => aPod(`web-${name}`, { node: name, ports: [8080] })),
    ])
    expect(scheduled(scene)).toMatchObject({ status: 'False', reason: 'PortConflict' })
  })
})

describe('in time', () => {
  const conflict = () =>
    inCluster(
      onHostPorts(),
      [aNode('a')],
      [aRouterPod('third', 1, waiting), aPod('x', { node: 'a', ports: [80] })],
    )

  test('a conflict degrades the controller after 60 seconds, and the operator looks again just then', () => {
    const scene = conflict()
    const { requeueAt } = scene.settle()
    expect(requeueAt).toBeDefined()
    expect(scene.later(59).settle().status).toBeDefined()
    // The Deployment has no router at all, which alarms after 30 seconds: that is not what this is about.
    expect(scene.condition('Degraded').message).not.toContain('PodsScheduled')
    scene.later(1).settle()
    expect(scene.condition('Degraded')).toMatchObject({ status: 'True' })
    expect(scene.condition('Degraded').message).toContain(
      'PodsScheduled=False (PortConflict): 1 of 1 routers',
    )
  })

  test('too few nodes, or what only the scheduler knows, do not by themselves', () => {
    const pods = [aRouterPod('third', 1, { node: 'a' }), aRouterPod('third', 2, waiting)]
    const scene = inCluster(onHostPorts(), [aNode('a')], pods)
    scene.settle()
    scene.routersRun(1).settle()
    scene.later(600).settle()
    expect(scene.condition('PodsScheduled')).toMatchObject({ status: 'False', reason: 'TooFewNodes' })
    expect(scene.condition('Degraded').status).toBe('False')
  })

  test('all is clear at once when the cause is gone', () => {
    const scene = conflict()
    scene.settle()
    scene.later(100).settle()
    inCluster(scene, [aNode('a')], [aRouterPod('third', 1, { node: 'a' })])
    scene.routersRun(2).settle()
    expect(scene.condition('PodsScheduled').status).toBe('True')
    expect(scene.condition('PortsAvailable').status).toBe('True')
    expect(scene.condition('Degraded').status).toBe('False')
  })

  test('also of a controller whose newest spec is refused: what was admitted before still runs', () => {
    const scene = conflict()
    scene.settle()
    scene.spec({ endpointPublishingStrategy: { hostNetwork: { httpPort: 443 } } }).settle()
    expect(scene.condition('Admitted').status).toBe('False')
    expect(scene.condition('PodsScheduled')).toMatchObject({ status: 'False', reason: 'PortConflict' })
    inCluster(scene, [aNode('a')], [aRouterPod('third', 1, { node: 'a' })]).settle()
    expect(scene.condition('PodsScheduled').status).toBe('True')
    expect(scene.condition('PortsAvailable').status).toBe('True')
  })

  test('a single router that cannot be placed: nothing is available, whatever the Deployment says', () => {
    const scene = conflict().spec({ replicas: 1 })
    scene.settle()
    const conditions = [{ type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' }]
    scene.edit(
      'Deployment',
      { status: { observedGeneration: 1, replicas: 1, conditions } },
      { manager: 'kcm' },
    )
    scene.settle()
    expect(scene.deployment.metadata.labels).toHaveProperty([ownerLabel])
    expect(scene.condition('Available')).toMatchObject({ status: 'False' })
  })
})

describe('routers that do not start', () => {
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
  ])('one that %s: the port, the node, and how to find the process', (_, container) => {
    const { status, reason, message } = started(container)
    expect([status, reason]).toEqual(['False', 'PortInUse'])
    expect(message).toBe(
      "Pod openshift-ingress/router-third-1 cannot bind port 443 (https) on node a: a process that the scheduler does not know of uses it. To find it, run `ss -ltnp 'sport = :443'` on the node; then stop it, or choose another httpsPort.",
    )
  })

  test.each([
    ['listen tcp :1936: bind: address already in use', 'port 1936 (metrics)'],
    ['listen tcp [::]:80: bind: address already in use', 'port 80 (http)'],
  ])('%s', (words, told) => {
    expect(started({ ready: false, state: crash(words) }).message).toContain(told)
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

  test.each([undefined, '', ' \n'])('one that said nothing is not quoted: %j', (words) => {
    expect(started({ ready: false, state: crash(words) }).message).toContain(
      'fails to start or keeps crashing. To see its log: ',
    )
  })

  test('words are quoted without the blanks around them', () => {
    const { message } = started({ ready: false, state: crash('  out of memory \n') })
    expect(message).toContain('Its last output: "out of memory"')
  })

  test('a port that was in use long before the end is not what it ended of', () => {
    const { reason } = started({ ready: false, state: crash(`${bind}\n${'x'.repeat(3000)}`) })
    expect(reason).toBe('RouterFails')
  })

  test('one that is ending does not fail to start', () => {
    const pod = aRouterPod('third', 1, {
      node: 'a',
      terminating: true,
      container: { ready: false, state: crash(bind) },
    })
    expect(conditionOf(inCluster(onHostPorts(), [aNode('a')], [pod]), 'PodsStarted').status).toBe('True')
  })

  test('of long words the end is quoted, and no character is cut in two: the API server would put another in its place', () => {
    const { message } = started({
      ready: false,
      state: crash(`${'x'.repeat(500_000)}${'👩'.repeat(150)}${'y'.repeat(99)}\n`),
    })
    expect(message).toContain(`Its last output: "${'👩'.repeat(101)}${'y'.repeat(99)}"`)
  })

  test('of several that fail, each is told of, and a port that is in use counts most', () => {
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

  test('an image that cannot be had is a failure as well', () => {
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
  ])('one that %s does not fail to start', (_, container) => {
    expect(started(container).status).toBe('True')
  })
})
