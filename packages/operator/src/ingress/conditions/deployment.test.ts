import { type Cached, findCondition } from '@portcullis/kube'
import type { Deployment, DeploymentSpec, DeploymentStatus } from 'kubernetes-types/apps/v1'
import type { Pod } from 'kubernetes-types/core/v1'
import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import type { Scene } from '../../testing/scene.ts'
import { deploymentConditions } from './deployment.ts'

const running = (replicas: number): Scene => anIngressController().on('AWS').spec({ replicas }).published()

const withStatus = (edge: Scene, status: object): Scene => {
  edge.edit('Deployment', { status }, { manager: 'kcm' }).settle()
  return edge
}

/** What is said of a Deployment that is just as given: the API server leaves out every number that is zero. */
function conditionOf(
  type: string,
  spec: Partial<DeploymentSpec>,
  status: DeploymentStatus = {},
  pods: readonly Cached<Pod>[] = [],
) {
  const metadata = { namespace: 'openshift-ingress', name: 'router-edge', uid: 'a', resourceVersion: '1' }
  const deployment = { metadata: { ...metadata, generation: 1 }, spec, status } as Cached<Deployment>
  const said = deploymentConditions(deployment, pods)
  return findCondition(said, type)
}

describe('DeploymentAvailable', () => {
  test('DeploymentAvailable follows the Available condition of the Deployment', () => {
    expect(running(2).condition('DeploymentAvailable')).toMatchObject({
      status: 'True',
      reason: 'DeploymentAvailable',
    })
    const conditions = [{ type: 'Available', status: 'False', message: 'no quota' }]
    const failing = withStatus(running(2), { conditions })
    expect(failing.condition('DeploymentAvailable')).toMatchObject({
      status: 'False',
      reason: 'DeploymentUnavailable',
    })
    expect(failing.condition('DeploymentAvailable').message).toContain('no quota')
    expect(failing.condition('Available').status).toBe('False')
  })

  test('DeploymentAvailable is Unknown if routers run and the Deployment has no Available condition', () => {
    expect(withStatus(running(2), { conditions: [] }).condition('DeploymentAvailable')).toMatchObject({
      status: 'Unknown',
      reason: 'DeploymentAvailabilityUnknown',
    })
  })

  test.each([
    [0, 'No router runs because spec.replicas is 0.'],
    [1, 'No router is available.'],
  ])(
    'DeploymentAvailable is False without a router, and names the cause if spec.replicas is %i',
    (replicas, message) => {
      expect(conditionOf('DeploymentAvailable', { replicas })).toMatchObject({ status: 'False', message })
    },
  )
})

describe('DeploymentReplicasMinAvailable', () => {
  test.each([
    { replicas: 2, available: 1, met: 'True' }, // half of them may be missing
    { replicas: 3, available: 2, met: 'True' },
    { replicas: 3, available: 1, met: 'False' },
    { replicas: 4, available: 3, met: 'True' }, // from four on a quarter
    { replicas: 4, available: 2, met: 'False' },
  ])(
    'DeploymentReplicasMinAvailable is $met if $available of $replicas routers are available',
    ({ replicas, available, met }) => {
      const edge = withStatus(running(replicas), { availableReplicas: available })
      expect(edge.condition('DeploymentReplicasMinAvailable')).toMatchObject({
        status: met,
        reason: met === 'True' ? 'DeploymentMinimumReplicasMet' : 'DeploymentMinimumReplicasNotMet',
      })
    },
  )

  test.each([
    { replicas: 20, maxUnavailable: '50%', maxSurge: 0, least: 10 },
    { replicas: 4, maxUnavailable: 2, maxSurge: 0, least: 2 },
    { replicas: 4, maxUnavailable: 0, maxSurge: 1, least: 4 },
    { replicas: 4, maxUnavailable: 0, maxSurge: 0, least: 3 }, // Kubernetes takes one away all the same.
    { replicas: 3, maxUnavailable: '25%', maxSurge: '0%', least: 2 },
    { replicas: 4, least: 3 }, // A quarter, as Kubernetes has it where nothing is said.
    { least: 1 },
  ])(
    'DeploymentReplicasMinAvailable requires $least of $replicas routers with maxUnavailable $maxUnavailable and maxSurge $maxSurge',
    (strategy) => {
      const { replicas, least, ...rollingUpdate } = strategy
      const spec = { ...(replicas && { replicas }), strategy: { rollingUpdate } } as Partial<DeploymentSpec>
      const isMet = (availableReplicas: number) =>
        conditionOf('DeploymentReplicasMinAvailable', spec, { availableReplicas })?.status
      expect([isMet(least - 1), isMet(least)]).toEqual(['False', 'True'])
    },
  )

  test('DeploymentReplicasMinAvailable is True if spec.replicas is 0', () => {
    expect(conditionOf('DeploymentReplicasMinAvailable', { replicas: 0 })?.status).toBe('True')
  })

  test('DeploymentReplicasMinAvailable is False even if the Deployment reports Available too early (BZ1830271)', () => {
    const edge = withStatus(running(4), { availableReplicas: 1 })
    expect(edge.condition('DeploymentAvailable').status).toBe('True')
    expect(edge.condition('DeploymentReplicasMinAvailable').status).toBe('False')
  })
})

describe('DeploymentReplicasAllAvailable', () => {
  test('DeploymentReplicasAllAvailable is False as soon as a router is missing, with the reasons that the pods give', () => {
    const edge = running(2)
    expect(edge.condition('DeploymentReplicasAllAvailable')).toMatchObject({
      status: 'True',
      reason: 'DeploymentReplicasAvailable',
    })
    edge.pods = ['b', 'a'].map((name) => ({
      metadata: { name: `router-edge-${name}`, uid: name, resourceVersion: '1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'False', message: 'no free ports' }] },
    }))
    withStatus(edge, { availableReplicas: 1 })
    const { status, reason, message } = edge.condition('DeploymentReplicasAllAvailable')
    expect({ status, reason }).toEqual({ status: 'False', reason: 'DeploymentReplicasNotAvailable' })
    expect(message).toBe(
      '1 of 2 routers are available. Pod router-edge-a cannot be scheduled: no free ports Pod router-edge-b cannot be scheduled: no free ports',
    )
  })
})

describe('pods that cannot be created', () => {
  const missing =
    'pods "router-edge-5d4-" is forbidden: error looking up service account openshift-ingress/router: serviceaccount "router" not found'
  const refused = (message: string, more: object = {}, status = 'True') =>
    withStatus(running(2), {
      availableReplicas: 0,
      updatedReplicas: 0,
      conditions: [{ type: 'ReplicaFailure', status, reason: 'FailedCreate', message }],
      ...more,
    })

  test.each([
    'Available',
    'DeploymentAvailable',
    'DeploymentReplicasMinAvailable',
    'DeploymentReplicasAllAvailable',
    'DeploymentRollingOut',
  ])('Pods that cannot be created are reported with the error of the API server by %s', (type) => {
    expect(refused('exceeded quota').condition(type).message).toContain(
      ' Pods cannot be created: exceeded quota',
    )
    expect(refused('exceeded quota', {}, 'False').condition(type).message).not.toContain('quota')
  })

  test('Pods that cannot be created are reported with what creates the ServiceAccount if it is missing', () => {
    expect(refused(missing).condition('DeploymentAvailable').message).toBe(
      `No router is available. Pods cannot be created: ${missing}. Apply the manifests or the chart of this version again: they create the ServiceAccount openshift-ingress/router.`,
    )
    const others = missing.replaceAll('router"', 'theirs"')
    expect(refused(others).condition('Available').message).not.toContain('Apply')
  })

  test('Pods that cannot be created are not reported while all routers are available', () => {
    const edge = refused(missing, { availableReplicas: 2, updatedReplicas: 2 })
    expect(edge.condition('DeploymentReplicasAllAvailable').message).toBe('All routers are available.')
  })
})

describe('DeploymentRollingOut', () => {
  test('DeploymentRollingOut is False once every router is up to date', () => {
    const edge = running(2)
    expect(edge.condition('DeploymentRollingOut')).toMatchObject({
      status: 'False',
      reason: 'DeploymentNotRollingOut',
    })
    expect(edge.condition('Progressing').status).toBe('False')
  })

  test.each([{ updatedReplicas: 1 }, { replicas: 3 }, { observedGeneration: 0 }])(
    'DeploymentRollingOut is True with %o of two',
    (status) => {
      const conditions = [{ type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' }]
      const edge = withStatus(running(2), { ...status, conditions })
      expect(edge.condition('DeploymentRollingOut').reason).toBe('DeploymentRollingOut')
      expect(edge.condition('Progressing')).toMatchObject({ status: 'True', reason: 'DeploymentRollingOut' })
    },
  )

  test.each([
    [{ availableReplicas: 1 }, 'PodsStarting'],
    [{ replicas: 1, availableReplicas: 1 }, 'ReplicasStabilizing'],
  ])(
    'DeploymentRollingOut has another reason after the loss of a node: %o (OCPBUGS-62627)',
    (status, reason) => {
      const edge = withStatus(running(2), status)
      expect(edge.condition('DeploymentRollingOut')).toMatchObject({ status: 'True', reason })
      expect(edge.condition('Progressing').status).toBe('False')
    },
  )

  const isOut = { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' }

  test.each([
    ['has not made all of them', { replicas: 1, updatedReplicas: 1, availableReplicas: 1 }],
    [
      'has not updated all of them',
      { replicas: 2, updatedReplicas: 1, availableReplicas: 2, conditions: [isOut] },
    ],
    [
      'has not seen the newest spec',
      { observedGeneration: 0, replicas: 2, updatedReplicas: 2, conditions: [isOut] },
    ],
  ])('DeploymentRollingOut is True if the Deployment of two %s', (_, status) => {
    const said = conditionOf('DeploymentRollingOut', { replicas: 2 }, { observedGeneration: 1, ...status })
    expect(said?.reason).toBe('DeploymentRollingOut')
  })

  test('DeploymentRollingOut treats a number that the Deployment omits as zero', () => {
    expect(conditionOf('DeploymentRollingOut', {})?.message).toBe(
      'Routers are being rolled out: 0 of 1 routers are up to date, 0 are available.',
    )
    expect(conditionOf('DeploymentRollingOut', { replicas: 0 }, { observedGeneration: 1 })?.status).toBe(
      'False',
    )
  })

  /** A router with its ports on the node: by name, as its container has them. */
  const onNode = (ports: Readonly<Record<string, number | undefined>>) =>
    ({
      spec: {
        containers: [
          { ports: Object.entries(ports).map(([name, hostPort]) => ({ name, containerPort: 1, hostPort })) },
        ],
      },
    }) as object as Cached<Pod>

  test.each([
    ['9936 or 11936', [{ metrics: 11_936 }, { metrics: 9936 }, { metrics: 11_936 }]],
    ['1936 or 9936 or 11936', [{ metrics: 9936 }, { metrics: 11_936 }, { metrics: 1936 }]],
    [undefined, [{ metrics: 1936 }, { metrics: 1936 }]],
    [
      undefined,
      [
        { metrics: 1936, http: 80 },
        { metrics: 1936, http: 8080 },
      ],
    ],
    [undefined, [{ metrics: 1936 }, { metrics: undefined }]],
    [undefined, [{}, {}]],
  ])(
    'DeploymentRollingOut names the stats ports on which routers answer during the rollout if they differ: %s',
    (expected, ports) => {
      const pods = ports.map((each) => onNode(each))
      const message = conditionOf('DeploymentRollingOut', { replicas: 2 }, {}, pods)?.message ?? ''
      expect(/routers answer on (.*): a load balancer/.exec(message)?.[1]).toBe(expected)
      expect(message.endsWith(expected === undefined ? '0 are available.' : ' on the new port.')).toBe(true)
    },
  )
})
