import { Deployment, IngressClass, PodDisruptionBudget } from '@portcullis/kube'
import { expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import { newYear } from '../testing/scene.ts'
import { create, update } from './decision.ts'
import { FieldConflicts } from './field-conflicts.ts'
import type { Snapshot } from './snapshot.ts'

const edge = 'openshift-ingress-operator/edge'
const ofGeneration = (generation: number): Snapshot['controller'] => {
  const { controller } = anIngressController().snapshot()
  return { ...controller, metadata: { ...controller.metadata, generation } }
}
const minutesLater = (minutes: number) => new Date(newYear.getTime() + minutes * 60_000)

/** Scales the routers, which others may have scaled before. */
function scaling(replicas: number, manager?: string) {
  const byManager = { manager, fieldsV1: { 'f:spec': { 'f:replicas': {} } } }
  const metadata = {
    namespace: 'openshift-ingress',
    name: 'router-edge',
    uid: 'd',
    resourceVersion: '1',
    managedFields: manager === undefined ? [] : [byManager],
  }
  return update(Deployment, { metadata, spec: { replicas: 9 } } as never, { spec: { replicas } })
}

interface Fight {
  readonly generation?: number
  readonly replicas?: (round: number) => number
  readonly manager?: string
}

function fought({ generation = 1, replicas = () => 2, manager }: Fight = {}) {
  const conflicts = new FieldConflicts()
  for (let round = 1; round <= 5; round++) {
    conflicts.wrote(edge, ofGeneration(generation), scaling(replicas(round), manager), newYear)
  }
  return conflicts
}
const contestedIn = (conflicts: FieldConflicts, generation = 1, now = newYear) =>
  conflicts.of(edge, ofGeneration(generation), now)

test('A field is contested by the manager that set it when it is written for the fifth time', () => {
  expect(contestedIn(fought({ manager: 'hpa' }))).toMatchObject([
    {
      kind: Deployment,
      ref: { namespace: 'openshift-ingress', name: 'router-edge' },
      path: ['spec', 'replicas'],
      isRemoved: false,
      manager: 'hpa',
      writes: 5,
    },
  ])
})

test('A different value of ours counts as a conflict only if another manager set the field', () => {
  const replicas = (round: number) => round
  expect(contestedIn(fought({ replicas }))).toEqual([])
  expect(contestedIn(fought({ replicas, manager: 'hpa' }))).toHaveLength(1)
})

test('A field with a new value in the spec is not contested, and its writes are counted anew', () => {
  const conflicts = fought({ generation: 1 })
  expect(contestedIn(conflicts, 2)).toEqual([])
  for (let round = 1; round <= 4; round++) conflicts.wrote(edge, ofGeneration(2), scaling(2), newYear)
  expect(contestedIn(conflicts, 2)).toEqual([])
  conflicts.wrote(edge, ofGeneration(2), scaling(2), newYear)
  expect(contestedIn(conflicts, 2)).toHaveLength(1)
})

test('A conflict is over if nothing was written for more than a quarter of an hour', () => {
  expect(contestedIn(fought(), 1, minutesLater(15))).toHaveLength(1)
  expect(contestedIn(fought(), 1, minutesLater(16))).toEqual([])
})

test('Field conflicts are forgotten for one controller, or for all', () => {
  const [one, all] = [fought(), fought()]
  one.forget('openshift-ingress-operator/other')
  expect(contestedIn(one)).toHaveLength(1)
  one.forget(edge)
  all.forgetAll()
  expect([contestedIn(one), contestedIn(all)]).toEqual([[], []])
})

test.each([
  [PodDisruptionBudget, { namespace: 'openshift-ingress', name: 'router-edge' }],
  [IngressClass, { name: 'portcullis-edge' }],
])('An object that is recreated repeatedly is contested as a whole', (kind, ref) => {
  const conflicts = new FieldConflicts()
  for (let round = 1; round <= 5; round++) {
    conflicts.wrote(edge, ofGeneration(1), create(kind, { metadata: ref }), newYear)
  }
  const [field] = contestedIn(conflicts)
  expect(field).toMatchObject({ kind, path: [], manager: undefined })
  expect(field?.ref).toStrictEqual(ref)
})
