import { Readable } from 'node:stream'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addClusterOptions } from '../../connection/cluster-options.ts'
import { loadBalancerCommand } from '../load-balancer/command.ts'
import { type PreflightProcess, preflightCommand } from './command.ts'

const file = `baseDomain: example.com
metadata: {name: edge}
platform: {vsphere: {apiVIPs: [127.0.0.1], ingressVIPs: [127.0.0.1]}}
`

/** Tells of nothing. */
const quiet = { on: () => {}, off: () => {} }

/** One in which nobody types anything, and nobody reads. */
function aProcess(exit: (code: number) => void = () => {}): PreflightProcess {
  return {
    stdin: Readable.from([]),
    env: {},
    ppid: 1,
    pid: 2,
    platform: 'linux',
    stderr: { write: () => {} },
    stdout: quiet,
    ...quiet,
    exit,
  }
}

/** Runs a command with a text on standard input, as in a process of its own. */
async function run(text: string, ...args: string[]) {
  const [output, complaints]: [string[], string[]] = [[], []]
  const process: PreflightProcess = {
    ...aProcess(),
    stdin: Readable.from([Buffer.from(text)]),
    stderr: { write: (line) => complaints.push(line) },
  }
  const print = (line: string) => void output.push(line)
  const commands = [preflightCommand(print, process), loadBalancerCommand(print, process)]
  const command = commands.find((each) => each.name() === args[0])
  for (const each of [command, ...(command?.commands ?? [])])
    each?.exitOverride().configureOutput({ writeOut: print, writeErr: print })
  await command?.parseAsync(args.slice(1), { from: 'user' })
  return { output: output.join('\n'), complaints: complaints.join(''), exitCode: process.exitCode }
}

test.each([
  ['no cluster', [], 'Which cluster is it?'],
  ['no cluster, and one that runs', [], 'or ask a running one with --kubeconfig.'],
  [
    'a source that is not ours',
    ['--install-config', '-', '--source', '203.0.113.9'],
    '--source 203.0.113.9 is no address of this machine; give one that "ip address" lists',
  ],
  [
    'ports that there are not',
    ['--install-config', '-', '--port-offset', '40000', '--http-port', '60000'],
    'Port 60000 with --port-offset 40000 would be 100000, and ports end at 65535',
  ],
  [
    'a control port that there is not',
    ['--install-config', '-', '--token', 'x', '--port-offset', '40000', '--control-port', '60000'],
    'Port 60000 with --port-offset 40000 would be 100000, and ports end at 65535',
  ],
  ['no virtual IPs', ['--domain', 'edge.example.com'], 'There are no virtual IPs to try'],
  ['stand-ins nowhere', ['--install-config', '-', '--token', 'x'], 'Where are the stand-ins?'],
  [
    'stand-ins that are not there',
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
    'The stand-in at 127.0.0.1:1 cannot be asked: ECONNREFUSED; run "portcullis preflight backends" there, and open TCP port 1 of it',
  ],
])('what cannot be found out is no verdict: %s', async (_, args, complaint) => {
  const { complaints, exitCode } = await run(file, 'preflight', ...args)
  expect(complaints).toContain(complaint)
  expect(exitCode).toBe(2)
})

test('without stand-ins, open ports are tried, and how to try the rest is told', async () => {
  const args = ['--install-config', '-', '--no-dns', '--port-offset', '42000', '--idle', '1ms']
  const { output, exitCode } = await run(file, 'preflight', ...args)
  expect(output).toContain('front-end-closed: 127.0.0.1:48443')
  expect(output).toContain('Only DNS and open ports were tried.')
  expect(exitCode).toBe(1)
})

test.each([
  ['--api-vip', ['preflight']],
  ['--ingress-vip', ['preflight']],
  ['--control-plane', ['preflight']],
  ['--workers', ['preflight']],
  ['--bootstrap', ['preflight']],
  ['--source', ['preflight']],
  ['--listen', ['preflight', 'backends']],
])('%s takes addresses', async (flag, command) => {
  await expect(run(file, ...command, flag, 'foo')).rejects.toThrow(
    new RegExp(
      `option '${flag} .*' argument 'foo' is invalid. "foo" is not an IP address; write one such as`,
    ),
  )
})

test('stand-ins have ports that there are', async () => {
  const args = ['--listen', '127.0.0.1', '--port-offset', '40000', '--https-port', '60000']
  await expect(run(file, 'preflight', 'backends', ...args)).rejects.toThrow('would be 100000')
})

test.each([
  [2, ['--vantage', 'everywhere']],
  [2, ['backends', '--listen', 'foo']],
  [0, ['--help']],
])('the exit code is %i after %j', async (code, args) => {
  const exit = (exitCode: number) => {
    throw new Error(`exit ${exitCode}`)
  }
  const command = preflightCommand(() => {}, aProcess(exit))
  for (const each of [command, ...command.commands])
    each.configureOutput({ writeOut: () => {}, writeErr: () => {} })
  await expect(command.parseAsync(args, { from: 'user' })).rejects.toThrow(`exit ${code}`)
})

test('a kubeconfig may stand before the command', async () => {
  const complaints: string[] = []
  const process: PreflightProcess = {
    stdin: Readable.from([]),
    env: {},
    ppid: 1,
    pid: 2,
    platform: 'linux' as const,
    stderr: { write: (line) => complaints.push(line) },
    stdout: quiet,
    ...quiet,
    exit: () => {},
  }
  const root = addClusterOptions(new Command('portcullis')).enablePositionalOptions()
  root.addCommand(preflightCommand(() => {}, process))
  await root.parseAsync(['--kubeconfig', '/nowhere/kubeconfig', 'preflight'], { from: 'user' })
  expect(complaints.join('')).toContain('/nowhere/kubeconfig does not exist')
  expect(process.exitCode).toBe(2)
})

test('only what can be found can be accepted', async () => {
  await expect(run(file, 'preflight', '--accept', 'everything')).rejects.toThrow(
    'It must be one of dns-silent, dns-failed',
  )
})

test('a load balancer is configured from the file on standard input', async () => {
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
  const { output } = await run(file, 'load-balancer', ...args)
  expect(output).toContain('  bind 127.0.0.1:6443\n')
  expect(output).toContain('  server control-plane-0 192.0.2.21:6443')
})

test('the helps have examples and exit codes', async () => {
  const helps: string[] = []
  const write = { writeOut: (text: string) => void helps.push(text) }
  const preflight = preflightCommand(() => {}, aProcess())
  for (const command of [
    preflight,
    ...preflight.commands,
    ...loadBalancerCommand(() => {}, process).commands,
  ])
    command.configureOutput(write).outputHelp()
  expect(helps.join('')).toContain(
    'Exit code: 0 if all is well, 1 if something is wrong, 2 if it could not be found out, or is asked for wrongly.',
  )
  expect(helps.join('')).toContain('portcullis preflight --kubeconfig ~/.kube/config')
  expect(helps.join('')).toContain('portcullis preflight backends --listen 192.0.2.21')
  expect(helps.join('')).toContain(
    'portcullis load-balancer config --install-config install-config.yaml --for nginx',
  )
})
