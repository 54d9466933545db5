import { expect, test } from 'vitest'
import { hasCustomersLoadBalancer } from './customers-load-balancer.ts'

const vips = { apiServerInternalIPs: ['192.0.2.10'], ingressIPs: ['192.0.2.11'] }
const userManaged = { loadBalancer: { type: 'UserManaged' } } as const
const byDefault = { loadBalancer: { type: 'OpenShiftManagedDefault' } } as const
const onPremises = ['baremetal', 'nutanix', 'openstack', 'ovirt', 'vsphere'] as const

test.each(onPremises)("on %s it is the customer's when it is called UserManaged", (name) => {
  expect(hasCustomersLoadBalancer({ platformStatus: { [name]: { ...vips, ...userManaged } } })).toBe(true)
})

test.each(onPremises)('on %s it is the cluster that balances by default, said or not', (name) => {
  expect(hasCustomersLoadBalancer({ platformStatus: { [name]: { ...vips, ...byDefault } } })).toBe(false)
  expect(hasCustomersLoadBalancer({ platformStatus: { [name]: vips } })).toBe(false)
})

test("vSphere without virtual IPs has the customer's, whatever the API server filled in", () => {
  expect(hasCustomersLoadBalancer({ platformStatus: { vsphere: byDefault } })).toBe(true)
  expect(hasCustomersLoadBalancer({ platformStatus: { vsphere: { apiServerInternalIPs: [] } } })).toBe(true)
  expect(hasCustomersLoadBalancer({ platformStatus: { type: 'VSphere' } })).toBe(true)
})

test('vSphere with a virtual IP in the old field alone balances itself', () => {
  expect(
    hasCustomersLoadBalancer({ platformStatus: { vsphere: { apiServerInternalIP: '192.0.2.10' } } }),
  ).toBe(false)
})

test.each(['baremetal', 'nutanix', 'openstack', 'ovirt'] as const)(
  "on %s the lack of virtual IPs does not make it the customer's",
  (name) => expect(hasCustomersLoadBalancer({ platformStatus: { [name]: {} } })).toBe(false),
)

test("a cloud's load balancer is not the customer's, and nor is one of an unknown platform", () => {
  expect(hasCustomersLoadBalancer({ platformStatus: { type: 'AWS', aws: { region: 'eu-north-1' } } })).toBe(
    false,
  )
  expect(hasCustomersLoadBalancer(undefined)).toBe(false)
})
