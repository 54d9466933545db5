import { type CheckResult, checkResult, finding, skipped } from '@portcullis/onprem'
import { expect, test } from 'vitest'
import { preflightFormats } from './report.ts'

const results: readonly CheckResult[] = [
  checkResult('names', 'names lead right', [], 'asked of 192.0.2.53'),
  checkResult('redirect http', 'HTTP is passed on', [
    finding('http-redirected', {
      subject: '192.0.2.11:80',
      tried: 'http://192.0.2.11:80/',
      cameBack: '302, to <https://"x"> & \u0007',
    }),
  ]),
  skipped('hairpin', 'nodes reach the virtual IPs', 'there are no fake backends'),
]
const report = { domain: 'edge.example.com', results, seconds: 12.3 }

test('The text report shows what was tried, the result, its meaning and the remedy', () => {
  expect(preflightFormats.text(report).split('\n')).toEqual([
    '✓ names lead right (asked of 192.0.2.53)',
    '✗ HTTP is passed on',
    '    http-redirected: 192.0.2.11:80',
    '      tried:      http://192.0.2.11:80/',
    '      result:     302, to <https://"x"> & \\u0007',
    expect.stringMatching(/^ {6}meaning: {4}The load balancer redirects to HTTPS itself/),
    expect.stringMatching(/^ {6}remedy: {5}Remove the redirect/),
    expect.stringMatching(/^ {6}known: {6}.*okd#529/),
    '- nodes reach the virtual IPs (there are no fake backends)',
    '',
    'edge.example.com: 1 passed, 1 failed, 1 skipped, in 12 s.',
  ])
})

test('The JSON report contains each check with its status and findings', () => {
  expect(JSON.parse(preflightFormats.json(report))).toMatchObject({
    domain: 'edge.example.com',
    failed: 1,
    checks: [
      { status: 'passed' },
      { status: 'failed', findings: [{ id: 'http-redirected' }] },
      { status: 'skipped' },
    ],
  })
})

test('The JUnit report escapes results so that it is valid XML', () => {
  const xml = preflightFormats.junit(report)
  expect(xml).toContain(
    '<testsuite name="portcullis preflight edge.example.com" tests="3" failures="1" skipped="1"',
  )
  expect(xml).toContain(
    '<failure type="http-redirected" message="302, to &lt;https://&quot;x&quot;&gt; &amp; ?">',
  )
  expect(xml).toContain('<skipped message="there are no fake backends"/>')
})
