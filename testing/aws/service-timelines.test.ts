import { expect, test } from 'vitest'
import { withoutTiming } from './service-timelines.ts'

const ensured = 'Normal EnsuredLoadBalancer: Ensured load balancer'
const updated = 'Normal UpdatedLoadBalancer: Updated load balancer with new hosts'
const deleting = 'Normal DeletingLoadBalancer: Deleting load balancer'
const failed = 'Warning SyncLoadBalancerFailed: no'

test('nodes that change while a load balancer is deleted leave no trace, and those before it do', () => {
  expect(withoutTiming([ensured, updated, deleting, updated, failed])).toEqual([
    ensured,
    updated,
    deleting,
    failed,
  ])
  expect(withoutTiming([ensured, updated])).toEqual([ensured, updated])
})

test('what is tried again and again counts once', () => {
  expect(withoutTiming([deleting, failed, deleting, failed, ensured])).toEqual([deleting, failed, ensured])
})
