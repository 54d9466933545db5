import { type ChildProcess, spawn } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import type { Clock } from '../clock.ts'
import type { Environment } from './environment.ts'
import { type ConfigLocation, describeLocation, KubeconfigError } from './kubeconfig-error.ts'

/** The first is the one to use today. */
export const pluginApiVersions: readonly string[] = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
]

export const interactiveModes = ['Never', 'IfAvailable', 'Always'] as const
export type InteractiveMode = (typeof interactiveModes)[number]

/** A program that prints credentials when asked, as a kubeconfig describes it. */
export interface ExecPlugin {
  readonly location: ConfigLocation
  /** A name to look up on PATH, or an absolute path. */
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly apiVersion: string
  readonly interactiveMode: InteractiveMode
  readonly provideClusterInfo: boolean
  readonly installHint?: string
}

/** What a plugin gets to know about the cluster; the names are those of the ExecCredential API. */
export interface ExecCluster {
  readonly server: string
  readonly 'tls-server-name'?: string
  readonly 'insecure-skip-tls-verify'?: boolean
  readonly 'certificate-authority-data'?: string
  readonly 'proxy-url'?: string
  readonly 'disable-compression'?: boolean
  readonly config?: unknown
}

/** A plugin that runs for so long is stuck. A login in a browser takes minutes. */
const timeoutMs = 5 * 60_000

/** How much of a plugin's stderr is shown; the cause is at its end. */
const shownStderr = 2_000

export interface PluginRun {
  readonly plugin: ExecPlugin
  readonly cluster: ExecCluster
  readonly environment: Environment
  readonly clock: Clock
}

/** Runs the plugin once; gives what it printed. Aborting the signal ends the process. */
export async function runExecPlugin(run: PluginRun, signal: AbortSignal): Promise<string> {
  const { plugin, environment, clock } = run
  const isInteractive = mayAsk(plugin, environment)
  return new Promise((resolve, reject) => {
    const child = spawn(plugin.command, plugin.args, {
      env: { ...environment.env, ...plugin.env, KUBERNETES_EXEC_INFO: execInfo(run, isInteractive) },
      stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
    })
    const output = collectOutput(child, environment)
    // A user may take their time; a plugin that is not interactive may not.
    const cancelTimeout = isInteractive
      ? () => {}
      : clock.after(timeoutMs, () => {
          giveUp(
            pluginError(plugin, `has not finished within ${timeoutMs / 60_000} minutes`, output.stderr()),
          )
        })
    const onAbort = () => giveUp(signal.reason as Error)
    const settled = () => {
      cancelTimeout()
      signal.removeEventListener('abort', onAbort)
    }
    const giveUp = (reason: Error) => {
      settled()
      endProcess(child)
      reject(reason)
    }
    child.once('error', (error) => {
      settled()
      reject(pluginError(plugin, whyNotStarted(plugin, error), ''))
    })
    child.once('close', (code, killedBy) => {
      settled()
      if (code === 0) resolve(output.stdout())
      else reject(pluginError(plugin, howItEnded(code, killedBy), output.stderr()))
    })
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}

/** Names the plugin by its command alone: arguments and environment may hold secrets. */
export function pluginError(plugin: ExecPlugin, what: string, stderr: string): KubeconfigError {
  const sentence = `${describeLocation(plugin.location)}: the credential plugin "${plugin.command}" ${what}`
  return new KubeconfigError([stderr === '' ? sentence : `${sentence}; it said:\n${stderr}`])
}

/** Whether the plugin gets standard input. */
function mayAsk(plugin: ExecPlugin, { isTerminal }: Environment): boolean {
  if (plugin.interactiveMode === 'Never') return false
  if (plugin.interactiveMode === 'IfAvailable' || isTerminal) return isTerminal
  throw pluginError(
    plugin,
    'must be able to ask a person (interactiveMode: Always), but standard input is not a terminal; run this in a terminal, or use credentials that need nobody',
    '',
  )
}

function execInfo({ plugin, cluster }: PluginRun, interactive: boolean): string {
  return JSON.stringify({
    kind: 'ExecCredential',
    apiVersion: plugin.apiVersion,
    spec: { ...(plugin.provideClusterInfo && { cluster }), interactive },
  })
}

function collectOutput(child: ChildProcess, environment: Environment) {
  const stdout: Buffer[] = []
  let stderr = Buffer.alloc(0)
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => {
    environment.stderr?.write(chunk)
    stderr = Buffer.concat([stderr, chunk]).subarray(-2 * shownStderr)
  })
  return {
    stdout: () => Buffer.concat(stdout).toString('utf8'),
    stderr: () => endOf(stripVTControlCharacters(stderr.toString('utf8')).trim()),
  }
}

function endOf(text: string): string {
  return text.length <= shownStderr ? text : `… ${text.slice(-shownStderr)}`
}

/** Lets go of the pipes too: what the plugin may have started itself could hold them open. */
function endProcess(child: ChildProcess): void {
  child.kill('SIGTERM')
  child.stdout?.destroy()
  child.stderr?.destroy()
}

function whyNotStarted(plugin: ExecPlugin, error: NodeJS.ErrnoException): string {
  if (error.code === 'EACCES')
    return 'may not be executed (EACCES); make it executable, for example with chmod +x'
  if (error.code !== 'ENOENT') return `cannot be started: ${error.code ?? error.message}`
  const where = plugin.command.includes('/') ? 'does not exist' : 'was not found on PATH'
  const hint = plugin.installHint ?? 'install it, or correct the command'
  return `${where}; ${stripVTControlCharacters(hint)}`
}

function howItEnded(code: number | null, killedBy: NodeJS.Signals | null): string {
  return code === null ? `was killed by ${killedBy ?? 'a signal'}` : `failed with exit code ${code}`
}
