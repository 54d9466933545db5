import type { InfrastructureStatus } from '@portcullis/operator'
import { expect, test } from 'vitest'
import { nodesAskOutside } from './live-cluster.ts'

const addresses = { apiServerInternalIPs: ['192.0.2.10'], ingressIPs: ['192.0.2.11'] }

test.each<[boolean, string, NonNullable<InfrastructureStatus['platformStatus']>]>([
  [true, 'there are no virtual IPs', { type: 'None' }],
  [false, 'the cluster balances the load itself', { type: 'VSphere', vsphere: addresses }],
  [
    true,
    'the load balancer on vSphere is the customer’s',
    { type: 'VSphere', vsphere: { ...addresses, loadBalancer: { type: 'UserManaged' } } },
  ],
  [
    false,
    'the load balancer on bare metal is the customer’s',
    { type: 'BareMetal', baremetal: { ...addresses, loadBalancer: { type: 'UserManaged' } } },
  ],
  [
    true,
    'records are the customer’s',
    { type: 'BareMetal', baremetal: { ...addresses, dnsRecordsType: 'External' } },
  ],
])('It is %s that nodes ask your DNS for api-int where %s', (expected, _, platformStatus) => {
  expect(nodesAskOutside({ status: { platformStatus } })).toBe(expected)
})
