import { delimiter, dirname } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../clusters/run-command.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'

const { binaries } = sharedControlPlane()
const PATH = [dirname(binaries.kubectl), process.env['PATH'] ?? ''].join(delimiter)

test.concurrent.each(['AWS', 'Azure', 'IBMCloud', 'BareMetal'])(
  'Every story of the tour ends as described on %s',
  async (platform) => {
    const command = ['--import', 'tsx', 'packages/cli/src/main.ts', 'tour', '--platform', platform]
    const { code, stdout, stderr } = await run(process.execPath, command, { env: { PATH } })
    expect(code, `${stdout}\n${stderr}`).toBe(0)
    expect(stdout).toContain('Every step shows what it should.')
  },
)

test('The tour ends quietly with exit code 130 when its output is closed', async () => {
  const pipeline = `"$0" --import tsx packages/cli/src/main.ts tour | head -1; echo "exit \${PIPESTATUS[0]}"`
  const { stdout, stderr } = await run('bash', ['-c', pipeline, process.execPath], { env: { PATH } })
  expect(stdout).toMatch(/^A cluster on AWS runs .*\nexit 130\n$/)
  expect(stderr).toBe('')
})

test('The tour without kubectl says what is missing and how to install it', async () => {
  const command = ['--import', 'tsx', 'packages/cli/src/main.ts', 'tour']
  const { code, stderr } = await run(process.execPath, command, { env: { PATH: '/nonexistent' } })
  expect(code).toBe(1)
  expect(stderr).toContain('there is none on the PATH; install it first')
})
