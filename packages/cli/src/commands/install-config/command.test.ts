import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { installConfigCommand } from './command.ts'

const right =
  'baseDomain: example.com\nmetadata: {name: edge}\nplatform:\n  vsphere:\n    apiVIPs: [10.0.0.5]\n    ingressVIPs: [10.0.0.7]\n'
const doubtful = right.replace('10.0.0.5', '10.0.0.1')
const wrong = right.replace('10.0.0.7', '10.128.0.7')
const newest = 'by the rules of the newest OpenShift (see --openshift-version).'

interface Ran {
  readonly output: string
  readonly exitCode: number | string | null | undefined
}

/** Runs the command with a text on standard input, as in a process of its own. */
async function run(text: string | Uint8Array, ...args: string[]): Promise<Ran> {
  const output: string[] = []
  const collect = (line: string) => void output.push(line)
  const process: Parameters<typeof installConfigCommand>[1] = { stdin: Readable.from([Buffer.from(text)]) }
  const command = installConfigCommand(collect, process)
  for (const each of [command, ...command.commands])
    each.exitOverride().configureOutput({ writeOut: collect, writeErr: collect })
  await command.parseAsync(['validate', ...args], { from: 'user' })
  return { output: output.join('\n'), exitCode: process.exitCode }
}

test('a file that is right is called so, with exit code 0', async () => {
  expect(await run(right, '-')).toEqual({
    output: `stdin: no errors and no warnings ${newest}`,
    exitCode: undefined,
  })
})

test('errors are told with their place, with exit code 1', async () => {
  const { output, exitCode } = await run(wrong, '-')
  expect(output.split('\n')).toEqual([
    "stdin:6:19: error: platform.vsphere.ingressVIPs[0]: 10.128.0.7 lies in 10.128.0.0/14, the pods' network (clusterNetwork); choose an address outside of it. [vip-in-cluster-network]",
    `stdin: 1 error ${newest}`,
  ])
  expect(exitCode).toBe(1)
})

test('a value with line breaks and control characters stays on its line', async () => {
  const { output } = await run(right.replace('10.0.0.7', '"10\\n\\e[31m\\x7f\\x9b"'), '-')
  expect(output).toContain('ingressVIPs[0]: 10\\n\\u001b[31m\\u007f\\u009b is not an IP address')
})

test('warnings are told and do no harm, unless one is strict', async () => {
  expect(await run(doubtful, '-')).toMatchObject({
    output: expect.stringContaining(`stdin: 1 warning ${newest}`),
    exitCode: undefined,
  })
  expect(await run(doubtful, '--strict', '-')).toMatchObject({ exitCode: 1 })
  expect(await run(right, '--strict', '-')).toMatchObject({ exitCode: undefined })
})

test('a file is read by its name', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-install-config-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const file = join(directory, 'install-config.yaml')
  await writeFile(file, wrong)
  expect((await run('', file)).output).toContain(`${file}:6:19: error: `)
  expect((await run('', '-o', 'github', file)).output).toContain(`::error file=${file},line=6,col=19,`)
})

test('-o json is for programs', async () => {
  const { output } = await run(wrong, '-o', 'json', '-')
  expect(JSON.parse(output)).toMatchObject({
    file: '-',
    errors: 1,
    warnings: 0,
    findings: [{ path: 'platform.vsphere.ingressVIPs[0]', line: 6, column: 19, value: '10.128.0.7' }],
  })
})

test('-o json says by the rules of which release', async () => {
  const { output } = await run(right, '-o', 'json', '--openshift-version', '4.16.3', '-')
  expect(JSON.parse(output)).toEqual({ file: '-', release: '4.16', errors: 0, warnings: 0, findings: [] })
  expect(JSON.parse((await run(right, '-o', 'json', '-')).output)).toMatchObject({
    release: null,
    note: 'Checked by the rules of the newest OpenShift (see --openshift-version).',
  })
})

test('what others met is told below a finding', async () => {
  const outside = right.replace('10.0.0.7', '192.0.2.7')
  const known = 'A virtual IP outside of machineNetwork leaves the network operator Degraded (OCPBUGS-33921).'
  const { output } = await run(outside, '-')
  expect(output).toContain(`[vip-outside-machine-networks]\n  known: ${known}\n`)
  expect(JSON.parse((await run(outside, '-o', 'json', '-')).output)).toMatchObject({
    findings: [{ known: expect.arrayContaining([known]) }],
  })
  expect((await run(outside, '-o', 'github', '-')).output).toContain(`%0A${known}`)
})

describe('-o github', () => {
  test('annotates the lines', async () => {
    const { output } = await run(doubtful, '-o', 'github', '-')
    expect(output).toMatch(
      /^::warning line=5,col=15,title=platform\.vsphere\.apiVIPs\[0\] \[vip-first-address\]::10\.0\.0\.1 is the first/,
    )
  })

  test('keeps a value from being read as a command', async () => {
    const { output } = await run('"pla,t:form\\n%": 1\nplatform: {"a:b,\\nc": {}}', '-o', 'github', '-')
    expect(output.split('\n')).toEqual([
      expect.stringMatching(
        /^::error line=2,col=12,title=platform\.a%3Ab%2C%0Ac \[platform-missing\]::The platform a:b,%0Ac is/,
      ),
    ])
  })

  test('says nothing of a file that is right', async () => {
    expect(await run(right, '-o', 'github', '-')).toEqual({ output: '', exitCode: undefined })
  })
})

test('--openshift-version takes the rules of a release', async () => {
  const file = `${right}    loadBalancer: {type: UserManaged}\n`
  const { output, exitCode } = await run(file, '--openshift-version', '4.13.7', '-')
  expect(output).toContain('[load-balancer-feature-set]\nstdin: 1 error by the rules of OpenShift 4.13.')
  expect(exitCode).toBe(1)
  expect(await run(file, '--openshift-version', '4.16', '-')).toMatchObject({ exitCode: undefined })
  await expect(run(file, '--openshift-version', '5', '-')).rejects.toThrow(
    'It must be a release such as 4.16 or 4.16.3.',
  )
})

test.each([
  ['/nowhere/install-config.yaml', 'there is no such file'],
  [tmpdir(), 'it is a directory'],
])('%s cannot be read, which is told in one line', async (file, reason) => {
  await expect(run('', file)).rejects.toThrow(
    `Cannot read ${file}: ${reason}; name an install-config.yaml, or - for standard input.`,
  )
})

test('what is not text is not read', async () => {
  await expect(run(Uint8Array.of(0x1f, 0x8b, 0xff), '-')).rejects.toThrow(
    'Cannot read -: it is not text in UTF-8',
  )
})

test('the help has an example and the exit codes', async () => {
  const help: string[] = []
  const [validate] = installConfigCommand(() => {}, { stdin: Readable.from([]) }).commands
  validate?.configureOutput({ writeOut: (text) => void help.push(text) }).outputHelp()
  expect(help.join('')).toContain('portcullis install-config validate install-config.yaml')
  expect(help.join('')).toContain('Exit code: 0')
})
