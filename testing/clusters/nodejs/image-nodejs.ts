import { createHash } from 'node:crypto'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDirectory, exists, fill } from '../cache.ts'
import type { Log } from '../log.ts'
import { withProgress } from '../progress.ts'
import { run } from '../run-command.ts'

/** A Node to run something with. */
export interface Nodejs {
  /** Without a `v` in front. */
  readonly version: string
  readonly path: string
}

interface ImageNodejsOptions {
  readonly own?: Nodejs
  /** The npm package with the Node for this machine. */
  readonly packageName?: string
  readonly cache?: string
  readonly install?: (into: string) => Promise<void>
}

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/**
 * A Node of the major version that the image has. npm brings it, once. Where the running one is as new, it is that one;
 * and so it is, with a word about it, where npm has none for this platform or it cannot be had.
 */
export async function imageNodejs(log: Log, options: ImageNodejsOptions = {}): Promise<Nodejs> {
  const {
    own = { version: process.versions.node, path: process.execPath },
    packageName = `node-${process.platform}-${process.arch}`,
    cache = cacheDirectory(process.env),
    install = npmInstall,
  } = options
  const lock = await readFile(fileOf('package-lock.json'), 'utf8')
  const { packages } = JSON.parse(lock) as { packages: Readonly<Record<string, { version: string }>> }
  const version = packages[`node_modules/${packageName}`]?.version
  if (version === undefined) {
    log(`There is no package ${packageName} with the Node of the image; Node ${own.version} will do.`)
    return own
  }
  if (majorOf(own.version) >= majorOf(version)) return own
  const key = createHash('sha256').update(lock).digest('hex').slice(0, 16)
  const directory = join(cache, 'nodejs', `${packageName}-${key}`)
  const program = join('node_modules', packageName, 'bin', 'node')
  try {
    if (!(await exists(directory)))
      await fill(directory, async (into) => {
        await withProgress(log, `npm ci of Node ${version}, as the image has it`, () => install(into))
        await requireVersion(version, join(into, program))
      })
  } catch (error) {
    log(
      `Node ${version}, as the image has it, is not to be had; Node ${own.version} will do. ${String(error)}`,
    )
    return own
  }
  return { version, path: join(directory, program) }
}

/** A registry that does not answer shall not hold anybody up for long: there is another way. */
const npmCi =
  'ci --ignore-scripts --include=optional --no-audit --no-fund --fetch-retries=1 --fetch-timeout=60000'

async function npmInstall(into: string): Promise<void> {
  for (const name of ['package.json', 'package-lock.json']) await cp(fileOf(name), join(into, name))
  const { code, stderr } = await run('npm', npmCi.split(' '), { cwd: into })
  if (code !== 0) throw new Error(`"npm ci" failed:\n${stderr.trim()}`)
}

/** npm does not mind if it cannot have what only some platforms need; and what it has may not run everywhere. */
async function requireVersion(version: string, program: string): Promise<void> {
  const { stdout, stderr } = await run(program, ['--version']).catch((error: unknown) => {
    throw new Error(`What npm has brought does not run: ${String(error)}`, { cause: error })
  })
  if (stdout.trim() !== `v${version}`)
    throw new Error(`What npm has brought says this of its version: ${stdout}${stderr}`)
}

export function majorOf(version: string): number {
  return Number.parseInt(version, 10)
}
