import { expect, test } from 'vitest'
import { anIngressController } from '../../../test/ingress/a-snapshot.ts'
import { ownerLabel } from '../names.ts'

const managed = 'OperandsManaged'

test('where all is in place, that is said', () => {
  expect(anIngressController().on('AWS').published().condition(managed)).toMatchObject({
    status: 'True',
    reason: 'AsExpected',
  })
})

test.each(['Deployment', 'PodDisruptionBudget'])(
  'a %s that is not ours is named and left alone; handed over by its label it is ours',
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

test('what the API server refused is told', () => {
  const edge = anIngressController().on('AWS').published()
  edge.problems = ['Cannot create Service a/b: exceeded quota.']
  edge.settle()
  expect(edge.condition(managed)).toMatchObject({
    status: 'False',
    reason: 'WriteFailed',
    message: 'Cannot create Service a/b: exceeded quota.',
  })
})

test('routers that are not ours do not make a controller available', () => {
  const edge = anIngressController().on('AWS').published()
  edge.edit('Deployment', { metadata: { labels: { [ownerLabel]: 'another' } } }).settle()
  expect(edge.condition('Available').status).toBe('False')
})
