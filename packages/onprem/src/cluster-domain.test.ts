import type { InfrastructureStatus } from '@portcullis/operator'
import { expect, test } from 'vitest'
import { clusterDomain } from './cluster-domain.ts'

test.each<[InfrastructureStatus]>([
  [{ apiServerInternalURI: 'https://api-int.shop.example.com:6443' }],
  [{ apiServerURL: 'https://api.shop.example.com:6443' }],
  [{ apiServerInternalURI: 'https://192.0.2.5:6443', etcdDiscoveryDomain: 'shop.example.com' }],
])('The domain is read from %j', (status) => {
  expect(clusterDomain({ status })).toBe('shop.example.com')
})

test('The domain given on the command line is used', () => {
  const status = { apiServerURL: 'https://api.shop.example.com:6443' }
  expect(clusterDomain({ status }, 'Till.Example.com.')).toBe('till.example.com')
})

test('A missing domain is an error that asks for it', () => {
  expect(() => clusterDomain({})).toThrow('give --domain, such as shop.example.com.')
})

test.each(['shop', 'shop.example.com {', 'shop..com', `${'a'.repeat(64)}.com`])(
  'The domain is not read from %j',
  (domain) => {
    expect(() => clusterDomain({}, domain)).toThrow('is not the domain of a cluster')
  },
)
