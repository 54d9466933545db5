import { expect, test } from 'vitest'
import { expectFindings, messagesOf } from '../testing/findings.ts'
import { checkInstallConfig } from './check.ts'

test('A duplicate key is reported at its second place', () => {
  expectFindings(`
platform:
  vsphere:
    apiVIPs: [10.0.0.5]
    ingressVIPs: [10.0.0.7]
    apiVIPs: [10.0.0.6] #! 5 error yaml-duplicate-key
`)
})

test('A tab is reported as a tab', () => {
  expectFindings('platform:\n  vsphere:\n\t\tapiVIPs: [10.0.0.5] #! 1 error yaml-syntax\n')
  expect(messagesOf('platform:\n  vsphere:\n\t\tapiVIPs: [10.0.0.5]\n')).toContain(
    'This line is indented with a tab, which YAML forbids; use spaces.',
  )
})

test('A second document is refused', () => {
  expectFindings(`
platform: {vsphere: {}}
--- #! 1 error yaml-syntax
platform: {nutanix: {}}
`)
})

test('An unknown YAML tag is reported', () => {
  expectFindings(`
platform: {vsphere: {}}
baseDomain: !domain example.com #! 13 warning yaml-tag
`)
})

test('Aliases are followed, and a problem is reported where the alias stands', () => {
  expectFindings(`
pods: &pods 10.128.0.5
platform:
  vsphere:
    apiVIPs: [*pods] #! 15 error vip-in-cluster-network
    ingressVIPs: [10.0.0.7]
`)
})

test('Merged fields count as if they were written out, unless they are overridden', () => {
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

test('An alias without an anchor, and one within its own anchor, are errors', () => {
  expectFindings(`
platform:
  vsphere: &all
    apiVIPs: *vips #! 14 error yaml-alias
    hosts: [*all] #! 13 error yaml-alias
`)
})

test('The first error of a line is reported, and the rest of the file is still checked', () => {
  expectFindings(`
platform:
  vsphere:
    apiVIPs: [10.128.0.5] #! 15 error vip-in-cluster-network
    ingressVIPs: [10.0.0.7]
pullSecret: "{} #! 13 error yaml-syntax
`)
})

test('The text at an error is not repeated: it may be a secret', () => {
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
])('%j is not an install-config', (text, message) => expect(messagesOf(text)).toEqual([message]))

test('A file that is nested without end is an error, and does not end the process', () => {
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

test('A file that is larger than any install-config is not read', () => {
  expect(messagesOf(`# ${'x'.repeat(1024 * 1024)}`)).toEqual([
    'This file is larger than a cluster can keep (1 MiB); move long texts out of it.',
  ])
})
