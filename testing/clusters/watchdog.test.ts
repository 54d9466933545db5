import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Starts a process that would outlive it, says that it has, and waits to be killed. */
const parent = `
  import { spawn } from 'node:child_process'
  import { Watchdog } from '${new URL('watchdog.ts', import.meta.url).href}'
  const child = spawn('sleep', ['600'], { detached: true, stdio: ['ignore', 'inherit', 'ignore'] })
  new Watchdog(process.argv[1]).guard(child.pid)
  console.log('started')
`

test('Processes and directory go away with the process that made them, even if that is killed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-watchdog-'))
  await writeFile(join(directory, 'file'), '')
  const args = ['--import', 'tsx', '--input-type=module', '--eval', parent, directory]
  const killed = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(killed.stdout, 'data')
  const everyWriterGone = once(killed.stdout, 'close') // The process that it started is one of them.

  killed.kill('SIGKILL')
  await everyWriterGone
  await expect.poll(() => existsSync(directory)).toBe(false)
})
