import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Metafile } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'

const patience = { timeout: 60_000 }

test('The bundle of the image contains no file of the sandbox', patience, async () => {
  const { outputs } = await bundled('--standalone')
  const [bundle] = Object.values(outputs)
  expect(Object.keys(outputs)).toEqual([expect.stringMatching(/portcullis\.mjs$/)])
  expect(packagesIn(bundle)).toEqual(['cli', 'kube', 'onprem', 'operator', 'schema'])
  const dynamic = bundle?.imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path)
  expect(dynamic).toContain('@portcullis/sandbox')
})

test('The bundle of a checkout loads the sandbox only when a command needs it', patience, async () => {
  const { outputs } = await bundled()
  const start = Object.entries(outputs).find(([path]) => path.endsWith('/portcullis.js'))?.[0] ?? ''
  const loaded = withStaticImports(outputs, start)
  expect(loaded.flatMap((path) => packagesIn(outputs[path]))).not.toContain('sandbox')
  expect(Object.values(outputs).flatMap(packagesIn)).toContain('sandbox')
})

type Output = Metafile['outputs'][string]

async function bundled(...flags: string[]): Promise<Metafile> {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-build-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const metafile = join(directory, 'metafile.json')
  const options = ['--outdir', join(directory, 'dist'), '--metafile', metafile, ...flags]
  await promisify(execFile)(process.execPath, ['scripts/build.mjs', ...options])
  return JSON.parse(await readFile(metafile, 'utf8')) as Metafile
}

/** The packages of this repository that a file of the bundle is made from. */
function packagesIn(output: Output | undefined): string[] {
  const names = Object.keys(output?.inputs ?? {}).map((path) => /^packages\/(\w+)\//.exec(path)?.[1])
  return [...new Set(names)].filter((name) => name !== undefined).sort()
}

/** A file of the bundle, and all that are loaded with it at the start. */
function withStaticImports(outputs: Metafile['outputs'], start: string): string[] {
  const all = new Set([start])
  for (const path of all) {
    for (const { path: imported, kind, external } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && external !== true) all.add(imported)
  }
  return [...all]
}
