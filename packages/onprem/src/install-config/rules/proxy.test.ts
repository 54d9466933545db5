import { expect, test } from 'vitest'
import { expectFindings, messagesOf } from '../../testing/findings.ts'

const file = (proxy: string) => `
platform:
  nutanix:
    loadBalancer: {type: UserManaged}
    apiVIPs: [198.51.100.10]
    ingressVIPs: [198.51.100.10]
proxy:
${proxy}
`

test('Virtual IPs outside of the cluster must be in noProxy, by address or by network', () => {
  expectFindings(
    file('  httpsProxy: http://proxy:3128').replace('proxy:\n', 'proxy: #! 1 warning proxy-vip\n'),
  )
  expectFindings(
    file('  httpProxy: http://proxy:3128\n  noProxy: example.com,198.51.100.11 #! 12 warning proxy-vip'),
  )
  for (const noProxy of ['198.51.100.10', 'example.com,198.51.100.0/24', '"*"'])
    expectFindings(file(`  httpsProxy: http://proxy:3128\n  noProxy: ${noProxy}`))
})

test('The installer adds the three networks of the cluster to noProxy', () => {
  expectFindings(file('  httpsProxy: http://proxy:3128').replaceAll('198.51.100.10', '10.0.0.5'))
})

test('Without a proxy nothing needs to be in noProxy', () => {
  expectFindings(file('  noProxy: example.com'))
})

test('The field noProxy has no spaces, no wildcards, and no empty entries', () => {
  expectFindings(file('  noProxy: a.example.com, b.example.com #! 12 error proxy-entry'))
  expectFindings(file('  noProxy: "*.example.com,.example.org" #! 12 error proxy-entry'))
  expectFindings(file('  noProxy: example.com, #! 12 error proxy-entry').replace('com, #', 'com,#'))
  expect(messagesOf(file('  noProxy: "*.example.com"'))).toEqual([
    '"*.example.com" in noProxy is neither an address nor a network nor a domain; write .example.com without the asterisk.',
  ])
})
