import { expect, test } from 'vitest'
import { withoutTiming } from './service-timelines.ts'

const ensured = 'Normal EnsuredLoadBalancer: Ensured load balancer'
const updated = 'Normal UpdatedLoadBalancer: Updated load balancer with new hosts'
const deleting = 'Normal DeletingLoadBalancer: Deleting load balancer'
const failed = 'Warning SyncLoadBalancerFailed: no'

test('Node updates during a deletion are left out of a timeline, and those before it are kept', () => {
  expect(withoutTiming([ensured, updated, deleting, updated, failed])).toEqual([
    ensured,
    updated,
    deleting,
    failed,
  ])
  expect(withoutTiming([ensured, updated])).toEqual([ensured, updated])
})

test('Repeated attempts count once in a timeline', () => {
  expect(withoutTiming([deleting, failed, deleting, failed, ensured])).toEqual([deleting, failed, ensured])
})
