import { delimiter, dirname } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../clusters/run.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'

const { binaries } = sharedControlPlane()
const PATH = [dirname(binaries.kubectl), process.env['PATH'] ?? ''].join(delimiter)

test.concurrent.each(['AWS', 'Azure', 'IBMCloud', 'BareMetal'])(
  'on %s every story ends as it is told',
  async (platform) => {
    const command = ['--import', 'tsx', 'src/cli/main.ts', 'tour', '--platform', platform]
    const { code, stdout, stderr } = await run(process.execPath, command, { env: { PATH } })
    expect(code, `${stdout}\n${stderr}`).toBe(0)
    expect(stdout).toContain('Every story ended as it was told.')
  },
)

test('without kubectl it says what is missing, and how it is to be had', async () => {
  const command = ['--import', 'tsx', 'src/cli/main.ts', 'tour']
  const { code, stderr } = await run(process.execPath, command, { env: { PATH: '/nonexistent' } })
  expect(code).toBe(1)
  expect(stderr).toContain('there is none on the PATH; install it first')
})
