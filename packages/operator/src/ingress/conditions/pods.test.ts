import { describe, expect, test } from 'vitest'
import { aNode, aPod, aRouterPod, inCluster, onHostPorts } from '../../testing/nodes.ts'
import { conditionOf } from '../../testing/pod-conditions.ts'
import type { Scene } from '../../testing/scene.ts'
import { ownerLabel, templateHashLabel } from '../names.ts'

const waiting = { words: '0/2 nodes are available: 2 of something else.' }

const scheduled = (scene: Scene) => conditionOf(scene, 'PodsScheduled')

describe('routers that are not scheduled', () => {
  test('Routers that are not scheduled are counted in a message with the port, the node, its holder and a command with free ports', () => {
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

  test('Routers that are not scheduled are reported without an IngressController if the holder is no router', () => {
    const pods = [aRouterPod('third', 1, waiting), aPod('web', { node: 'a', ports: [80] })]
    const { reason, message } = scheduled(inCluster(onHostPorts(), [aNode('a')], pods))
    expect(reason).toBe('PortConflict')
    expect(message).toContain('port 80 (http) on node a is in use by pod default/web. ')
  })

  test('Routers that are not scheduled are reported with a holder that is terminating, which may take an hour', () => {
    const pods = [aRouterPod('third', 1, waiting), aRouterPod('public', 1, { node: 'a', terminating: true })]
    expect(scheduled(inCluster(onHostPorts(), [aNode('a')], pods)).message).toContain(
      'of IngressController "public" (terminating). ',
    )
  })

  test('Routers that are not scheduled are reported with five holders at most', () => {
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

  test('Routers that are not scheduled are not affected by nodes that are not eligible', () => {
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

  test('Routers that are not scheduled have the reason TooFewNodes if other routers of the IngressController use all nodes', () => {
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
  ])(
    'Routers that are not scheduled are reported with the message of the scheduler if %s',
    (_, nodes, pods) => {
      const scene = inCluster(onHostPorts(), nodes, [aRouterPod('third', 1, waiting), ...pods])
      const { status, reason, message } = scheduled(scene)
      expect([status, reason]).toEqual(['False', 'Unschedulable'])
      expect(message).toBe(`1 of 1 routers cannot be scheduled: ${waiting.words}`)
    },
  )

  test('Routers that are not scheduled are reported with the message of the scheduler if they use no host ports', () => {
    const scene = onHostPorts().spec({ endpointPublishingStrategy: { type: 'Private' } })
    const pods = [aRouterPod('third', 1, { ...waiting, ports: [] }), aPod('x', { node: 'a', ports: [80] })]
    expect(scheduled(inCluster(scene, [aNode('a')], pods)).reason).toBe('Unschedulable')
  })

  test('Routers that are not scheduled may share a node if they use no host ports: fewer nodes than routers are not the cause', () => {
    const scene = onHostPorts().spec({ endpointPublishingStrategy: { type: 'Private' } })
    const pods = [1, 2].map((number) => aRouterPod('third', number, { ...waiting, ports: [] }))
    expect(scheduled(inCluster(scene, [aNode('a')], pods)).reason).toBe('Unschedulable')
  })

  test('Routers that are not scheduled are reported with the eligible nodes in order if these are too few', () => {
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
  ])(
    'Routers that are not scheduled are reported with each message of the scheduler once, in order: %j',
    (words, expected) => {
      const pods = words.map((each, number) =>
        aRouterPod('third', number, each === undefined ? {} : { words: each }),
      )
      const { message } = scheduled(inCluster(onHostPorts(), [], pods))
      expect(message).toBe(`${words.length} of ${words.length} routers cannot be scheduled: ${expected}`)
    },
  )

  test('Routers that are not scheduled are not counted if they are terminating', () => {
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
  ])('Routers that are not scheduled are not reported for a pod that %s', (_, pod) => {
    expect(scheduled(inCluster(onHostPorts(), [aNode('a')], [pod])).reason).toBe('AllScheduled')
  })

  test('Routers that are not scheduled are not reported before the scheduler has looked at them', () => {
    const { status: _, ...pod } = aRouterPod('third', 1)
    const scene = inCluster(onHostPorts(), [aNode('a')], [pod, aPod('x', { node: 'a', ports: [80] })])
    expect(scheduled(scene)).toMatchObject({ status: 'True', reason: 'AllScheduled' })
  })

  test('Routers that are not scheduled have the reason MakingRoom, with the evicted pods, if the scheduler preempts pods for them', () => {
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
  ])(
    'Routers that are not scheduled are reported only with the nodes that the scheduler nominated for routers %s',
    (_, chosen, expected) => {
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
      expect(message.replace(/^.* a lower priority from /, '')).toBe(expected)
    },
  )
})

describe('PodsScheduled during a rollout', () => {
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

  test('PodsScheduled is True during a rollout if a router waits for its predecessor to terminate', () => {
    expect(scheduled(rollingOut({ terminating: true }))).toMatchObject({
      status: 'True',
      reason: 'WaitingForOldRouters',
    })
  })

  test('PodsScheduled is True during a rollout if the predecessor is about to terminate because there are more routers than desired', () => {
    expect(scheduled(rollingOut({}))).toMatchObject({ status: 'True', reason: 'WaitingForOldRouters' })
  })

  test('PodsScheduled is False during a rollout if another pod uses the ports, although an older router still runs', () => {
    const scene = rollingOut({ node: 'c' }, aRouterPod('public', 1, { node: 'b' }))
    scene.pods = scene.pods.filter(({ metadata }) => metadata.name !== 'router-third-2')
    const { status, reason, message } = scheduled(scene)
    expect([status, reason]).toEqual(['False', 'PortConflict'])
    expect(message).toContain('on node b are in use by pod openshift-ingress/router-public-1')
  })

  test('PodsScheduled is False during a rollout if another pod uses one of the ports of a terminating predecessor', () => {
    const scene = rollingOut({ terminating: true, ports: [80] }, aPod('web', { node: 'b', ports: [443] }))
    expect(scheduled(scene)).toMatchObject({ status: 'False', reason: 'PortConflict' })
  })

  test('PodsScheduled ignores during a rollout a router that waits for ports that are no longer desired', () => {
    const scene = onHostPorts()
    scene.settle()
    const pods = [aRouterPod('third', 1, { ...waiting, hash: 'old' }), aPod('x', { node: 'a', ports: [80] })]
    expect(scheduled(inCluster(scene, [aNode('a')], pods))).toMatchObject({
      status: 'True',
      reason: 'AllScheduled',
    })
  })

  test('PodsScheduled is False during a rollout if a router moves to a port that is in use on every node', () => {
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

describe('a port conflict', () => {
  const conflict = () =>
    inCluster(
      onHostPorts(),
      [aNode('a')],
      [aRouterPod('third', 1, waiting), aPod('x', { node: 'a', ports: [80] })],
    )

  test('A port conflict degrades the IngressController after 60 seconds, when the operator reconciles it again', () => {
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

  test('A port conflict degrades the IngressController, unlike too few nodes and other reasons of the scheduler', () => {
    const pods = [aRouterPod('third', 1, { node: 'a' }), aRouterPod('third', 2, waiting)]
    const scene = inCluster(onHostPorts(), [aNode('a')], pods)
    scene.settle()
    scene.routersRun(1).settle()
    scene.later(600).settle()
    expect(scene.condition('PodsScheduled')).toMatchObject({ status: 'False', reason: 'TooFewNodes' })
    expect(scene.condition('Degraded').status).toBe('False')
  })

  test('A port conflict is cleared as soon as its cause is gone', () => {
    const scene = conflict()
    scene.settle()
    scene.later(100).settle()
    inCluster(scene, [aNode('a')], [aRouterPod('third', 1, { node: 'a' })])
    scene.routersRun(2).settle()
    expect(scene.condition('PodsScheduled').status).toBe('True')
    expect(scene.condition('PortsAvailable').status).toBe('True')
    expect(scene.condition('Degraded').status).toBe('False')
  })

  test('A port conflict is also reported for an IngressController whose new spec is not admitted', () => {
    const scene = conflict()
    scene.settle()
    scene.spec({ endpointPublishingStrategy: { hostNetwork: { httpPort: 443 } } }).settle()
    expect(scene.condition('Admitted').status).toBe('False')
    expect(scene.condition('PodsScheduled')).toMatchObject({ status: 'False', reason: 'PortConflict' })
    inCluster(scene, [aNode('a')], [aRouterPod('third', 1, { node: 'a' })]).settle()
    expect(scene.condition('PodsScheduled').status).toBe('True')
    expect(scene.condition('PortsAvailable').status).toBe('True')
  })

  test('A port conflict makes an IngressController with a single router unavailable, whatever the Deployment reports', () => {
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
