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

it('defaults come before the file, and the file before flags', async () => {
  const yaml = 'domain: file.example\nfirstNodePort: 31000\n'
  expect(await configured(['--domain', 'flag.example'], yaml)).toMatchObject({
    domain: 'flag.example',
    firstNodePort: 31_000,
    healthPort: 8080,
    leaderElection: true,
  })
})

it('lists are given by repeating a flag, numbers as numbers, and what is on can be switched off', async () => {
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

it('addresses of single classes stand in the file', async () => {
  const { classAddresses } = await configured([], 'classAddresses:\n  edge: [10.0.0.1]\n')
  expect(classAddresses).toEqual({ edge: ['10.0.0.1'] })
})

it('everything that is wrong is told at once: where, which value, and what it should be', async () => {
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

it('a file that is no map, or no YAML, is refused by name', async () => {
  await expect(configured([], '- a\n- b\n')).rejects.toThrow('must hold a map of settings')
  await expect(configured([], 'a: [')).rejects.toThrow(
    /Cannot read the configuration file .*portcullis\.yaml/,
  )
})

it('an empty file says nothing', async () => {
  expect((await configured([], '')).operandNamespace).toBe('openshift-ingress')
})

it('the settings that result are printed with where each came from, as a file that gives the same', async () => {
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
