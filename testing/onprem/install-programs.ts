import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDirectory } from '../clusters/cache.ts'
import { build, builtOnce } from '../clusters/go-build.ts'
import { run } from '../clusters/run-command.ts'

/** The real programs that on-premises nodes and load balancers run, as paths. */

/** A program of Debian, such as haproxy, keepalived, nginx or dig; it is installed where it is missing and we may. */
export async function debianProgram(name: string, packageName = name): Promise<string> {
  const found = await programNamed(name)
  if (found !== undefined) return found
  if (process.getuid?.() !== 0)
    throw new Error(`There is no ${name} here; run "apt-get install ${packageName}" as root.`)
  await installDebianPackage(packageName)
  const program = await programNamed(name)
  if (program === undefined) throw new Error(`Debian's package ${packageName} has no program called ${name}.`)
  return program
}

/** As root. Brings the lists of packages up to date only where that is needed. */
export async function installDebianPackage(packageName: string): Promise<void> {
  const installed = await aptGet('install', '--yes', '--no-install-recommends', packageName)
  if (installed.code === 0) return
  await aptGet('update')
  const { code, stderr } = await aptGet('install', '--yes', '--no-install-recommends', packageName)
  if (code !== 0) throw new Error(`"apt-get install ${packageName}" failed:\n${stderr.trim()}`)
}

/** CoreDNS, with the plugins that testing/clusters/go/coredns names. Half a minute the first time, nothing afterwards. */
export async function coredns(): Promise<string> {
  const module = fileURLToPath(new URL('../clusters/go/coredns', import.meta.url))
  const source = { module, ldflags: '-s -w', packages: '.' } as const
  const buildCache = { cache: cacheDirectory(process.env), name: 'coredns', builds: [source] }
  const directory = await builtOnce(buildCache, (into) =>
    build(source, 'CoreDNS', into, console.log, undefined),
  )
  return join(directory, 'coredns')
}

/** No service is started: tests start what they need, where they need it. Others may be installing, too. */
function aptGet(...args: string[]) {
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  return run('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], { env })
}

async function programNamed(name: string): Promise<string | undefined> {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
  for (const directory of directories) {
    const path = join(directory, name)
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return path
  }
  return undefined
}
