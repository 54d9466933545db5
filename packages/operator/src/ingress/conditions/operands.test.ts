import { Deployment, Service } from '@portcullis/kube'
import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import type { ContestedField } from '../contested-fields.ts'
import { ownerLabel } from '../names.ts'
import { operandsManaged } from './operands.ts'

const managed = 'OperandsManaged'

test('OperandsManaged is True if all objects are in place', () => {
  expect(anIngressController().on('AWS').published().condition(managed)).toMatchObject({
    status: 'True',
    reason: 'AsExpected',
  })
})

test.each(['Deployment', 'PodDisruptionBudget'])(
  'A %s that is not ours is named and left alone; handed over by its label it is ours',
  (kind) => {
    const edge = anIngressController().on('AWS').published()
    edge.edit(kind, { metadata: { labels: { [ownerLabel]: null } } })
    const theirs = edge.server.get(kind, 'router-edge')
    edge.spec({ replicas: 5 }).settle()
    expect(edge.server.get(kind, 'router-edge')).toBe(theirs)
    expect(edge.condition(managed)).toMatchObject({ status: 'False', reason: 'ConflictingObjects' })
    expect(edge.condition(managed).message).toContain(`${kind} openshift-ingress/router-edge`)
    edge.later(30).settle()
    expect(edge.condition('Degraded').status).toBe('True')

    edge.edit(kind, { metadata: { labels: { [ownerLabel]: 'edge' } } }).settle()
    expect(edge.condition(managed).status).toBe('True')
  },
)

test('OperandsManaged contains the errors of writes that the API server rejected', () => {
  const edge = anIngressController().on('AWS').published()
  edge.problems = ['Cannot create Service a/b: exceeded quota.']
  edge.settle()
  expect(edge.condition(managed)).toMatchObject({
    status: 'False',
    reason: 'WriteFailed',
    message: 'Cannot create Service a/b: exceeded quota.',
  })
})

test('Routers that the operator does not manage do not make an IngressController available', () => {
  const edge = anIngressController().on('AWS').published()
  edge.edit('Deployment', { metadata: { labels: { [ownerLabel]: 'another' } } }).settle()
  expect(edge.condition('Available').status).toBe('False')
})

describe('fields that another client keeps changing', () => {
  const contest = (kind: ContestedField['kind'], path: readonly string[], name = 'router-edge') => ({
    kind,
    ref: { namespace: 'openshift-ingress', name },
    path,
    isRemoved: false,
    manager: 'hpa',
    writes: 5,
    lastWriteAt: new Date('2030-01-01T00:00:00Z'),
  })
  const said = (...contested: ContestedField[]) =>
    operandsManaged([], contested, anIngressController().on('AWS').snapshot())

  test('Fields that another client keeps changing are listed in order, one sentence each', () => {
    const { status, reason, message } = said(
      contest(Deployment, ['spec', 'replicas']),
      contest(Deployment, ['metadata', 'labels', 'a/b']),
    )
    expect([status, reason]).toEqual(['False', 'Contested'])
    expect(message).toMatch(
      /^"hpa" keeps changing metadata\.labels\["a\/b"\] of Deployment openshift-ingress\/router-edge\. "hpa" keeps changing spec\.replicas of Deployment /,
    )
  })

  test.each([
    ['a field of the Service of the load balancer', [contest(Service, ['spec', 'ports'])], true],
    ['its spec as a whole', [contest(Service, ['spec'])], true],
    ['one of it among others', [contest(Deployment, ['spec', 'replicas']), contest(Service, ['spec'])], true],
    ['that Service itself, which is deleted', [contest(Service, [])], false],
    ['a field of another Service', [contest(Service, ['spec'], 'router-internal-edge')], false],
    ['a field of the Deployment', [contest(Deployment, ['spec', 'replicas'])], false],
  ])(
    'Fields that another client keeps changing raise a warning about the traffic that the load balancer accepts if necessary: %s',
    (_, contested, isExposed) => {
      expect(said(...contested).message.includes('may accept traffic')).toBe(isExposed)
    },
  )
})
