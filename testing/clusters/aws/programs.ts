import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDirectory, exists, fill } from '../cache.ts'
import { build, builtOnce } from '../go-build.ts'
import type { Log } from '../log.ts'
import { withProgress } from '../progress.ts'
import { type CommandResult, run } from '../run-command.ts'
import { ToolMissing } from '../tool-missing.ts'

/** What makes a cluster on AWS of a control plane: as paths. */
export interface AwsPrograms {
  readonly cloudControllerManager: string
  /** A Python that knows moto. */
  readonly python: string
}

const module = fileURLToPath(new URL('../go/aws', import.meta.url))
const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url))

/** Builds and installs what the cache does not have yet. Throws `ToolMissing` where Go or Python are not to be had. */
export async function awsPrograms(log: Log, signal?: AbortSignal): Promise<AwsPrograms> {
  const cache = cacheDirectory(process.env)
  // The quick one first: a missing Python is found before Go builds for minutes.
  const python = await pythonWithMoto(cache, log, signal)
  return { python, cloudControllerManager: await cloudControllerManager(cache, log, signal) }
}

async function cloudControllerManager(cache: string, log: Log, signal?: AbortSignal): Promise<string> {
  const source = { module, ldflags: '-s -w', packages: 'tool' } as const
  const place = { cache, name: 'aws-cloud-controller-manager', builds: [source] }
  const directory = await builtOnce(place, async (into) => {
    log("Building AWS' cloud controller manager from source; this happens once and takes minutes.")
    await build(source, "AWS' cloud controller manager", into, log, signal)
  })
  return join(directory, 'aws-cloud-controller-manager')
}

/** A virtual environment, of which only its `python` is used: its scripts do not survive being moved. */
async function pythonWithMoto(cache: string, log: Log, signal?: AbortSignal): Promise<string> {
  const version = await pythonVersion(signal)
  const wanted = await readFile(requirements)
  const key = createHash('sha256').update(version).update(wanted).digest('hex').slice(0, 16)
  const directory = join(cache, 'moto', key)
  if (!(await exists(directory))) {
    await fill(directory, async (into) => {
      await python('python3', ['-m', 'venv', into], signal)
      const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--disable-pip-version-check']
      await withProgress(log, 'pip install moto, which plays AWS', () =>
        python(join(into, 'bin', 'python'), [...install, '--requirement', requirements], signal),
      )
    })
  }
  return join(directory, 'bin', 'python')
}

/** Of the Python that makes the environment: that of another one may not work with it. */
async function pythonVersion(signal?: AbortSignal): Promise<string> {
  const ask =
    'import ensurepip, sys, venv; assert sys.version_info >= (3, 11); print(sys.version, sys.prefix)'
  const { code, stdout, stderr } = await run('python3', ['-c', ask], { signal }).catch(cannotStart)
  if (code === 0) return stdout
  throw new ToolMissing(
    `AWS is played by moto, which wants Python 3.11 or newer with its module venv. "python3" said: ${stderr.trim()}. Install it (on Debian: apt-get install python3-venv), and run this again.`,
  )
}

function cannotStart(error: NodeJS.ErrnoException): CommandResult {
  if (error.code !== 'ENOENT') throw error
  return { code: 127, stdout: '', stderr: 'not found' }
}

async function python(program: string, args: readonly string[], signal?: AbortSignal): Promise<void> {
  const { code, stderr } = await run(program, args, { signal })
  if (code !== 0) throw new Error(`"${program} ${args.join(' ')}" failed:\n${stderr.trim()}`)
}
