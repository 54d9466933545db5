import { expect, test } from 'vitest'
import { expectFindings } from '../../testing/findings.ts'
import { checkInstallConfig } from '../check.ts'

test('The name of a cluster on premises has no dots', () => {
  expectFindings(`
metadata:
  name: edge.one #! 9 error cluster-name
platform: {vsphere: {}}
`)
})

test.each(['Edge_1', '-edge', '"edge\\n  evil"', 'a'.repeat(64)])('%s is not a cluster name', (name) => {
  expectFindings(`
baseDomain: example.com
metadata:
  name: ${name} #! 9 error cluster-name
platform: {vsphere: {}}
`)
})

test.each(['"exa mple.com\\n  evil"', 'example..com', '.example.com', 'Example.com', '"*.example.com"'])(
  '%s is not a domain',
  (domain) => {
    expectFindings(`
baseDomain: ${domain} #! 13 error base-domain
metadata: {name: edge}
platform: {vsphere: {}}
`)
  },
)

test.each(['example.com', 'example.com.', 'local', 'a-1.xn--bcher-kva.example'])(
  '%s is a domain',
  (domain) => {
    expectFindings(`
baseDomain: ${domain}
metadata: {name: edge}
platform: {vsphere: {}}
`)
  },
)

test('Name and domain together may not be longer than a DNS name', () => {
  expectFindings(`
baseDomain: ${`${'a'.repeat(49)}.`.repeat(4)}${'b'.repeat(50)} #! 13 error base-domain
metadata: {name: edge}
platform: {vsphere: {}}
`)
})

const rulesOf = (text: string) => checkInstallConfig(text).map(({ rule }) => rule)

test('A missing name or domain is reported, with what to write', () => {
  expect(checkInstallConfig('platform: {vsphere: {}}').map(({ message }) => message)).toEqual([
    'There is no baseDomain, which the DNS names of the cluster need; set your domain, such as example.com.',
    'The cluster has no name, which its DNS names need; set metadata.name, such as edge.',
  ])
})

test('A missing name or domain is not reported for a file that could not be read as a whole', () => {
  expect(rulesOf('platform: {vsphere: {}}\npullSecret: "{}')).toEqual(['yaml-syntax'])
})
