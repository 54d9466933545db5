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

describe.each(platforms)('on %s', (platform, type) => {
  test('nodes serve the virtual IPs unless the customer does', () => {
    expect(read({ type, [platform]: addresses })).toMatchObject({ platform, servedBy: 'nodes' })
    const loadBalancer = { type: 'UserManaged' as const }
    expect(read({ type, [platform]: { ...addresses, loadBalancer } })).toMatchObject({ servedBy: 'customer' })
  })

  test('the deprecated fields are read where the lists are empty', () => {
    const { api, ingress } = read({
      [platform]: { apiServerInternalIP: '192.0.2.5', apiServerInternalIPs: [], ingressIP: '2001:db8::7' },
    })
    expect([...api, ...ingress].map(formatIp)).toEqual(['192.0.2.5', '2001:db8::7'])
  })

  test('one kind of virtual IP alone is an error', () => {
    expect(() => read({ type, [platform]: { ingressIPs: ['192.0.2.7'] } })).toThrow(
      `no status.platformStatus.${platform}.apiServerInternalIPs, so nothing can answer`,
    )
  })

  test('what the API server would refuse is refused', () => {
    expect(() => read({ type, [platform]: { ...addresses, dnsRecordsType: 'External' as const } })).toThrow(
      `status.platformStatus.${platform}.dnsRecordsType is External, which goes with`,
    )
    const ingressIPs = ['192.0.2.7', '192.0.2.8']
    expect(() => read({ type, [platform]: { ...addresses, ingressIPs } })).toThrow(
      `status.platformStatus.${platform}.ingressIPs has several addresses of one family, 192.0.2.7 and 192.0.2.8`,
    )
  })

  test('what is not an address or a network is named', () => {
    expect(() => read({ type, [platform]: { ...addresses, ingressIPs: ['vip'] } })).toThrow(
      `status.platformStatus.${platform}.ingressIPs has "vip", which is not an IP address`,
    )
    expect(() => read({ type, [platform]: { ...addresses, machineNetworks: ['all'] } })).toThrow(
      `status.platformStatus.${platform}.machineNetworks has "all"`,
    )
  })
})

test('no virtual IPs at all leave everything to the customer on vSphere, and are an error elsewhere', () => {
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
])('a platform elsewhere is an error: %j', (platformStatus, message) => {
  expect(() => read(platformStatus)).toThrow(message)
})
