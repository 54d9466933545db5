import { test } from 'vitest'
import { expectFindings } from '../../testing/findings.ts'

const dualStack = `
networking:
  machineNetwork: [{cidr: 10.0.0.0/16}, {cidr: "2001:db8::/64"}]
  clusterNetwork: [{cidr: 10.128.0.0/14}, {cidr: "fd01::/48"}]
  serviceNetwork: [172.30.0.0/16, "fd02::/112"]`

test('Two virtual IPs are of different families, and both lists in the same order', () => {
  expectFindings(`${dualStack}
platform:
  vsphere:
    apiVIPs: [10.0.0.5, "2001:db8::5"]
    ingressVIPs: [10.0.0.7, 10.0.0.8] #! 29 error vip-same-family
`)
})

test('The first virtual IP is of the family that comes first in the networks', () => {
  expectFindings(`${dualStack}
platform:
  baremetal:
    apiVIPs: ["2001:db8::5", 10.0.0.5] #! 15 error vip-family-order
    ingressVIPs: ["2001:db8::7", 10.0.0.7] #! 19 error vip-family-order
`)
})

test('Nutanix reorders virtual IPs silently, so the checker warns', () => {
  expectFindings(`${dualStack}
platform:
  nutanix:
    apiVIPs: ["2001:db8::5", 10.0.0.5] #! 15 warning vip-order-rewritten
    ingressVIPs: [10.0.0.7, "2001:db8::7"]
`)
})

test('One virtual IP in a cluster of two families is allowed, with a warning', () => {
  expectFindings(`${dualStack}
platform:
  vsphere:
    apiVIPs: [10.0.0.5] #! 15 warning vip-one-family
    ingressVIPs: [10.0.0.7] #! 19 warning vip-one-family
`)
})

const shared = `
networking:
  machineNetwork: [{cidr: "2001:db8::/64"}]
platform:
  vsphere:
    loadBalancer: {type: OpenShiftManagedDefault}
    apiVIPs: ["2001:db8::5"] #! 15 error vip-shared
    ingressVIPs: ["2001:db8:0:0::5"]
`

test('API and ingress share an address only if the load balancer is the user’s', () => {
  expectFindings(shared)
  expectFindings(shared.replace(/#!.*/, '').replace('OpenShiftManagedDefault', 'UserManaged'))
})

test('API and ingress could not share an address until 4.15', () => {
  const preview = shared
    .replace('OpenShiftManagedDefault', 'UserManaged')
    .replace('\n', 'featureSet: TechPreviewNoUpgrade\n')
  expectFindings(preview, { release: 14 })
  expectFindings(preview.replace(/#!.*/, ''), { release: 15 })
})
