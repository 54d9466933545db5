import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const run = promisify(execFile)

/** The task of a measured process, as JSON in its only argument. */
export interface Task {
  readonly kubeconfig: string
  readonly server: string
  readonly ca: string
  readonly token: string
  readonly count: number
  readonly concurrency: number
  readonly round: number
  /** For addresses: how often they change. */
  readonly changes?: number
  /** For watches: the version to replay events from, and how many will come. */
  readonly fromVersion?: string
  readonly events?: number
  /** For bare creations: a file that holds what to create. */
  readonly file?: string
  /** Where the benchmark has installed packages that are not ours. */
  readonly packages?: string
}

/** What every measured process prints, as JSON. */
export interface Measurement {
  readonly seconds: number
  /** Processor time of the process itself, user and system. */
  readonly cpuSeconds: number
  /** Resident memory at its end, in MB. */
  readonly residentMb: number
}

/**
 * Runs a script in a process of its own, so that none inherits the heap or the compiled code of another; built as
 * the operator is built, so that it is measured as it runs.
 */
export async function runMeasuredProcess<R = Measurement>(
  script: string,
  task: Task,
  nodeFlags: string[] = [],
): Promise<R> {
  const outfile = `dist/bench/${script.replace(/\.ts$/, '.mjs')}`
  await build({
    entryPoints: [fileURLToPath(new URL(script, import.meta.url))],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
  })
  const { stdout } = await run(process.execPath, [...nodeFlags, outfile, JSON.stringify(task)], {
    maxBuffer: 10_000_000,
  })
  return JSON.parse(stdout) as R
}

export function taskFromArguments(): Task {
  return JSON.parse(process.argv[2] ?? '') as Task
}

/** Measures the work and prints the result. */
export async function measure(work: () => Promise<void>): Promise<void> {
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  await work()
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  const residentMb = process.memoryUsage.rss() / 1e6
  console.log(
    JSON.stringify({ seconds, cpuSeconds: (user + system) / 1e6, residentMb } satisfies Measurement),
  )
}
