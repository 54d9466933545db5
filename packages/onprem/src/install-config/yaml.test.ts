import { expect, test } from 'vitest'
import { expectFindings, messagesOf } from '../testing/findings.ts'
import { checkInstallConfig } from './check.ts'

test('a key that stands twice is found at its second place', () => {
  expectFindings(`
platform:
  vsphere:
    apiVIPs: [10.0.0.5]
    ingressVIPs: [10.0.0.7]
    apiVIPs: [10.0.0.6] #! 5 error yaml-duplicate-key
`)
})

test('a tab is called a tab', () => {
  expectFindings('platform:\n  vsphere:\n\t\tapiVIPs: [10.0.0.5] #! 1 error yaml-syntax\n')
  expect(messagesOf('platform:\n  vsphere:\n\t\tapiVIPs: [10.0.0.5]\n')).toContain(
    'This line is indented with a tab, which YAML forbids; use spaces.',
  )
})

test('a second document is one too many', () => {
  expectFindings(`
platform: {vsphere: {}}
--- #! 1 error yaml-syntax
platform: {nutanix: {}}
`)
})

test('a tag that YAML does not know is told', () => {
  expectFindings(`
platform: {vsphere: {}}
baseDomain: !domain example.com #! 13 warning yaml-tag
`)
})

test('aliases are followed, and what is wrong is told where the alias stands', () => {
  expectFindings(`
pods: &pods 10.128.0.5
platform:
  vsphere:
    apiVIPs: [*pods] #! 15 error vip-in-cluster-network
    ingressVIPs: [10.0.0.7]
`)
})

test('merged fields count as if they were written out, unless they are', () => {
  expectFindings(`
base: &base
  apiVIPs: [10.128.0.5]
  ingressVIPs: [10.128.0.6] #! 17 error vip-in-cluster-network
platform:
  vsphere:
    <<: [*base]
    apiVIPs: [10.0.0.5]
`)
})

test('an alias without an anchor, and one within its own anchor', () => {
  expectFindings(`
platform:
  vsphere: &all
    apiVIPs: *vips #! 14 error yaml-alias
    hosts: [*all] #! 13 error yaml-alias
`)
})

test('of the errors on one line the first is told, and the rest of the file is checked all the same', () => {
  expectFindings(`
platform:
  vsphere:
    apiVIPs: [10.128.0.5] #! 15 error vip-in-cluster-network
    ingressVIPs: [10.0.0.7]
pullSecret: "{} #! 13 error yaml-syntax
`)
})

test('what stands at an error is not repeated: it may be a secret', () => {
  for (const text of [
    "pullSecret: '{hunter2",
    'pullSecret: {hunter2',
    'a: b: hunter2',
    '  hunter2\n- x',
    'x: "a" hunter2',
  ])
    expect(JSON.stringify(checkInstallConfig(text))).not.toContain('hunter2')
})

test.each([
  ['', 'This file is empty; an install-config is a map that begins with "apiVersion: v1".'],
  ['- a', 'This file holds a list; an install-config is a map that begins with "apiVersion: v1".'],
  ['hello', 'This file holds a text; an install-config is a map that begins with "apiVersion: v1".'],
])('%j is no install-config', (text, message) => expect(messagesOf(text)).toEqual([message]))

test('a file that is nested without end is an error, and not the end of the process', () => {
  const staircase = Array.from({ length: 300 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')
  for (const text of [
    '['.repeat(100_000),
    '["]",'.repeat(50_000),
    '- '.repeat(50_000),
    '{a: '.repeat(9000),
    staircase,
  ])
    expect(messagesOf(text)).toEqual([
      'This file is nested more than 200 levels deep; remove brackets or indentation.',
    ])
})

test('a file that no cluster could keep is not read', () => {
  expect(messagesOf(`# ${'x'.repeat(1024 * 1024)}`)).toEqual([
    'This file is larger than a cluster can keep (1 MiB); move long texts out of it.',
  ])
})
