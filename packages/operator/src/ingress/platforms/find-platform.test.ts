import { expect, test } from 'vitest'
import type { Infrastructure } from '../../api/infrastructure.ts'
import { findPlatform } from './find-platform.ts'

const nothing = { infrastructure: undefined, providerIds: [], setting: undefined }
const infrastructure = (status: object): Infrastructure => ({ status })

test('The platform comes from Infrastructure before the nodes, and from the nodes before the setting', () => {
  const stated = infrastructure({ platformStatus: { type: 'Azure' } })
  const all = { infrastructure: stated, providerIds: ['aws:///a/i-1'], setting: 'GCP' }
  expect(findPlatform(all).platform?.name).toBe('Azure')
  expect(findPlatform({ ...all, infrastructure: undefined }).platform?.name).toBe('AWS')
  expect(findPlatform({ ...nothing, setting: 'GCP' }).platform?.name).toBe('GCP')
})

test('The platform is read from the deprecated field of Infrastructure, and an Infrastructure without a platform is ignored', () => {
  expect(
    findPlatform({ ...nothing, infrastructure: infrastructure({ platform: 'GCP' }) }).platform?.name,
  ).toBe('GCP')
  const empty = { infrastructure: infrastructure({}), providerIds: [], setting: 'None' }
  expect(findPlatform(empty).platform?.name).toBe('None')
})

test.each([
  ['aws:///us-east-1a/i-0123', 'AWS'],
  ['azure:///subscriptions/x', 'Azure'],
  ['gce://project/zone/name', 'GCP'],
  ['ibm://account///cluster/node', 'IBMCloud'],
  ['ibmpowervs://region/zone/id', 'PowerVS'],
  ['openstack:///id', 'OpenStack'],
  ['vsphere://id', 'VSphere'],
])('Nodes with provider IDs like %s run on %s', (id, name) => {
  expect(findPlatform({ ...nothing, providerIds: [id, id] }).platform?.name).toBe(name)
})

test('The platform that cannot be determined is explained, with what to do', () => {
  const { problem } = findPlatform(nothing)
  expect(problem).toContain('no node has a provider ID')
  expect(problem).toContain('--platform')
})

test('The platform is that of the setting if the provider IDs differ or are unknown', () => {
  const mixed = { ...nothing, providerIds: ['gce://a', 'aws:///b'] }
  expect(findPlatform(mixed).problem).toContain('differ (aws, gce)')
  expect(findPlatform({ ...mixed, setting: 'AWS' }).platform?.name).toBe('AWS')
  expect(findPlatform({ ...nothing, providerIds: ['kind://a'] }).problem).toContain(
    '"kind", which is unknown',
  )
})

test('The platform may not have an unknown name, and the error lists the known ones', () => {
  const { platform, problem } = findPlatform({
    ...nothing,
    infrastructure: infrastructure({ platformStatus: { type: 'Moon' } }),
  })
  expect(platform).toBeUndefined()
  expect(problem).toMatch(/"Moon", which is not one of AWS, Azure, GCP/)
  expect(findPlatform({ ...nothing, setting: 'Moon' }).problem).toContain('--platform is "Moon"')
})
