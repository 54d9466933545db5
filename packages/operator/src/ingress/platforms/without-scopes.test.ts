import { expect, test } from 'vitest'
import { withoutScopes } from './without-scopes.ts'

test('Platforms without scopes have these names and provider IDs, and default to HostNetwork', () => {
  expect(withoutScopes.map(({ name, providerIds }) => [name, ...providerIds])).toEqual([
    ['BareMetal', 'baremetalhost', 'metal3'],
    ['VSphere', 'vsphere'],
    ['Nutanix', 'nutanix'],
    ['oVirt', 'ovirt'],
    ['KubeVirt', 'kubevirt'],
    ['Libvirt', 'libvirt'],
    ['EquinixMetal', 'equinixmetal'],
    ['AlibabaCloud', 'alicloud'],
    ['External'],
    ['None'],
  ])
  for (const { name, providerIds, ...rest } of withoutScopes) {
    expect(rest, `${name} ${providerIds.join()}`).toEqual({
      publishesBy: 'HostNetwork',
      changesScopeInPlace: false,
      externalTrafficPolicy: 'Local',
    })
  }
})
