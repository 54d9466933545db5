import { constants } from 'node:fs'
import { access, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Log } from '../log.ts'
import { imageNodejs } from '../nodejs/image-nodejs.ts'
import { run } from '../run-command.ts'
import { withParents } from './entries.ts'
import { entriesOf, type MachineProgram, shell, versionsOf, withLibraries } from './machine-programs.ts'
import type { ImageConfig } from './oci-archive.ts'
import type { TarEntry } from './tar.ts'

/** What stands in for the image that the Containerfile begins with: Node, and a shell, with the libraries that they need. */
export interface NodejsImage {
  readonly config: ImageConfig
  readonly programs: readonly MachineProgram[]
}

export async function nodejsImage(log: Log): Promise<NodejsImage> {
  const { path } = await imageNodejs(log)
  return {
    config: { Env: ['PATH=/usr/local/bin:/usr/bin:/bin'] },
    programs: await withLibraries([...shell, { here: path, path: 'usr/local/bin/node' }]),
  }
}

export async function nodejsLayer({ programs }: NodejsImage): Promise<readonly TarEntry[]> {
  return withParents([
    ...(await entriesOf(programs)),
    text('etc/passwd', 'root:x:0:0:root:/root:/bin/sh\n'),
    text('etc/group', 'root:x:0:\n'),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    { type: 'directory', path: 'tmp', mode: 0o1777 },
  ])
}

/** What tells that the layer is another one, without reading it. */
export function nodejsVersions({ programs }: NodejsImage): Promise<readonly string[]> {
  return versionsOf(programs)
}

/** What the Containerfile's base has beside that for its first stage: npm, which asks the registry that this machine's npm asks. */
export async function npmLayer(): Promise<readonly TarEntry[]> {
  const npm = dirname(dirname(await realpath(await programOnPath('npm'))))
  const home = 'usr/local/lib/node_modules/npm'
  const authorities = await npmSetting('cafile')
  const bundle = 'etc/ssl/certs/ca-certificates.crt'
  const settings = [
    `registry=${await npmSetting('registry')}`,
    ...(authorities === undefined ? [] : [`cafile=/${bundle}`]),
  ]
  return withParents([
    ...(await filesIn(npm, home)),
    ...(await entriesOf(await withLibraries([{ here: '/usr/bin/env', path: 'usr/bin/env' }]))),
    { type: 'link', path: 'usr/local/bin/npm', target: '../lib/node_modules/npm/bin/npm-cli.js' },
    text('usr/local/etc/npmrc', `${settings.join('\n')}\n`),
    ...(authorities === undefined
      ? []
      : [{ type: 'file', path: bundle, content: await readFile(authorities) } as const]),
  ])
}

function text(path: string, content: string): TarEntry {
  return { type: 'file', path, content: Buffer.from(content) }
}

async function filesIn(directory: string, as: string): Promise<readonly TarEntry[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return Promise.all(
    files.map(async (file) => {
      const { mode } = await stat(file)
      const path = `${as}${file.slice(directory.length)}`
      return { type: 'file', path, mode: mode & 0o777, content: await readFile(file) } as const
    }),
  )
}

async function npmSetting(name: string): Promise<string | undefined> {
  const { code, stdout, stderr } = await run('npm', ['config', 'get', name])
  if (code !== 0) throw new Error(`"npm config get ${name}" failed: ${stderr.trim()}`)
  const value = stdout.trim()
  return ['null', 'undefined', ''].includes(value) ? undefined : value
}

async function programOnPath(name: string): Promise<string> {
  for (const directory of (process.env['PATH'] ?? '').split(':')) {
    const path = join(directory, name)
    const isThere = access(path, constants.X_OK)
    if (
      await isThere.then(
        () => true,
        () => false,
      )
    )
      return path
  }
  throw new Error(`There is no ${name} on the PATH.`)
}
