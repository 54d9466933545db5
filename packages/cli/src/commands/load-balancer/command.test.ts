import { expect, test } from 'vitest'
import { run as runCommand } from '../../testing/captured-io.ts'

const file = `baseDomain: example.com
metadata: {name: edge}
compute: [{name: worker, replicas: 3}]
platform: {vsphere: {apiVIPs: [10.0.0.5], ingressVIPs: [10.0.0.7], loadBalancer: {type: UserManaged}}}
`
const controlPlane = ['--control-plane', '10.0.0.21', '10.0.0.22']
const fromFile = ['--install-config', '-', ...controlPlane]
const fromFlags = ['--api-vip', '10.0.0.5', '--ingress-vip', '10.0.0.7', ...controlPlane]

function run(text: string, ...args: string[]) {
  return runCommand(['load-balancer', 'config', '--for', 'haproxy', ...args], { input: text })
}

test('The workers are required if the install-config has some, and optional without an install-config', async () => {
  expect((await run(file, ...fromFile)).stderr).toContain('name the workers with --workers, or the subnet')
  expect((await run(file, ...fromFile, '--workers', '10.0.0.31')).stdout).toContain(
    'server worker-0 10.0.0.31:443',
  )
  expect((await run(file.replace('3', '0'), ...fromFile)).stdout).toContain(
    'server control-plane-0 10.0.0.21:443',
  )
  expect((await run('', '--domain', 'edge.example.com', ...fromFlags)).stdout).toContain('10.0.0.21:443')
})

test('A domain that is not valid is refused, from the file and from the command line', async () => {
  const evil = file.replace('example.com', '"exa mple.com\\n  evil"')
  expect((await run(evil, ...fromFile, '--workers', '10.0.0.31')).stderr).toContain(
    'is not the domain of a cluster',
  )
  expect((await run('', '--domain', 'edge.example.com\n  evil', ...fromFlags)).stderr).toContain(
    '"edge.example.com\\n  evil" is not the domain of a cluster',
  )
})

test('The help shows each default as it is written on the command line', async () => {
  const { stdout } = await run('', '--help')
  const text = stdout.replaceAll(/\s+/g, ' ')
  expect(text).toContain('interval of the health checks (default: 5s)')
  expect(text).toContain('timeout of a health check (default: 5s)')
  expect(text).toContain('all of them become members (default: none)')
})
