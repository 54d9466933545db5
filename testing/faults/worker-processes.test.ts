import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { playInProcess } from './worker-processes.ts'

/** A worker that reports which Node runs it, and a Node that identifies itself. */
async function worker(): Promise<{ readonly path: string; readonly file: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-worker-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const [path, file] = [join(directory, 'node'), join(directory, 'worker.mjs')]
  await writeFile(path, `#!/bin/sh\nSTARTED_WITH=another exec '${process.execPath}' "$@"\n`)
  await chmod(path, 0o755)
  await writeFile(file, 'process.send(process.env.STARTED_WITH); process.disconnect()')
  return { path, file }
}

test('A worker runs on the Node that it is given', async () => {
  const { path, file } = await worker()
  const received: unknown[] = []
  await playInProcess({ nodejs: { version: '', path }, file, args: [] }, (message) => received.push(message))
  expect(received).toEqual(['another'])
})

test('A Node that cannot be started is an error', async () => {
  const { file } = await worker()
  const playing = playInProcess({ nodejs: { version: '', path: '/no/node' }, file, args: [] }, () => {})
  await expect(playing).rejects.toThrow('ENOENT')
})
