import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { run as runCommand } from '../../testing/captured-io.ts'

const right =
  'baseDomain: example.com\nmetadata: {name: edge}\nplatform:\n  vsphere:\n    apiVIPs: [10.0.0.5]\n    ingressVIPs: [10.0.0.7]\n'
const doubtful = right.replace('10.0.0.5', '10.0.0.1')
const wrong = right.replace('10.0.0.7', '10.128.0.7')
const newest = 'by the rules of the newest OpenShift release (see --openshift-version).'

/** Runs the command with a text on standard input. */
function run(text: string | Uint8Array, ...args: string[]) {
  return runCommand(['install-config', 'validate', ...args], { input: text })
}

test('a file that is right is called so, with exit code 0', async () => {
  expect(await run(right, '-')).toEqual({
    stdout: `stdin: no errors and no warnings ${newest}`,
    stderr: '',
    code: 0,
  })
})

test('errors are told with their place, with exit code 1', async () => {
  const { stdout, code } = await run(wrong, '-')
  expect(stdout.split('\n')).toEqual([
    "stdin:6:19: error: platform.vsphere.ingressVIPs[0]: 10.128.0.7 lies in 10.128.0.0/14, the pods' network (clusterNetwork); choose an address outside of it. [vip-in-cluster-network]",
    `stdin: 1 error ${newest}`,
  ])
  expect(code).toBe(1)
})

test('a value with line breaks and control characters stays on its line', async () => {
  const { stdout } = await run(right.replace('10.0.0.7', '"10\\n\\e[31m\\x7f\\x9b"'), '-')
  expect(stdout).toContain('ingressVIPs[0]: 10\\n\\u001b[31m\\u007f\\u009b is not an IP address')
})

test('warnings are told and do no harm, unless one is strict', async () => {
  expect(await run(doubtful, '-')).toMatchObject({
    stdout: expect.stringContaining(`stdin: 1 warning ${newest}`),
    code: 0,
  })
  expect(await run(doubtful, '--strict', '-')).toMatchObject({ code: 1 })
  expect(await run(right, '--strict', '-')).toMatchObject({ code: 0 })
})

test('a file is read by its name', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-install-config-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const file = join(directory, 'install-config.yaml')
  await writeFile(file, wrong)
  expect((await run('', file)).stdout).toContain(`${file}:6:19: error: `)
  expect((await run('', '-o', 'github', file)).stdout).toContain(`::error file=${file},line=6,col=19,`)
})

test('-o json is for programs', async () => {
  const { stdout } = await run(wrong, '-o', 'json', '-')
  expect(JSON.parse(stdout)).toMatchObject({
    file: '-',
    errors: 1,
    warnings: 0,
    findings: [{ path: 'platform.vsphere.ingressVIPs[0]', line: 6, column: 19, value: '10.128.0.7' }],
  })
})

test('-o json says by the rules of which release', async () => {
  const { stdout } = await run(right, '-o', 'json', '--openshift-version', '4.16.3', '-')
  expect(JSON.parse(stdout)).toEqual({ file: '-', release: '4.16', errors: 0, warnings: 0, findings: [] })
  expect(JSON.parse((await run(right, '-o', 'json', '-')).stdout)).toMatchObject({
    release: null,
    note: 'Checked by the rules of the newest OpenShift release (see --openshift-version).',
  })
})

test('what others met is told below a finding', async () => {
  const outside = right.replace('10.0.0.7', '192.0.2.7')
  const known = 'A virtual IP outside of machineNetwork leaves the network operator Degraded (OCPBUGS-33921).'
  const { stdout } = await run(outside, '-')
  expect(stdout).toContain(`[vip-outside-machine-networks]\n  known: ${known}\n`)
  expect(JSON.parse((await run(outside, '-o', 'json', '-')).stdout)).toMatchObject({
    findings: [{ known: expect.arrayContaining([known]) }],
  })
  expect((await run(outside, '-o', 'github', '-')).stdout).toContain(`%0A${known}`)
})

describe('-o github', () => {
  test('annotates the lines', async () => {
    const { stdout } = await run(doubtful, '-o', 'github', '-')
    expect(stdout).toMatch(
      /^::warning line=5,col=15,title=platform\.vsphere\.apiVIPs\[0\] \[vip-first-address\]::10\.0\.0\.1 is the first/,
    )
  })

  test('keeps a value from being read as a command', async () => {
    const { stdout } = await run('"pla,t:form\\n%": 1\nplatform: {"a:b,\\nc": {}}', '-o', 'github', '-')
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(
        /^::error line=2,col=12,title=platform\.a%3Ab%2C%0Ac \[platform-missing\]::The platform a:b,%0Ac is/,
      ),
    ])
  })

  test('says nothing of a file that is right', async () => {
    expect(await run(right, '-o', 'github', '-')).toEqual({ stdout: '', stderr: '', code: 0 })
  })
})

test('--openshift-version takes the rules of a release', async () => {
  const file = `${right}    loadBalancer: {type: UserManaged}\n`
  const { stdout, code } = await run(file, '--openshift-version', '4.13.7', '-')
  expect(stdout).toContain('[load-balancer-feature-set]\nstdin: 1 error by the rules of OpenShift 4.13.')
  expect(code).toBe(1)
  expect(await run(file, '--openshift-version', '4.16', '-')).toMatchObject({ code: 0 })
  expect((await run(file, '--openshift-version', '5', '-')).stderr).toContain(
    'It must be a release such as 4.16 or 4.16.3.',
  )
})

test.each([
  ['/nowhere/install-config.yaml', 'no such file'],
  [tmpdir(), 'it is a directory'],
])('%s cannot be read, which is told in one line', async (file, reason) => {
  expect(await run('', file)).toEqual({
    stdout: '',
    stderr: `portcullis: Cannot read ${file}: ${reason}; name an install-config.yaml, or - for standard input.`,
    code: 1,
  })
})

test('what is not text is not read', async () => {
  expect((await run(Uint8Array.of(0x1f, 0x8b, 0xff), '-')).stderr).toContain(
    'Cannot read -: it is not UTF-8 text',
  )
})

test('the help has an example and the exit codes', async () => {
  const { stdout } = await run('', '--help')
  expect(stdout).toContain('portcullis install-config validate install-config.yaml')
  expect(stdout).toContain('Exit code: 0')
})
