import { expect, test } from 'vitest'
import { hasCustomersLoadBalancer } from './customers-load-balancer.ts'

const vips = { apiServerInternalIPs: ['192.0.2.10'], ingressIPs: ['192.0.2.11'] }
const userManaged = { loadBalancer: { type: 'UserManaged' } } as const
const byDefault = { loadBalancer: { type: 'OpenShiftManagedDefault' } } as const
const onPremises = ['baremetal', 'nutanix', 'openstack', 'ovirt', 'vsphere'] as const

test.each(onPremises)("The load balancer on %s is the customer's if its type is UserManaged", (name) => {
  expect(hasCustomersLoadBalancer({ platformStatus: { [name]: { ...vips, ...userManaged } } })).toBe(true)
})

test.each(onPremises)("The load balancer on %s is the cluster's by default, written or not", (name) => {
  expect(hasCustomersLoadBalancer({ platformStatus: { [name]: { ...vips, ...byDefault } } })).toBe(false)
  expect(hasCustomersLoadBalancer({ platformStatus: { [name]: vips } })).toBe(false)
})

test("The load balancer on vSphere without virtual IPs is the customer's, whatever the API server filled in", () => {
  expect(hasCustomersLoadBalancer({ platformStatus: { vsphere: byDefault } })).toBe(true)
  expect(hasCustomersLoadBalancer({ platformStatus: { vsphere: { apiServerInternalIPs: [] } } })).toBe(true)
  expect(hasCustomersLoadBalancer({ platformStatus: { type: 'VSphere' } })).toBe(true)
})

test("The load balancer on vSphere with a virtual IP in the old field alone is the cluster's", () => {
  expect(
    hasCustomersLoadBalancer({ platformStatus: { vsphere: { apiServerInternalIP: '192.0.2.10' } } }),
  ).toBe(false)
})

test.each(['baremetal', 'nutanix', 'openstack', 'ovirt'] as const)(
  "The load balancer on %s without virtual IPs is not the customer's",
  (name) => expect(hasCustomersLoadBalancer({ platformStatus: { [name]: {} } })).toBe(false),
)

test("The load balancer of a cloud is not the customer's, and nor is one of an unknown platform", () => {
  expect(hasCustomersLoadBalancer({ platformStatus: { type: 'AWS', aws: { region: 'eu-north-1' } } })).toBe(
    false,
  )
  expect(hasCustomersLoadBalancer(undefined)).toBe(false)
})
