import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operatorConfiguration } from '@portcullis/operator'
import { Command } from 'commander'
import { expect, it, onTestFinished } from 'vitest'
import { addFlags, configurationText, readConfiguration } from './configuration.ts'

async function configured(flags: readonly string[], yaml?: string) {
  return (await read(flags, yaml)).configuration
}

async function read(flags: readonly string[], yaml?: string) {
  let file: string | undefined
  if (yaml !== undefined) {
    const directory = await mkdtemp(join(tmpdir(), 'portcullis-configuration-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    file = join(directory, 'portcullis.yaml')
    await writeFile(file, yaml)
  }
  const command = addFlags(new Command('operator'), operatorConfiguration).exitOverride()
  command.parse([...flags], { from: 'user' })
  return readConfiguration(operatorConfiguration, file, command)
}

it('A flag takes precedence over the file, and the file over the default', async () => {
  const yaml = 'domain: file.example\nfirstNodePort: 31000\n'
  expect(await configured(['--domain', 'flag.example'], yaml)).toMatchObject({
    domain: 'flag.example',
    firstNodePort: 31_000,
    healthPort: 8080,
    leaderElection: true,
  })
})

it('A repeated flag gives a list, a numeric flag a number, and a --no- flag switches a setting off', async () => {
  const flags = ['--ingress-status-address', '10.0.0.1', '--ingress-status-address', 'lb.example.com']
  expect(
    await configured([...flags, '--health-port', '0', '--no-leader-election', '--ingress-without-class']),
  ).toMatchObject({
    ingressStatusAddress: ['10.0.0.1', 'lb.example.com'],
    healthPort: 0,
    leaderElection: false,
    ingressWithoutClass: true,
  })
})

it('The file sets the addresses of one class', async () => {
  const { classAddresses } = await configured([], 'classAddresses:\n  edge: [10.0.0.1]\n')
  expect(classAddresses).toEqual({ edge: ['10.0.0.1'] })
})

it('One error lists every wrong setting, with its place, its value and what it must be', async () => {
  const refused = configured(
    ['--health-port', '99999'],
    'lostAddressGrace: soon\nfoo: 1\nplattform: AWS\npublishService: envoy\n',
  )
  await expect(refused).rejects.toThrow('--health-port is 99999')
  await expect(refused).rejects.toThrow('lostAddressGrace is "soon": must be a duration such as 30s')
  await expect(refused).rejects.toThrow('publishService is "envoy": must be namespace/name')
  await expect(refused).rejects.toThrow('unknown setting foo.')
  await expect(refused).rejects.toThrow('unknown setting plattform. Did you mean platform?')
})

it('An error names a configuration file that is not a map, or not YAML', async () => {
  await expect(configured([], '- a\n- b\n')).rejects.toThrow('must hold a map of settings')
  await expect(configured([], 'a: [')).rejects.toThrow(
    /Cannot read the configuration file .*portcullis\.yaml/,
  )
})

it('An empty file leaves the defaults', async () => {
  expect((await configured([], '')).operandNamespace).toBe('openshift-ingress')
})

it('The printed settings show the origin of each, and are a file that gives the same settings', async () => {
  const text = configurationText(
    await read(['--domain', 'flag.example'], 'firstNodePort: 31000\nclassAddresses: { edge: [10.0.0.1] }\n'),
  )
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      'domain: "flag.example" # flag',
      'firstNodePort: 31000 # file',
      'classAddresses: {"edge":["10.0.0.1"]} # file',
      'healthPort: 8080 # default',
      '# platform is not set',
    ]),
  )
  expect(configurationText(await read([], text))).toBe(text.replaceAll(/# (flag|default)$/gm, '# file'))
})
