import { expect, test } from 'vitest'
import type { TargetState } from './load-balancer.ts'
import { afterCheck, type TargetHealth, unknownHealth } from './target-health.ts'

const thresholds = { healthyAfter: 2, unhealthyAfter: 3 }

function statesAfter(checks: string): readonly TargetState[] {
  let health: TargetHealth = unknownHealth
  return checks.split('').map((check) => {
    health = afterCheck(health, check === '+', thresholds)
    return health.state
  })
}

test('A new target is healthy once it has passed often enough in a row', () => {
  expect(statesAfter('+-++')).toEqual(['initial', 'initial', 'initial', 'healthy'])
})

test('A healthy target is unhealthy once it has failed often enough in a row', () => {
  expect(statesAfter('++--+---').slice(2)).toEqual([
    'healthy',
    'healthy',
    'healthy',
    'healthy',
    'healthy',
    'unhealthy',
  ])
})

test('A new target that never passes is unhealthy', () => {
  expect(statesAfter('---')).toEqual(['initial', 'initial', 'unhealthy'])
})
