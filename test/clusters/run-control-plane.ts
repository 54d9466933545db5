import { once } from 'node:events'
import { copyFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type ControlPlane, startControlPlane } from './control-plane.ts'

const help = `Runs a real Kubernetes control plane on this machine until Ctrl-C: etcd, kube-apiserver,
kube-controller-manager and kube-scheduler, with nodes and pods played by kwok. Loopback only; nothing is kept.

Usage: npm run control-plane -- [options]

  --nodes N          worker nodes (3)
  --kubeconfig FILE  write a copy of the admin's kubeconfig to FILE, which stays
  --help             show this text

The binaries are built from source with Go the first time (minutes), and kept in PORTCULLIS_CACHE
(by default the user's cache directory).`

interface Options {
  readonly help: boolean
  readonly nodes: number
  readonly kubeconfig: string | undefined
}

process.exitCode = await main(process.argv.slice(2))

async function main(args: string[]): Promise<number> {
  try {
    const options = read(args)
    if (options.help) console.log(help)
    else await runUntilInterrupted(options)
    return 0
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  }
}

function log(line: string): void {
  console.log(line)
}

function read(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      nodes: { type: 'string', default: '3' },
      kubeconfig: { type: 'string' },
    },
  })
  if (!/^\d{1,4}$/.test(values.nodes)) {
    throw new Error(`--nodes wants a number from 0 to 9999, not "${values.nodes}"; --help shows the options.`)
  }
  return { help: values.help, nodes: Number(values.nodes), kubeconfig: values.kubeconfig }
}

async function runUntilInterrupted({ nodes, kubeconfig }: Options): Promise<void> {
  const interrupted = whenInterrupted()
  let plane: ControlPlane
  try {
    plane = await startControlPlane({ nodes, log, signal: interrupted })
  } catch (error) {
    if (interrupted.aborted) return log('Interrupted; nothing is left running.')
    throw error
  }
  try {
    if (kubeconfig !== undefined) await copyFile(plane.kubeconfigPath, kubeconfig)
    log(instructions(plane, resolve(kubeconfig ?? plane.kubeconfigPath)))
    if (!interrupted.aborted) await once(interrupted, 'abort')
    log('Stopping …')
  } finally {
    await plane.stop()
  }
  log('Stopped; nothing is left running.')
}

function instructions({ server, binaries }: ControlPlane, kubeconfig: string): string {
  return `
Ready: ${server}. In another terminal:

  export KUBECONFIG='${kubeconfig}'
  alias kubectl='${binaries.kubectl}'
  kubectl get nodes
  kubectl create deployment hello --image=hello --replicas=3

Ctrl-C ends it.`
}

/** The first Ctrl-C asks; a second one ends at once, and the watchdog clears up. */
function whenInterrupted(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => controller.abort(new Error(`Interrupted by ${signal}.`)))
  }
  return controller.signal
}
