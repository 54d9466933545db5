import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDirectory } from '../clusters/cache.ts'
import { build, builtOnce } from '../clusters/go-build.ts'
import { type CommandResult, run } from '../clusters/run-command.ts'

/** Where the real Helm is, which is built from its module: minutes the first time, nothing afterwards. */
export async function helmDirectory(): Promise<string> {
  const module = fileURLToPath(new URL('../clusters/go/helm', import.meta.url))
  const source = { module, ldflags: '-s -w', packages: 'tool' } as const
  const buildCache = { cache: cacheDirectory(process.env), name: 'helm', builds: [source] }
  return builtOnce(buildCache, (into) => build(source, 'Helm', into, console.log, undefined))
}

export async function helm(...args: string[]): Promise<CommandResult> {
  return run(join(await helmDirectory(), 'helm'), args)
}
