import { expect, it } from 'vitest'
import { type Condition, findCondition, isTrue, removeCondition, setCondition } from './conditions.ts'

const yesterday = '2029-12-31T08:00:00Z'
const now = new Date('2030-01-01T08:00:00.999Z')
const nowInSeconds = '2030-01-01T08:00:00Z'

const available: Condition = {
  type: 'Available',
  status: 'True',
  reason: 'AsExpected',
  message: 'All is well.',
  observedGeneration: 3,
  lastTransitionTime: yesterday,
}
const degraded: Condition = { type: 'Degraded', status: 'False', lastTransitionTime: yesterday }
const foreign: Condition = { type: 'example.com/Approved', status: 'True', lastTransitionTime: yesterday }
const conditions = [available, degraded, foreign]

it('The function setCondition moves lastTransitionTime when the status changes, to the second', () => {
  const [changed] = setCondition(conditions, { type: 'Available', status: 'False', reason: 'NoPods' }, now)
  expect(changed).toMatchObject({ status: 'False', reason: 'NoPods', lastTransitionTime: nowInSeconds })
})

it.each([{ reason: 'StillFine' }, { message: 'Other words.' }, { observedGeneration: 4 }])(
  'The function setCondition keeps lastTransitionTime when only %o changes',
  (change) => {
    const [changed] = setCondition(conditions, { ...available, ...change }, now)
    expect(changed).toEqual({ ...available, ...change })
  },
)

it('The function setCondition returns the identical list when nothing changes', () => {
  const { lastTransitionTime: _, ...same } = available
  expect(setCondition(conditions, same, now)).toBe(conditions)
})

it('The function setCondition ignores a lastTransitionTime given by the caller', () => {
  const forged = { ...available, lastTransitionTime: '1999-01-01T00:00:00Z' }
  expect(setCondition(conditions, forged, now)).toBe(conditions)
})

it("The function setCondition keeps the order and others' conditions, and does not change the list that it was given", () => {
  const before = structuredClone(conditions)
  const after = setCondition(conditions, { type: 'Degraded', status: 'True' }, now)
  expect(after.map(({ type }) => type)).toEqual(['Available', 'Degraded', 'example.com/Approved'])
  expect(after[0]).toBe(available)
  expect(after[2]).toBe(foreign)
  expect(conditions).toEqual(before)
})

it('The function setCondition adds a new condition at the end, also to no list at all', () => {
  const wanted = { type: 'Progressing', status: 'False' }
  const added = { ...wanted, lastTransitionTime: nowInSeconds }
  expect(setCondition(conditions, wanted, now)).toEqual([...conditions, added])
  expect(setCondition(undefined, wanted, now)).toEqual([added])
})

it('The function setCondition repairs a condition without lastTransitionTime', () => {
  const wanted = { type: 'Ready', status: 'True' }
  expect(setCondition([wanted], wanted, now)).toEqual([{ ...wanted, lastTransitionTime: nowInSeconds }])
})

it('The function setCondition keeps and compares fields that only some kinds of condition have', () => {
  interface NodeCondition extends Condition {
    readonly lastHeartbeatTime: string
  }
  const ready: NodeCondition = { ...available, lastHeartbeatTime: yesterday }
  expect(setCondition([ready], { ...ready, lastHeartbeatTime: nowInSeconds }, now)).toEqual([
    { ...ready, lastHeartbeatTime: nowInSeconds },
  ])
  expect(setCondition<Condition>([ready], { type: 'Available', status: 'True' }, now)).toEqual([ready])
})

it('The function removeCondition removes the condition and keeps the others', () => {
  expect(removeCondition(conditions, 'Degraded')).toEqual([available, foreign])
})

it('The function removeCondition returns the identical list when there is nothing to remove', () => {
  expect(removeCondition(conditions, 'Progressing')).toBe(conditions)
})

it('The function findCondition finds a condition by its type', () => {
  expect(findCondition(conditions, 'Degraded')).toBe(degraded)
  expect(findCondition(undefined, 'Degraded')).toBeUndefined()
})

it('The function isTrue takes only True for true', () => {
  expect(isTrue(conditions, 'Available')).toBe(true)
  expect(isTrue(conditions, 'Degraded')).toBe(false)
  expect(isTrue([{ type: 'Ready', status: 'Unknown' }], 'Ready')).toBe(false)
  expect(isTrue(undefined, 'Ready')).toBe(false)
})
