import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { filledOnce } from './image-cache.ts'

const longAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000)

async function aCache(): Promise<string> {
  const cache = await mkdtemp(join(tmpdir(), 'portcullis-image-cache-'))
  onTestFinished(() => rm(cache, { recursive: true, force: true }))
  return cache
}

function make(cache: string, input: string): Promise<string> {
  return filledOnce({ cache, name: 'router', inputs: [input] }, (into) =>
    writeFile(join(into, 'input'), input),
  )
}

test('What is made from the same inputs is made once', async () => {
  const cache = await aCache()
  const directory = await make(cache, 'a')
  await writeFile(join(directory, 'input'), 'the first')
  expect(await make(cache, 'a')).toBe(directory)
  expect(await readFile(join(directory, 'input'), 'utf8')).toBe('the first')
  expect(await make(cache, 'b')).not.toBe(directory)
})

test('What nobody has asked for since a day is removed when something else is made', async () => {
  const cache = await aCache()
  const [old, used] = [await make(cache, 'old'), await make(cache, 'used')]
  await utimes(old, longAgo, longAgo)
  const made = await make(cache, 'new')
  expect((await readdir(dirname(made))).toSorted()).toEqual([basename(used), basename(made)].toSorted())
})

test('What is old is kept once a run has found it', async () => {
  const cache = await aCache()
  const old = await make(cache, 'old')
  await utimes(old, longAgo, longAgo)
  await make(cache, 'old')
  await make(cache, 'new')
  expect(await readFile(join(old, 'input'), 'utf8')).toBe('old')
})

test('What a run that was killed had moved aside is removed', async () => {
  const cache = await aCache()
  const parent = dirname(await make(cache, 'a'))
  const aside = join(parent, '0123456789abcdef.unused-1')
  await mkdir(aside)
  await utimes(aside, longAgo, longAgo)
  await make(cache, 'b')
  expect(await readdir(parent)).not.toContain(basename(aside))
})
