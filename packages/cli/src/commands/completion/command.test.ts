import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { run } from '../../testing/captured-io.ts'
import { cliOnPath } from '../../testing/cli-on-path.ts'
import { completionScripts } from './scripts.ts'

const timeout = 120_000
/** What bash offers after this line. */
async function inBash(words: readonly string[]): Promise<string[]> {
  const path = await cliOnPath('portcullis')
  const script = [
    completionScripts.bash,
    'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _portcullis',
    // Each on a line; none leaves an empty one.
    `printf '%s\\n' "\${COMPREPLY[@]}"`,
  ].join('\n')
  const { stdout } = await promisify(execFile)(
    'bash',
    ['--norc', '-c', script, 'bash', 'portcullis', ...words],
    {
      env: { ...process.env, PATH: `${path}:${process.env['PATH']}`, KUBECONFIG: '/dev/null' },
    },
  )
  return stdout.split('\n').filter(Boolean)
}

test('The bash script completes commands and values', { timeout }, async () => {
  expect(await inBash(['sc'])).toEqual(['scope'])
  expect(await inBash(['plan', 'default', '--scope', ''])).toEqual(['Internal', 'External'])
})

test('The bash script offers no names and prints no error without a cluster', {
  timeout,
}, async () => {
  expect(await inBash(['scope', ''])).toEqual([])
})

test('The bash script registers the completion for both names of the program', async () => {
  const script = `${completionScripts.bash}\ncomplete -p portcullis kubectl-portcullis`
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', script])
  expect(stdout).toContain('complete -F _portcullis portcullis')
  expect(stdout).toContain('complete -F _portcullis kubectl-portcullis')
})

test.each(Object.keys(completionScripts))('`completion %s` prints a script', async (shell) => {
  const { stdout, code } = await run(['completion', shell])
  expect(stdout).toContain('__complete')
  expect(code).toBe(0)
})

test('The error about an unknown shell lists the known ones', async () => {
  expect((await run(['completion', 'tcsh'])).stderr).toContain('Allowed choices are bash, zsh, fish')
})

test('The program runs, and completes, as a plugin of kubectl', { timeout }, async () => {
  const path = await cliOnPath('kubectl-portcullis', 'kubectl_complete-portcullis')
  const { stdout } = await promisify(execFile)(join(path, 'kubectl-portcullis'), ['status', '--help'])
  expect(stdout).toMatch(/^Usage: kubectl portcullis status/)
  const completed = await promisify(execFile)(join(path, 'kubectl_complete-portcullis'), ['expl'])
  expect(completed.stdout).toMatch(/^explain\t.*\n:4\n$/)
})
