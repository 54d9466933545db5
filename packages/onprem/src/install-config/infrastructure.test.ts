import { expect, test } from 'vitest'
import { infrastructureFrom } from './infrastructure.ts'

const named = 'baseDomain: example.com\nmetadata: {name: shop}\n'
const from = (platform: string, more = '') => infrastructureFrom(`${named}platform: ${platform}\n${more}`)

test('The load balancer of the user is written to spec and status', () => {
  const vips = '{apiVIPs: [192.0.2.5, "2001:db8::5"], ingressVIPs: [192.0.2.7, "2001:db8::7"]'
  const networks = 'networking: {machineNetwork: [{cidr: 192.0.2.0/24}, {cidr: "2001:db8::/64"}]}'
  const addresses = {
    apiServerInternalIPs: ['192.0.2.5', '2001:db8::5'],
    ingressIPs: ['192.0.2.7', '2001:db8::7'],
    machineNetworks: ['192.0.2.0/24', '2001:db8::/64'],
  }
  expect(from(`{vsphere: ${vips}, loadBalancer: {type: UserManaged}}}`, networks)).toEqual({
    apiVersion: 'config.openshift.io/v1',
    kind: 'Infrastructure',
    metadata: { name: 'cluster' },
    spec: { platformSpec: { type: 'VSphere', vsphere: addresses } },
    status: {
      platform: 'VSphere',
      platformStatus: {
        type: 'VSphere',
        vsphere: {
          apiServerInternalIP: '192.0.2.5',
          ingressIP: '192.0.2.7',
          ...addresses,
          loadBalancer: { type: 'UserManaged' },
        },
      },
      apiServerURL: 'https://api.shop.example.com:6443',
      apiServerInternalURI: 'https://api-int.shop.example.com:6443',
      etcdDiscoveryDomain: 'shop.example.com',
      controlPlaneTopology: 'HighlyAvailable',
      infrastructureTopology: 'HighlyAvailable',
    },
  })
})

test('A dot at the end of baseDomain is not a part of names', () => {
  const { status } = infrastructureFrom(
    'baseDomain: example.com.\nmetadata: {name: shop}\nplatform: {vsphere: {}}',
  )
  expect(status).toMatchObject({
    apiServerURL: 'https://api.shop.example.com:6443',
    etcdDiscoveryDomain: 'shop.example.com',
  })
})

test.each([
  ['baremetal', 'BareMetal'],
  ['openstack', 'OpenStack'],
  ['vsphere', 'VSphere'],
])('The load balancer of OpenShift is the default on %s', (platform, type) => {
  const { spec, status } = from(`{${platform}: {apiVIP: 10.0.0.5, ingressVIP: 10.0.0.7}}`)
  const addresses = {
    apiServerInternalIPs: ['10.0.0.5'],
    ingressIPs: ['10.0.0.7'],
    machineNetworks: ['10.0.0.0/16'],
  }
  expect(spec).toEqual({ platformSpec: { type, [platform]: addresses } })
  expect(status?.platformStatus).toEqual({
    type,
    [platform]: {
      ...addresses,
      apiServerInternalIP: '10.0.0.5',
      ingressIP: '10.0.0.7',
      loadBalancer: { type: 'OpenShiftManagedDefault' },
    },
  })
})

test.each([
  ['nutanix', 'Nutanix', 'apiVIPs', 'ingressVIPs'],
  ['ovirt', 'oVirt', 'api_vips', 'ingress_vips'],
])('IPv4 comes first on %s, and the spec has no virtual IPs', (platform, type, api, ingress) => {
  const { spec, status } = from(
    `{${platform}: {${api}: ["2001:db8::5", 192.0.2.5], ${ingress}: ["2001:db8::7", 192.0.2.7]}}`,
  )
  expect(spec).toEqual({ platformSpec: { type } })
  expect(status?.platformStatus).toMatchObject({
    [platform]: {
      apiServerInternalIPs: ['192.0.2.5', '2001:db8::5'],
      ingressIPs: ['192.0.2.7', '2001:db8::7'],
    },
  })
})

test('A vSphere platform without virtual IPs names no load balancer, since none is deployed', () => {
  const { spec, status } = from('{vsphere: {vcenters: []}}')
  expect(spec?.platformSpec?.vsphere).toEqual({})
  expect(status?.platformStatus?.vsphere).toEqual({})
})

test('OpenStack puts virtual IPs that are not given at the fifth and seventh address', () => {
  const { status } = from('{openstack: {}}', 'networking: {machineNetwork: [{cidr: 192.0.2.128/25}]}')
  expect(status?.platformStatus?.openstack).toMatchObject({
    apiServerInternalIPs: ['192.0.2.133'],
    ingressIPs: ['192.0.2.135'],
  })
})

test('Records outside of the cluster’s DNS servers are written', () => {
  const { status } = from(
    '{vsphere: {apiVIPs: [10.0.0.5], ingressVIPs: [10.0.0.5], loadBalancer: {type: UserManaged}, dnsRecordsType: External}}',
  )
  expect(status?.platformStatus?.vsphere).toMatchObject({ dnsRecordsType: 'External' })
})

test.each([
  ['', 'HighlyAvailable', 'HighlyAvailable'],
  ['controlPlane: {replicas: 1}\ncompute: [{replicas: 0}]', 'SingleReplica', 'SingleReplica'],
  ['controlPlane: {replicas: 1}\ncompute: [{replicas: 2}]', 'SingleReplica', 'HighlyAvailable'],
  ['controlPlane: {replicas: 2}\ncompute: [{replicas: 0}]', 'DualReplica', 'HighlyAvailable'],
  [
    'controlPlane: {replicas: 2}\narbiter: {replicas: 1}\ncompute: [{replicas: 0}]',
    'HighlyAvailableArbiter',
    'HighlyAvailable',
  ],
  ['compute: [{replicas: 1}, {replicas: 0}]', 'HighlyAvailable', 'SingleReplica'],
])('The topology of %j is written', (pools, controlPlaneTopology, infrastructureTopology) => {
  const { status } = from('{vsphere: {apiVIPs: [10.0.0.5], ingressVIPs: [10.0.0.7]}}', pools)
  expect(status).toMatchObject({ controlPlaneTopology, infrastructureTopology })
})

test.each([
  ['platform: {vsphere: {}}', 'no metadata.name and no baseDomain', 'write both.'],
  ['baseDomain: example.com\nplatform: {vsphere: {}}', 'no metadata.name', 'write it.'],
  [
    `${named}platform: {baremetal: {apiVIPs: [10.0.0.5]}}`,
    'platform.baremetal.ingressVIPs is missing',
    'write the address there.',
  ],
  [`${named}platform: {aws: {}}`, 'no platform on your own premises', 'this is for baremetal'],
])('A file with missing facts is an error: %j', (text, cause, remedy) => {
  expect(() => infrastructureFrom(text)).toThrow(cause)
  expect(() => infrastructureFrom(text)).toThrow(remedy)
})
