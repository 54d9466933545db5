import {
  ApiError,
  ConnectionError,
  type Kind,
  type KubeObject,
  type ReconcileContext,
} from '@portcullis/kube'
import { expect, test } from 'vitest'
import { edgeOnAws, reconcilerAlone } from '../testing/a-reconciler.ts'

test('A refused write does not keep the other objects from being created, and the condition names every refusal', async () => {
  const { reconcile, show } = reconcilerAlone()
  const { client, condition, made } = edgeOnAws(show, new Set(['PodDisruptionBudget', 'IngressClass']))
  await expect(reconcile(client)).rejects.toThrow('no IngressClass for you')
  expect(made()).toEqual([
    'IngressController edge',
    'Service router-internal-edge',
    'Service router-edge',
    'Deployment router-edge',
  ])
  expect(condition('OperandsManaged')).toMatchObject({ status: 'False', reason: 'WriteFailed' })
  for (const kind of ['PodDisruptionBudget', 'IngressClass'])
    expect(condition('OperandsManaged')?.message).toContain(`no ${kind} for you`)
})

test.each([
  ['hangs', () => new ConnectionError('create PodDisruptionBudget', 'no answer within 10 s')],
  ['says that it is overloaded', () => new ApiError('create PodDisruptionBudget', 503, {})],
  ['says that there are too many requests', () => new ApiError('create PodDisruptionBudget', 429, {})],
])(
  'A webhook that %s does not keep the load balancer from being created, and the condition names the failure',
  async (_, failure) => {
    const { reconcile, show } = reconcilerAlone()
    const { client, condition, made } = edgeOnAws(show, new Set())
    const create = async (kind: Kind, object: KubeObject) => {
      if (kind.kind === 'PodDisruptionBudget') throw failure()
      return client.create(kind, object)
    }
    const failing = { ...client, create } as ReconcileContext['client']
    await expect(reconcile(failing)).rejects.toThrow('Cannot create PodDisruptionBudget')
    expect(made()).toContain('Service router-edge')
    expect(condition('LoadBalancerReady')).toMatchObject({ status: 'False', reason: 'LoadBalancerPending' })
    expect(condition('OperandsManaged')?.message).toContain('Cannot create PodDisruptionBudget')
  },
)

test('Nothing is created for a controller whose finalizer is refused', async () => {
  const { reconcile, show } = reconcilerAlone()
  const { client, made } = edgeOnAws(show, new Set(['IngressController']))
  await expect(reconcile(client)).rejects.toThrow('403')
  expect(made()).toEqual(['IngressController edge'])
})

test('A refused write is sent ever more rarely, however often the controller is reconciled', async () => {
  const { clock, reconcile, show } = reconcilerAlone()
  const refused = new Set(['PodDisruptionBudget'])
  const { client, made, sent } = edgeOnAws(show, refused)
  for (let times = 0; times < 100; times++) {
    await expect(reconcile(client)).rejects.toThrow('no PodDisruptionBudget for you')
    await clock.advance(1000)
  }
  expect(sent.filter((kind) => kind === 'PodDisruptionBudget').length).toBeLessThan(12)
  refused.clear()
  await clock.advance(60_000)
  await reconcile(client)
  expect(made()).toContain('PodDisruptionBudget router-edge')
})
