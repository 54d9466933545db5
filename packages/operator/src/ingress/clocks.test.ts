import { describe, expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'

const hours = 3600

describe.each([
  ['as fast as that of the API server', 0],
  ['hours fast', 5 * hours],
  ['hours slow', -5 * hours],
])('a leader whose clock is %s', (_, operator) => {
  const published = () =>
    anIngressController().on('AWS').clocksAhead({ operator, cloud: operator }).scoped('External').published()

  test('A leader reports that a change was taken back when nothing was touched', () => {
    const edge = published()
    edge.later(60).scoped('Internal').settle()
    const { events } = edge.later(60).scoped('External').decide()
    expect(events.map(({ reason }) => reason)).toContain('ChangeReverted')
  })

  test('A leader believes the cloud that has found nodes again, once the warning has expired', () => {
    const edge = published()
    edge.later(60).cloudSays('UnAvailableLoadBalancer').cloudSays('EnsuredLoadBalancer').settle()
    edge.cloudEvents.length = 0
    edge.later(3600).settle()
    expect(edge.condition('LoadBalancerReady').reason).toBe('LoadBalancerWithoutNodes')
    edge.later(60).cloudSays('EnsuredLoadBalancer').settle()
    expect(edge.condition('LoadBalancerReady').status).toBe('True')
  })
})
