import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { infrastructureFrom } from '@portcullis/onprem'
import { expect, onTestFinished, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { run as runCommand } from '../../testing/captured-io.ts'

const infrastructure = (more = '') =>
  stringify(
    infrastructureFrom(
      `baseDomain: example.com\nmetadata: {name: shop}\nplatform: {vsphere: {apiVIPs: [10.0.0.5], ingressVIPs: [10.0.0.7]${more}}}`,
    ),
  )
const userManaged = infrastructure(', loadBalancer: {type: UserManaged}')

function run(object: string, ...args: string[]) {
  return runCommand(['render', '--infrastructure', '-', ...args], { input: object })
}

async function aDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-render-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  return directory
}

test('`render` writes files at the paths that they have on the node', async () => {
  const out = join(await aDirectory(), 'new')
  const { stdout: output } = await run(userManaged, '--role', 'bootstrap', '--out', out)
  expect(output.split('\n')).toEqual([
    `wrote ${out}/etc/kubernetes/manifests/coredns.yaml`,
    `wrote ${out}/etc/kubernetes/static-pod-resources/coredns/Corefile`,
  ])
  expect(await readFile(join(out, 'etc/kubernetes/static-pod-resources/coredns/Corefile'), 'utf8')).toContain(
    '10.0.0.5',
  )
  expect((await run(userManaged, '--role', 'bootstrap', '--out', out)).stdout).toBe(
    output.replaceAll('wrote', 'unchanged'),
  )
})

test('`render` overwrites a file with other content only with --force', async () => {
  const out = await aDirectory()
  const manifests = join(out, 'etc/kubernetes/manifests')
  await mkdir(manifests, { recursive: true })
  await writeFile(join(manifests, 'coredns.yaml'), 'mine')
  expect((await run(userManaged, '--role', 'worker', '--out', out)).stderr).toContain(
    `Nothing was written:\n${manifests}/coredns.yaml exists with other content.\n`,
  )
  expect(await readdir(join(out, 'etc/kubernetes'))).toEqual(['manifests'])
  expect((await run(userManaged, '--role', 'worker', '--out', out, '--force')).stdout).toContain(
    `overwrote ${manifests}/coredns.yaml`,
  )
})

test('`render` reports a static pod that the node must not run any more, and removes it with --force', async () => {
  const out = await aDirectory()
  const keepalived = join(out, 'etc/kubernetes/manifests/keepalived.yaml')
  await run(infrastructure(), '--role', 'worker', '--out', out)
  expect((await run(userManaged, '--role', 'worker', '--out', out)).stderr).toContain(
    `${keepalived} exists, and this node must not have it.`,
  )
  expect((await run(userManaged, '--role', 'worker', '--out', out, '--force')).stdout).toContain(
    `removed ${keepalived}`,
  )
  expect(await readdir(join(out, 'etc/kubernetes/manifests'))).toEqual(['coredns.yaml'])
})

test('`render` does not follow a symbolic link', async () => {
  const out = await aDirectory()
  const elsewhere = join(await aDirectory(), 'elsewhere')
  await mkdir(join(out, 'etc/kubernetes/manifests'), { recursive: true })
  await writeFile(elsewhere, 'theirs')
  await symlink(elsewhere, join(out, 'etc/kubernetes/manifests/coredns.yaml'))
  expect((await run(userManaged, '--role', 'worker', '--out', out)).stderr).toContain(
    'exists with other content',
  )
  await run(userManaged, '--role', 'worker', '--out', out, '--force')
  expect(await readFile(elsewhere, 'utf8')).toBe('theirs')
})

test('`render` says that a vSphere node without virtual IPs runs no static pods', async () => {
  const object = stringify({
    kind: 'Infrastructure',
    status: {
      platformStatus: { type: 'VSphere', vsphere: {} },
      apiServerURL: 'https://api.shop.example.com:6443',
    },
  })
  const out = await aDirectory()
  expect((await run(object, '--role', 'master', '--out', out)).stdout).toContain(
    'A master runs no static pods: vSphere without',
  )
  expect(await readdir(out)).toEqual([])
})

test('`render --machine-config` prints a MachineConfig', async () => {
  const { stdout: text } = await run(infrastructure(), '--role', 'worker', '--machine-config')
  expect(parse(text)).toMatchObject({
    kind: 'MachineConfig',
    metadata: { name: '99-worker-portcullis-on-premises' },
    spec: {
      config: { storage: { files: [{ path: '/etc/kubernetes/manifests/keepalived.yaml' }, {}, {}, {}] } },
    },
  })
})

test('An address option of `render` takes a list with commas or blanks, and can be repeated', async () => {
  const out = await aDirectory()
  const configuration = join(out, 'etc/kubernetes/static-pod-resources/haproxy/haproxy.cfg')
  const given = ['--control-plane', '10.0.0.20,10.0.0.21', '10.0.0.22', '--control-plane', '10.0.0.23']
  await run(infrastructure(), '--role', 'master', '--out', out, ...given)
  const servers = [...(await readFile(configuration, 'utf8')).matchAll(/server \S+ (\S+):6443/g)]
  expect(servers.map(([, address]) => address)).toEqual(['10.0.0.20', '10.0.0.21', '10.0.0.22', '10.0.0.23'])
})

test.each([
  [['--role', 'master', '--machine-config'], 'give each as --control-plane'],
  [['--role', 'worker'], 'either --out with a directory, or --machine-config'],
  [['--role', 'worker', '--machine-config', '--upstream', 'dns'], '"dns" is not an IP address'],
  [['--role', 'worker', '--machine-config', '--name', 'a b=10.0.0.9'], 'write it as worker-1=192.0.2.21'],
  [['--role', 'worker', '--machine-config', '--interface', 'a {'], 'such as br-ex'],
  [['--role', 'router', '--machine-config'], 'Allowed choices are bootstrap, master, worker'],
])('The command `render` refuses the arguments %j', async (args, message) => {
  expect((await run(infrastructure(), ...args)).stderr).toContain(message)
})

test.each([
  ['kind: Service', '- holds a Service; name a file with an Infrastructure'],
  ['', '- holds no object'],
  ['a: [', 'Cannot read - as YAML'],
  [
    'kind: Infrastructure\nstatus: {platformStatus: {type: Cloud}}',
    '-: status.platformStatus.type: Invalid option',
  ],
  ['kind: Infrastructure\nspec: {}', 'no status.platformStatus'],
])('The command `render` refuses the Infrastructure %j', async (object, message) => {
  expect((await run(object, '--role', 'worker', '--machine-config')).stderr).toContain(message)
})
