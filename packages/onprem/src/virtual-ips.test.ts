import type { InfrastructureStatus } from '@portcullis/operator'
import { describe, expect, test } from 'vitest'
import { formatIp } from './ip.ts'
import { readVirtualIps } from './virtual-ips.ts'

const platforms = [
  ['baremetal', 'BareMetal'],
  ['nutanix', 'Nutanix'],
  ['openstack', 'OpenStack'],
  ['ovirt', 'oVirt'],
  ['vsphere', 'VSphere'],
] as const
const addresses = { apiServerInternalIPs: ['192.0.2.5'], ingressIPs: ['192.0.2.7'] }
const read = (platformStatus: InfrastructureStatus['platformStatus']) =>
  readVirtualIps({ status: { ...(platformStatus && { platformStatus }) } })

describe.each(platforms)('the virtual IPs on %s', (platform, type) => {
  test('The virtual IPs are served by nodes unless the user has a load balancer', () => {
    expect(read({ type, [platform]: addresses })).toMatchObject({ platform, servedBy: 'nodes' })
    const loadBalancer = { type: 'UserManaged' as const }
    expect(read({ type, [platform]: { ...addresses, loadBalancer } })).toMatchObject({ servedBy: 'customer' })
  })

  test('The virtual IPs are read from the deprecated fields where the lists are empty', () => {
    const { api, ingress } = read({
      [platform]: { apiServerInternalIP: '192.0.2.5', apiServerInternalIPs: [], ingressIP: '2001:db8::7' },
    })
    expect([...api, ...ingress].map(formatIp)).toEqual(['192.0.2.5', '2001:db8::7'])
  })

  test('A virtual IP of one kind alone is an error', () => {
    expect(() => read({ type, [platform]: { ingressIPs: ['192.0.2.7'] } })).toThrow(
      `no status.platformStatus.${platform}.apiServerInternalIPs, so nothing can answer`,
    )
  })

  test('Virtual IPs that the API server would refuse are refused', () => {
    expect(() => read({ type, [platform]: { ...addresses, dnsRecordsType: 'External' as const } })).toThrow(
      `status.platformStatus.${platform}.dnsRecordsType is External, which goes with`,
    )
    const ingressIPs = ['192.0.2.7', '192.0.2.8']
    expect(() => read({ type, [platform]: { ...addresses, ingressIPs } })).toThrow(
      `status.platformStatus.${platform}.ingressIPs has several addresses of one family, 192.0.2.7 and 192.0.2.8`,
    )
  })

  test('Virtual IPs are named in the error where they are not an address or a network', () => {
    expect(() => read({ type, [platform]: { ...addresses, ingressIPs: ['vip'] } })).toThrow(
      `status.platformStatus.${platform}.ingressIPs has "vip", which is not an IP address`,
    )
    expect(() => read({ type, [platform]: { ...addresses, machineNetworks: ['all'] } })).toThrow(
      `status.platformStatus.${platform}.machineNetworks has "all"`,
    )
  })
})

test('No virtual IPs at all leave everything to the user on vSphere, and are an error elsewhere', () => {
  expect(read({ type: 'VSphere', vsphere: {} })).toMatchObject({ api: [], servedBy: 'customer' })
  expect(read({ type: 'VSphere' })).toMatchObject({ api: [], servedBy: 'customer' })
  expect(() => read({ type: 'Nutanix', nutanix: {} })).toThrow(
    'no status.platformStatus.nutanix.apiServerInternalIPs and no ingressIPs',
  )
})

test.each([
  [undefined, 'no status.platformStatus'],
  [{ type: 'AWS' as const }, 'of the platform AWS, whose nodes run nothing'],
  [{}, 'of the platform nobody named'],
])('A platform elsewhere is an error: %j', (platformStatus, message) => {
  expect(() => read(platformStatus)).toThrow(message)
})
