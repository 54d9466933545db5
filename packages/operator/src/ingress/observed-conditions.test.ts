import { VirtualClock } from '@portcullis/kube/testing'
import { expect, test } from 'vitest'
import { type Condition, transitionKey } from './conditions/summary-conditions.ts'
import { ObservedConditions } from './observed-conditions.ts'

const condition: Condition = {
  type: 'Available',
  status: 'False',
  lastTransitionTime: '2029-12-31T00:00:00Z',
}
const worse: Condition = { type: 'Degraded', status: 'True', lastTransitionTime: '2029-12-31T00:00:00Z' }

test('A condition lasts since this process first observed it, not since the time in it', async () => {
  const clock = new VirtualClock(new Date('2030-01-01T00:00:00Z'))
  const observed = new ObservedConditions(clock)
  await clock.advance(1000)
  observed.note('ns/edge', [condition])
  await clock.advance(2000)
  observed.note('ns/edge', [condition, worse])
  await clock.advance(4000)
  expect(observed.of('ns/edge')).toEqual(
    new Map([
      [transitionKey(condition), new Date('2030-01-01T00:00:01Z')],
      [transitionKey(worse), new Date('2030-01-01T00:00:03Z')],
    ]),
  )
  expect(observed.of('ns/other')).toEqual(new Map())
})

test('A clock that is set while a condition lasts does not change how long it has lasted', () => {
  let [time, monotonic] = [new Date('2030-01-01T00:00:00Z'), 500]
  const clock = { now: () => time, monotonic: () => monotonic, after: () => () => {} }
  const observed = new ObservedConditions(clock)
  observed.note('ns/edge', [condition])
  time = new Date('2030-01-01T09:00:00Z')
  monotonic += 2000
  expect([...observed.of('ns/edge').values()]).toEqual([new Date('2030-01-01T08:59:58Z')])
})

test('A condition that was absent in between, or whose controller was forgotten, begins anew', async () => {
  const clock = new VirtualClock()
  const observed = new ObservedConditions(clock)
  const seen = () => [...observed.of('ns/edge').values()]
  observed.note('ns/edge', [condition])
  await clock.advance(1000)
  observed.note('ns/edge')
  expect(seen()).toEqual([])
  observed.note('ns/edge', [condition])
  expect(seen()).toEqual([clock.now()])
  observed.forget('ns/edge')
  expect(seen()).toEqual([])
})
