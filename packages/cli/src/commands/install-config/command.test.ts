import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { run as runCommand } from '../../testing/captured-io.ts'

const valid =
  'baseDomain: example.com\nmetadata: {name: edge}\nplatform:\n  vsphere:\n    apiVIPs: [10.0.0.5]\n    ingressVIPs: [10.0.0.7]\n'
const withWarning = valid.replace('10.0.0.5', '10.0.0.1')
const withError = valid.replace('10.0.0.7', '10.128.0.7')
const newest = 'by the rules of the newest OpenShift release (see --openshift-version).'

/** Runs the command with a text on standard input. */
function run(text: string | Uint8Array, ...args: string[]) {
  return runCommand(['install-config', 'validate', ...args], { input: text })
}

test('A valid file gives a line that says so, and exit code 0', async () => {
  expect(await run(valid, '-')).toEqual({
    stdout: `stdin: no errors and no warnings ${newest}`,
    stderr: '',
    code: 0,
  })
})

test('Each error is printed with its line and column, and the exit code is 1', async () => {
  const { stdout, code } = await run(withError, '-')
  expect(stdout.split('\n')).toEqual([
    "stdin:6:19: error: platform.vsphere.ingressVIPs[0]: 10.128.0.7 lies in 10.128.0.0/14, the pods' network (clusterNetwork); choose an address outside of it. [vip-in-cluster-network]",
    `stdin: 1 error ${newest}`,
  ])
  expect(code).toBe(1)
})

test('A value with line breaks and control characters is escaped onto one line', async () => {
  const { stdout } = await run(valid.replace('10.0.0.7', '"10\\n\\e[31m\\x7f\\x9b"'), '-')
  expect(stdout).toContain('ingressVIPs[0]: 10\\n\\u001b[31m\\u007f\\u009b is not an IP address')
})

test('A warning does not change the exit code, except with --strict', async () => {
  expect(await run(withWarning, '-')).toMatchObject({
    stdout: expect.stringContaining(`stdin: 1 warning ${newest}`),
    code: 0,
  })
  expect(await run(withWarning, '--strict', '-')).toMatchObject({ code: 1 })
  expect(await run(valid, '--strict', '-')).toMatchObject({ code: 0 })
})

test('The name of the file stands before each finding', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-install-config-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const file = join(directory, 'install-config.yaml')
  await writeFile(file, withError)
  expect((await run('', file)).stdout).toContain(`${file}:6:19: error: `)
  expect((await run('', '-o', 'github', file)).stdout).toContain(`::error file=${file},line=6,col=19,`)
})

test('`-o json` prints the findings with path, place and value', async () => {
  const { stdout } = await run(withError, '-o', 'json', '-')
  expect(JSON.parse(stdout)).toMatchObject({
    file: '-',
    errors: 1,
    warnings: 0,
    findings: [{ path: 'platform.vsphere.ingressVIPs[0]', line: 6, column: 19, value: '10.128.0.7' }],
  })
})

test('`-o json` contains the release whose rules were applied', async () => {
  const { stdout } = await run(valid, '-o', 'json', '--openshift-version', '4.16.3', '-')
  expect(JSON.parse(stdout)).toEqual({ file: '-', release: '4.16', errors: 0, warnings: 0, findings: [] })
  expect(JSON.parse((await run(valid, '-o', 'json', '-')).stdout)).toMatchObject({
    release: null,
    note: 'Checked by the rules of the newest OpenShift release (see --openshift-version).',
  })
})

test('Known reports of the same problem are printed below a finding', async () => {
  const outside = valid.replace('10.0.0.7', '192.0.2.7')
  const known = 'A virtual IP outside of machineNetwork leaves the network operator Degraded (OCPBUGS-33921).'
  const { stdout } = await run(outside, '-')
  expect(stdout).toContain(`[vip-outside-machine-networks]\n  known: ${known}\n`)
  expect(JSON.parse((await run(outside, '-o', 'json', '-')).stdout)).toMatchObject({
    findings: [{ known: expect.arrayContaining([known]) }],
  })
  expect((await run(outside, '-o', 'github', '-')).stdout).toContain(`%0A${known}`)
})

test('The output `-o github` annotates the lines', async () => {
  const { stdout } = await run(withWarning, '-o', 'github', '-')
  expect(stdout).toMatch(
    /^::warning line=5,col=15,title=platform\.vsphere\.apiVIPs\[0\] \[vip-first-address\]::10\.0\.0\.1 is the first/,
  )
})

test('The output `-o github` escapes a value that would be read as a workflow command', async () => {
  const { stdout } = await run('"pla,t:form\\n%": 1\nplatform: {"a:b,\\nc": {}}', '-o', 'github', '-')
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(
      /^::error line=2,col=12,title=platform\.a%3Ab%2C%0Ac \[platform-missing\]::The platform a:b,%0Ac is/,
    ),
  ])
})

test('The output `-o github` is empty for a valid file', async () => {
  expect(await run(valid, '-o', 'github', '-')).toEqual({ stdout: '', stderr: '', code: 0 })
})

test('`--openshift-version` selects the rules of a release', async () => {
  const file = `${valid}    loadBalancer: {type: UserManaged}\n`
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
])('The error about %s, which cannot be read, is one line', async (file, reason) => {
  expect(await run('', file)).toEqual({
    stdout: '',
    stderr: `portcullis: Cannot read ${file}: ${reason}; name an install-config.yaml, or - for standard input.`,
    code: 1,
  })
})

test('A file that is not UTF-8 text is refused', async () => {
  expect((await run(Uint8Array.of(0x1f, 0x8b, 0xff), '-')).stderr).toContain(
    'Cannot read -: it is not UTF-8 text',
  )
})

test('The help of `install-config validate` has an example and the exit codes', async () => {
  const { stdout } = await run('', '--help')
  expect(stdout).toContain('portcullis install-config validate install-config.yaml')
  expect(stdout).toContain('Exit code: 0')
})
