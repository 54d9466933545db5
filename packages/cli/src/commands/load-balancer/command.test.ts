import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { loadBalancerCommand } from './command.ts'

const file = `baseDomain: example.com
metadata: {name: edge}
compute: [{name: worker, replicas: 3}]
platform: {vsphere: {apiVIPs: [10.0.0.5], ingressVIPs: [10.0.0.7], loadBalancer: {type: UserManaged}}}
`
const controlPlane = ['--control-plane', '10.0.0.21', '10.0.0.22']
const fromFile = ['--install-config', '-', ...controlPlane]
const fromFlags = ['--api-vip', '10.0.0.5', '--ingress-vip', '10.0.0.7', ...controlPlane]

function commandFor(text: string, output: string[]) {
  const command = loadBalancerCommand((line) => void output.push(line), {
    stdin: Readable.from([Buffer.from(text)]),
  })
  for (const each of [command, ...command.commands])
    each.exitOverride().configureOutput({ writeOut: (line) => void output.push(line) })
  return command
}

async function run(text: string, ...args: string[]): Promise<string> {
  const output: string[] = []
  await commandFor(text, output).parseAsync(['config', '--for', 'haproxy', ...args], { from: 'user' })
  return output.join('\n')
}

test('workers that the file has must be named; who gives no file knows what there is', async () => {
  await expect(run(file, ...fromFile)).rejects.toThrow('name the workers with --workers, or the subnet')
  expect(await run(file, ...fromFile, '--workers', '10.0.0.31')).toContain('server worker-0 10.0.0.31:443')
  expect(await run(file.replace('3', '0'), ...fromFile)).toContain('server control-plane-0 10.0.0.21:443')
  expect(await run('', '--domain', 'edge.example.com', ...fromFlags)).toContain('10.0.0.21:443')
})

test('nothing but a domain is written as one, from the file and from the command line', async () => {
  const evil = file.replace('example.com', '"exa mple.com\\n  evil"')
  await expect(run(evil, ...fromFile, '--workers', '10.0.0.31')).rejects.toThrow(
    'is not the domain of a cluster',
  )
  await expect(run('', '--domain', 'edge.example.com\n  evil', ...fromFlags)).rejects.toThrow(
    '"edge.example.com\\n  evil" is not the domain of a cluster',
  )
})

test('the help tells what holds by default as one would write it', () => {
  const help: string[] = []
  commandFor('', help).commands[0]?.outputHelp()
  const text = help.join('').replaceAll(/\s+/g, ' ')
  expect(text).toContain('whether it is ready (default: 5s)')
  expect(text).toContain('how long it may take to answer (default: 5s)')
  expect(text).toContain('all of them become members (default: none)')
})
