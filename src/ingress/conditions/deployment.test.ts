import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../../test/ingress/a-snapshot.ts'
import type { Scene } from '../../../test/ingress/scene.ts'

const running = (replicas: number): Scene => anIngressController().on('AWS').spec({ replicas }).published()

const withStatus = (edge: Scene, status: object): Scene => {
  edge.edit('Deployment', { status }, { manager: 'kcm' }).settle()
  return edge
}

describe('DeploymentAvailable', () => {
  test('is what the Deployment says of itself', () => {
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

  test('is unknown where routers run and the Deployment says nothing', () => {
    expect(withStatus(running(2), { conditions: [] }).condition('DeploymentAvailable')).toMatchObject({
      status: 'Unknown',
      reason: 'DeploymentAvailabilityUnknown',
    })
  })
})

describe('DeploymentReplicasMinAvailable', () => {
  test.each([
    { replicas: 2, available: 1, met: 'True' }, // half of them may be missing
    { replicas: 3, available: 2, met: 'True' },
    { replicas: 3, available: 1, met: 'False' },
    { replicas: 4, available: 3, met: 'True' }, // from four on a quarter
    { replicas: 4, available: 2, met: 'False' },
  ])('of $replicas routers $available: $met', ({ replicas, available, met }) => {
    const edge = withStatus(running(replicas), { availableReplicas: available })
    expect(edge.condition('DeploymentReplicasMinAvailable')).toMatchObject({
      status: met,
      reason: met === 'True' ? 'DeploymentMinimumReplicasMet' : 'DeploymentMinimumReplicasNotMet',
    })
  })

  test('a Deployment that calls itself available too early does not hide it (BZ1830271)', () => {
    const edge = withStatus(running(4), { availableReplicas: 1 })
    expect(edge.condition('DeploymentAvailable').status).toBe('True')
    expect(edge.condition('DeploymentReplicasMinAvailable').status).toBe('False')
  })
})

describe('DeploymentReplicasAllAvailable', () => {
  test('is False as soon as one is missing, and then tells what the pods say', () => {
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
    expect(message).toMatch(/^1 of 2 routers are available\./)
    expect(message).toContain('no free ports')
  })
})

describe('pods that are refused', () => {
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
  ])('%s tells who refuses them', (type) => {
    expect(refused('exceeded quota').condition(type).message).toContain(' Pods are refused: exceeded quota')
    expect(refused('exceeded quota', {}, 'False').condition(type).message).not.toContain('quota')
  })

  test('where the account of routers is missing, it is said what makes it', () => {
    expect(refused(missing).condition('DeploymentAvailable').message).toBe(
      `No router is available. Pods are refused: ${missing}. Apply the manifests or the chart of this version again: they make the ServiceAccount openshift-ingress/router.`,
    )
    const others = missing.replaceAll('router"', 'theirs"')
    expect(refused(others).condition('Available').message).not.toContain('Apply')
  })

  test('nothing is said of them while all routers are available', () => {
    const edge = refused(missing, { availableReplicas: 2, updatedReplicas: 2 })
    expect(edge.condition('DeploymentReplicasAllAvailable').message).toBe('All routers are available.')
  })
})

describe('DeploymentRollingOut', () => {
  test('is over when every router is of the wanted version', () => {
    const edge = running(2)
    expect(edge.condition('DeploymentRollingOut')).toMatchObject({
      status: 'False',
      reason: 'DeploymentNotRollingOut',
    })
    expect(edge.condition('Progressing').status).toBe('False')
  })

  test.each([{ updatedReplicas: 1 }, { replicas: 3 }, { observedGeneration: 0 }])(
    'is under way with %o of two',
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
  ])('a node that went away is none: %o (OCPBUGS-62627)', (status, reason) => {
    const edge = withStatus(running(2), status)
    expect(edge.condition('DeploymentRollingOut')).toMatchObject({ status: 'True', reason })
    expect(edge.condition('Progressing').status).toBe('False')
  })
})
