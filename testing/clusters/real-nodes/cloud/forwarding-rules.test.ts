import { expect, test } from 'vitest'
import { forwardingRules } from './forwarding-rules.ts'
import type { Health, LoadBalancer } from './load-balancer.ts'
import { healthCheckTiming } from './wanted-load-balancers.ts'

const loadBalancer: LoadBalancer = {
  name: 'ingress/router-default',
  scope: 'External',
  ips: ['203.0.113.10', '2001:db8:e::a'],
  ports: [{ protocol: 'TCP', port: 80, targetPort: 30080 }],
  targets: [
    { node: 'node-a', ipv4: '198.51.100.11', ipv6: '2001:db8:51::11' },
    { node: 'node-b', ipv4: '198.51.100.12', ipv6: '2001:db8:51::12' },
  ],
  healthCheck: { ...healthCheckTiming, path: '/healthz', port: 32000 },
  forwarding: 'direct',
  sourceRanges: [],
}
const healthy: Health = { 'ingress/router-default': { 'node-a': 'healthy', 'node-b': 'healthy' } }

function linesWith(text: string, one: Partial<LoadBalancer> = {}, health = healthy): readonly string[] {
  const rules = forwardingRules([{ ...loadBalancer, ...one }], health)
  return rules
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.includes(text))
}

test('Packets go to the healthy targets in turn, in each family', () => {
  expect(linesWith('numgen')).toEqual([
    'ip daddr 203.0.113.10 tcp dport 80 dnat ip to numgen inc mod 2 map { 0 : 198.51.100.11, 1 : 198.51.100.12 } : 30080',
    'ip6 daddr 2001:db8:e::a tcp dport 80 dnat ip6 to numgen inc mod 2 map { 0 : 2001:db8:51::11, 1 : 2001:db8:51::12 } : 30080',
  ])
})

test('A target that is not known to be healthy gets nothing', () => {
  const health: Health = { 'ingress/router-default': { 'node-a': 'initial', 'node-b': 'healthy' } }
  expect(linesWith('numgen', { ips: ['203.0.113.10'] }, health)).toEqual([
    'ip daddr 203.0.113.10 tcp dport 80 dnat ip to numgen inc mod 1 map { 0 : 198.51.100.12 } : 30080',
  ])
  expect(linesWith('numgen', {}, {})).toEqual([])
})

test('A load balancer that makes connections of its own forwards no packets', () => {
  expect(linesWith('numgen', { forwarding: 'connection' })).toEqual([])
})

test('Clients outside of the source ranges are not answered; ranges of one family close the other', () => {
  expect(linesWith(' drop', { sourceRanges: ['10.0.0.0/8', '203.0.113.200/32'] }).slice(1)).toEqual([
    'ip daddr 203.0.113.10 ip saddr != { 10.0.0.0/8, 203.0.113.200/32 } drop',
    'ip6 daddr 2001:db8:e::a drop',
  ])
})

test('A client outside reaches no address that is for clients inside', () => {
  expect(linesWith('iifname')).toEqual([
    'iifname "external" ip daddr 192.0.2.0/24 drop; iifname "external" ip6 daddr 2001:db8:1::/64 drop;',
  ])
})
