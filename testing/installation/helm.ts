import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDirectory } from '../clusters/cache.ts'
import { build, builtOnce } from '../clusters/go-build.ts'
import { type CommandResult, run } from '../clusters/run-command.ts'

/** Runs the real Helm, which is built from its module: minutes the first time, nothing afterwards. */
export async function helm(...args: string[]): Promise<CommandResult> {
  const module = fileURLToPath(new URL('../clusters/go/helm', import.meta.url))
  const source = { module, ldflags: '-s -w', packages: 'tool' } as const
  const buildCache = { cache: cacheDirectory(process.env), name: 'helm', builds: [source] }
  const directory = await builtOnce(buildCache, (into) => build(source, 'Helm', into, console.log, undefined))
  return run(join(directory, 'helm'), args)
}
