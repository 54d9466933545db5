import { environmentOf } from '@portcullis/kube'
import { expect, test } from 'vitest'
import { connect } from '../../connection/connect.ts'
import { run as runCommand } from '../../testing/captured-io.ts'

const file = `baseDomain: example.com
metadata: {name: edge}
platform: {vsphere: {apiVIPs: [127.0.0.1], ingressVIPs: [127.0.0.1]}}
`

/** Runs a command with a text on standard input. */
const run = (text: string, ...args: string[]) => runCommand(args, { input: text })

test.each([
  ['a missing cluster', [], 'No cluster is specified'],
  ['a missing cluster, which could be a running one', [], 'or --kubeconfig for a running cluster.'],
  [
    'a source address of another machine',
    ['--install-config', '-', '--source', '203.0.113.9'],
    '--source 203.0.113.9 is not an address of this machine; use one that "ip address" lists',
  ],
  [
    'a port above 65535',
    ['--install-config', '-', '--port-offset', '40000', '--http-port', '60000'],
    'Port 60000 with --port-offset 40000 would be 100000, and ports end at 65535',
  ],
  [
    'a control port above 65535',
    ['--install-config', '-', '--token', 'x', '--port-offset', '40000', '--control-port', '60000'],
    'Port 60000 with --port-offset 40000 would be 100000, and ports end at 65535',
  ],
  ['missing virtual IPs', ['--domain', 'edge.example.com'], 'There are no virtual IPs to check'],
  [
    'a token without fake backends',
    ['--install-config', '-', '--token', 'x'],
    '--token is given without fake backends',
  ],
  [
    'a fake backend that does not respond',
    [
      '--install-config',
      '-',
      '--token',
      'x',
      '--control-plane',
      '127.0.0.1',
      '--control-port',
      '1',
      '--no-dns',
    ],
    'The fake backend at 127.0.0.1:1 cannot be asked: ECONNREFUSED; run "portcullis preflight backends" there, and open TCP port 1 of it',
  ],
])('Preflight exits with 2 if the checks cannot run because of %s', async (_, args, complaint) => {
  const { stderr, code } = await run(file, 'preflight', ...args)
  expect(stderr).toContain(complaint)
  expect(code).toBe(2)
})

test('Without fake backends, preflight checks open ports only, and says so', async () => {
  const args = ['--install-config', '-', '--no-dns', '--port-offset', '42000', '--idle', '1ms']
  const { stdout, code } = await run(file, 'preflight', ...args)
  expect(stdout).toContain('front-end-closed: 127.0.0.1:48443')
  expect(stdout).toContain('Only DNS and open ports were checked.')
  expect(code).toBe(1)
})

test.each([
  ['--api-vip', ['preflight']],
  ['--ingress-vip', ['preflight']],
  ['--control-plane', ['preflight']],
  ['--workers', ['preflight']],
  ['--bootstrap', ['preflight']],
  ['--source', ['preflight']],
  ['--listen', ['preflight', 'backends']],
])('The option %s refuses what is not an IP address', async (flag, command) => {
  expect((await run(file, ...command, flag, 'foo')).stderr).toMatch(
    new RegExp(
      `option '${flag} .*' argument 'foo' is invalid. "foo" is not an IP address; write one such as`,
    ),
  )
})

test('`preflight backends` refuses a port above 65535', async () => {
  const args = ['--listen', '127.0.0.1', '--port-offset', '40000', '--https-port', '60000']
  expect((await run(file, 'preflight', 'backends', ...args)).stderr).toContain('would be 100000')
})

test.each([
  [2, ['--vantage', 'everywhere']],
  [2, ['backends', '--listen', 'foo']],
  [0, ['--help']],
])('The exit code of preflight is %i after %j', async (code, args) => {
  expect((await run('', 'preflight', ...args)).code).toBe(code)
})

test('The kubeconfig may be given before `preflight`', async () => {
  const { stderr, code } = await runCommand(['--kubeconfig', '/nowhere/kubeconfig', 'preflight'], {
    connect: (choice) => connect(choice, environmentOf(process)),
  })
  expect(stderr).toContain('/nowhere/kubeconfig does not exist')
  expect(code).toBe(2)
})

test('`--accept` refuses a finding that does not exist', async () => {
  expect((await run(file, 'preflight', '--accept', 'everything')).stderr).toContain(
    'It must be one of dns-silent, dns-failed',
  )
})

test('`load-balancer config` reads the install-config from standard input', async () => {
  const args = [
    'config',
    '--install-config',
    '-',
    '--for',
    'haproxy',
    '--control-plane',
    '192.0.2.21',
    '--workers',
    '192.0.2.31',
  ]
  const { stdout } = await run(file, 'load-balancer', ...args)
  expect(stdout).toContain('  bind 127.0.0.1:6443\n')
  expect(stdout).toContain('  server control-plane-0 192.0.2.21:6443')
})

test('The help of preflight and of its subcommands has examples and exit codes', async () => {
  const commands = [['preflight'], ['preflight', 'backends'], ['load-balancer', 'config']]
  const helps = await Promise.all(commands.map((command) => run('', ...command, '--help')))
  expect(helps.map(({ stdout }) => stdout).join('')).toContain(
    'Exit code: 0 if all checks pass, 1 if a check fails, 2 if the checks could not be run or the usage is wrong.',
  )
  expect(helps.map(({ stdout }) => stdout).join('')).toContain(
    'portcullis preflight --kubeconfig ~/.kube/config',
  )
  expect(helps.map(({ stdout }) => stdout).join('')).toContain(
    'portcullis preflight backends --listen 192.0.2.21',
  )
  expect(helps.map(({ stdout }) => stdout).join('')).toContain(
    'portcullis load-balancer config --install-config install-config.yaml --for nginx',
  )
})
