import { run as runPortcullis } from '@portcullis/cli/internal/testing/captured-io.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { run } from '../clusters/run-command.ts'
import { debianProgram } from './install-programs.ts'
import { Site } from './site.ts'

let site: Site

beforeAll(async () => {
  site = await Site.open()
})
afterAll(() => site.close())

const variants = [
  ['nodes by address', []],
  ['every address of a subnet', ['--subnet', '192.0.2.0/24']],
  ['both families', ['--api-vip', '127.0.0.1', '::1', '--control-plane', '2001:db8::21']],
  ['ports of routers that moved', ['--stats-port', '1999', '--http-port', '8080', '--https-port', '8443']],
] as const

test.each(variants)('The real HAProxy accepts its configuration: %s', async (_, args) => {
  const file = await site.write('haproxy.cfg', await site.configuration('haproxy', ...args))
  const { stderr, code } = await run(await debianProgram('haproxy'), ['-c', '-f', file])
  expect(stderr).not.toMatch(/ALERT|WARNING/)
  expect(code).toBe(0)
})

test.each(variants)('The real nginx accepts its configuration: %s', async (_, args) => {
  await debianProgram('nginx', 'libnginx-mod-stream')
  const file = await site.write('nginx.conf', await site.configuration('nginx', ...args))
  const place = `pid ${file}.pid;`
  const { stderr, code } = await run(await debianProgram('nginx'), [
    '-t',
    '-c',
    file,
    '-e',
    `${file}.log`,
    '-g',
    place,
  ])
  expect(stderr).toContain('syntax is ok')
  expect(code, stderr).toBe(0)
})

test('install-config validate --online compares the file with a real DNS server', async () => {
  await site.dns({ ...site.records(), 'api-int.edge.example.com': site.network.address(99) })
  const file = await site.write('online.yaml', site.installConfigText())
  const args = ['validate', '-o', 'json', '--online', '--resolver', site.resolver, file]
  // The DNS server takes a moment to read its records again.
  await eventually(async () => {
    const { stdout } = await runPortcullis(['install-config', ...args])
    const { findings } = JSON.parse(stdout) as {
      findings: { rule: string; line: number; message: string }[]
    }
    const ofDns = findings.filter(({ rule }) => rule.startsWith('dns-'))
    expect(ofDns).toMatchObject([{ rule: 'dns-api-int-elsewhere', line: 12 }])
    expect(ofDns[0]?.message).toContain(`set it to exactly ${site.api}.`)
  })
})
