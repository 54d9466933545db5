import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { version } from '../../package.json'
import { run } from '../clusters/run-command.ts'

test('The bundle of the image runs on Node alone', async () => {
  const built = await run(process.execPath, ['scripts/build.mjs', '--standalone'])
  expect(built.code, built.stderr).toBe(0)
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-image-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const file = join(directory, 'portcullis.mjs')
  await cp('dist/portcullis.mjs', file)
  expect(await run(process.execPath, [file, '--version'])).toMatchObject({ code: 0, stdout: `${version}\n` })
  const settings = await run(process.execPath, [
    file,
    'operator',
    '--print-config',
    '--domain',
    'apps.example',
  ])
  expect(settings.stdout).toContain('domain: "apps.example" # flag')
})
