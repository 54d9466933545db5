import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkInstallConfig } from './check.ts'
import { rules } from './finding.ts'

/** Of work, not of waiting for others: machines are shared. */
const second = 1_000_000

const file = `apiVersion: v1
baseDomain: example.com
metadata:
  name: edge
networking:
  networkType: OVNKubernetes
  machineNetwork:
    - cidr: 192.0.2.0/24
  clusterNetwork:
    - cidr: 10.128.0.0/14
      hostPrefix: 23
  serviceNetwork:
    - 172.30.0.0/16
proxy:
  httpsProxy: http://proxy.example.com:3128
  noProxy: .example.com,192.0.2.0/24
platform:
  vsphere:
    loadBalancer:
      type: UserManaged
    apiVIPs:
      - 192.0.2.10
    ingressVIPs:
      - 192.0.2.10
pullSecret: '{"auths": {}}'
`

test('A valid file has no findings on any platform on premises', () => {
  for (const platform of ['baremetal', 'nutanix', 'openstack', 'vsphere'])
    expect(checkInstallConfig(file.replace('vsphere', platform))).toEqual([])
})

test('A finding says where, what, by which rule, and what to do', () => {
  const wrong = file.replace('- 192.0.2.10\n    ingress', '- 10.128.0.10\n    ingress')
  expect(checkInstallConfig(wrong)).toEqual([
    {
      severity: 'error',
      path: 'platform.vsphere.apiVIPs[0]',
      line: 22,
      column: 9,
      value: '10.128.0.10',
      rule: 'vip-in-cluster-network',
      message:
        "10.128.0.10 lies in 10.128.0.0/14, the pods' network (clusterNetwork); choose an address outside of it.",
    },
  ])
})

test('Several findings are reported at once, in the order of the file', () => {
  const wrong = file
    .replace('edge', 'ed.ge')
    .replace('UserManaged', 'Mine')
    .replace('172.30.0.0/16', '172.30.0.0')
  const found = checkInstallConfig(wrong).map(({ line, rule }) => `${line} ${rule}`)
  expect(found).toEqual(['4 cluster-name', '13 network-notation', '20 load-balancer-type', '22 vip-shared'])
})

test('Every rule is in the documentation, with its severity', () => {
  const text = readFileSync(new URL('../../../../docs/install-config.md', import.meta.url), 'utf8')
  const documented = [...text.matchAll(/^\| `([a-z-]+)` \| (error|warning)/gm)].map(([, rule, severity]) => [
    rule,
    severity,
  ])
  expect(Object.fromEntries(documented)).toEqual(rules)
})

test('Whatever is changed in a file, findings have a position in it, and come soon', {
  timeout: 30_000,
}, () => {
  const piece = fc.oneof(
    fc.constantFrom(...'[ ] { } & * ! | > % @ ` " \' # : - ? , \n \t'.split(' '), ' '),
    fc.constantFrom(
      '<<: *a',
      '&a ',
      '*a',
      'null',
      '~',
      '0x1',
      '::',
      '10.0.0.0/8',
      'apiVIPs:',
      '---\n',
      '\r\n',
      '\0',
      '\ufeff',
    ),
    fc.string({ maxLength: 5 }),
  )
  const edit = fc.record({ at: fc.nat(file.length), remove: fc.nat(12), insert: piece })
  fc.assert(
    fc.property(
      fc.array(edit, { minLength: 1, maxLength: 6 }),
      fc.option(fc.integer({ min: 10, max: 25 })),
      (edits, release) => {
        const text = edits.reduce(
          (all, { at, remove, insert }) => all.slice(0, at) + insert + all.slice(at + remove),
          file,
        )
        const lines = text.split('\n').length
        const started = process.cpuUsage()
        for (const { line, column, message } of checkInstallConfig(text, { release: release ?? undefined })) {
          expect(line).toBeGreaterThan(0)
          expect(line).toBeLessThanOrEqual(lines)
          expect(column).toBeGreaterThan(0)
          expect(message).toMatch(/; .*\.$/s)
        }
        expect(process.cpuUsage(started).user).toBeLessThan(second)
      },
    ),
    { numRuns: 150 },
  )
})

/** Files as large as a file may be, of nothing but one thing. */
const heaps = {
  'machine networks': `networking:\n  machineNetwork:\n${Array.from({ length: 40_000 }, (_, i) => `  - cidr: 10.${i >> 8}.${i & 255}.0/24`).join('\n')}\nplatform: {vsphere: {apiVIPs: [192.0.2.1], ingressVIPs: [192.0.2.2]}}`,
  'virtual IPs': `platform:\n  vsphere:\n    apiVIPs: [${vips(30_000)}]\n    ingressVIPs: [${vips(30_000)}]`,
  commas: `proxy:\n  httpProxy: http://proxy\n  noProxy: "${','.repeat(200_000)}"\nplatform: {vsphere: {apiVIPs: [192.0.2.1], ingressVIPs: [192.0.2.2]}}`,
  'repeated keys': 'a: 1\n'.repeat(100_000),
  'a long name': `platform: {vsphere: {apiVIPs: [${'a'.repeat(900_000)}], ingressVIPs: []}}`,
  'a long key': `platform: {${'a'.repeat(900_000)}: {}}`,
  'machines by alias': `i: &i [${'{ipv4: {address: [{ip: 192.0.2.3}]}},'.repeat(9_000)}]\nh: &h {networkConfig: {interfaces: *i}}\nplatform: {baremetal: {apiVIPs: [192.0.2.1], ingressVIPs: [192.0.2.2], hosts: [${'*h,'.repeat(100_000)}]}}`,
  'fields by alias': `f: &f {${Array.from({ length: 20_000 }, (_, i) => `f${i}: x`).join(', ')}}\nplatform: {baremetal: {apiVIPs: [192.0.2.1], ingressVIPs: [192.0.2.2], hosts: [${'*f,'.repeat(100_000)}]}}`,
}

function vips(count: number): string {
  return Array.from({ length: count }, (_, i) => `10.1.${i >> 8}.${i & 255}`).join(',')
}

test.each(Object.entries(heaps))(
  'Very many problems of one kind make a short report: %s',
  { timeout: 60_000 },
  (_, text) => {
    expect(text.length).toBeLessThan(1024 * 1024)
    const started = process.cpuUsage()
    const findings = checkInstallConfig(text)
    // Most of it is the parser's; without bounds it is ten times as much and more.
    expect(process.cpuUsage(started).user).toBeLessThan(10 * second)
    expect(findings.length).toBeGreaterThan(0)
    expect(findings.length).toBeLessThan(400)
    expect(Math.max(...findings.map(({ message }) => message.length))).toBeLessThan(1100)
    expect(JSON.stringify(findings).length).toBeLessThan(200_000)
  },
)

test('The first findings of one rule are shown, and how many more there are', () => {
  const findings = checkInstallConfig('a: 1\n'.repeat(100))
  expect(findings.filter(({ rule }) => rule === 'yaml-duplicate-key')).toHaveLength(64)
  expect(findings.at(-1)).toMatchObject({
    rule: 'more-findings',
    severity: 'error',
    line: 66,
    message:
      'There are 35 more findings of yaml-duplicate-key, the first of them here; correct the 64 before it and check again.',
  })
})

test('A bomb of aliases and very many fields cost no more than reading them', () => {
  const bomb = Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(20)}]`).join(
    '\n',
  )
  const merges = Array.from({ length: 30 }, (_, i) => `m${i + 1}: &m${i + 1} {<<: [*m${i}, *m${i}]}`).join(
    '\n',
  )
  const fields = Array.from({ length: 20_000 }, (_, i) => `f${i}: x`).join('\n')
  const platform = 'platform: {vsphere: {<<: *m30, apiVIPs: *a20, ingressVIPs: *a19}}'
  const started = process.cpuUsage()
  checkInstallConfig(`a0: &a0 [x]\nm0: &m0 {}\n${bomb}\n${merges}\n${fields}\n${platform}`)
  expect(process.cpuUsage(started).user).toBeLessThan(3 * second)
})
