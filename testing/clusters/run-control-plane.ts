import { once } from 'node:events'
import { copyFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type AwsCoordinates, startAwsCluster } from './aws/aws-cluster.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { whenInterrupted } from './when-interrupted.ts'

const help = `Runs a real Kubernetes control plane on this machine until Ctrl-C: etcd, kube-apiserver,
kube-controller-manager and kube-scheduler, with nodes and pods played by kwok. Loopback only; nothing is kept.

Usage: npm run control-plane -- [options]

  --nodes N          worker nodes (3)
  --cloud aws        with AWS' own cloud controller manager, on an AWS that is played by moto (needs Python 3.11
                     too); the nodes are then two instances there
  --kubeconfig FILE  write a copy of the admin's kubeconfig to FILE, which stays
  --help             show this text

The binaries are built from source with Go the first time (minutes), and kept in PORTCULLIS_CACHE
(by default the user's cache directory).`

interface Options {
  readonly help: boolean
  readonly nodes: number
  readonly cloud: 'aws' | undefined
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
      nodes: { type: 'string' },
      cloud: { type: 'string' },
      kubeconfig: { type: 'string' },
    },
  })
  const { help, nodes = '3', cloud, kubeconfig } = values
  if (!/^\d{1,4}$/.test(nodes)) {
    throw new Error(`--nodes wants a number from 0 to 9999, not "${nodes}"; --help shows the options.`)
  }
  if (cloud !== undefined && cloud !== 'aws') {
    throw new Error(`--cloud can be "aws" only, not "${cloud}"; without it there is none.`)
  }
  if (cloud !== undefined && values.nodes !== undefined) {
    throw new Error('--nodes and --cloud exclude each other: in the cloud the nodes are its two instances.')
  }
  return { help, nodes: Number(nodes), cloud, kubeconfig }
}

/** What runs until it is stopped, and what to print about it. */
interface Running {
  readonly plane: ControlPlane
  readonly more: string
  stop(): Promise<void>
}

async function start({ nodes, cloud }: Options, signal: AbortSignal): Promise<Running> {
  if (cloud === undefined) {
    const plane = await startControlPlane({ nodes, log, signal })
    return { plane, more: '', stop: () => plane.stop() }
  }
  const cluster = await startAwsCluster({ log, signal })
  return {
    plane: cluster.plane,
    more: aboutAws(cluster.coordinates),
    stop: () => cluster.stop(),
  }
}

async function runUntilInterrupted(options: Options): Promise<void> {
  const { kubeconfig } = options
  const interrupted = whenInterrupted()
  let running: Running
  try {
    running = await start(options, interrupted)
  } catch (error) {
    if (interrupted.aborted) return log('Interrupted; nothing is left running.')
    throw error
  }
  const { plane, more } = running
  try {
    if (kubeconfig !== undefined) await copyFile(plane.kubeconfigPath, kubeconfig)
    log(instructions(plane, resolve(kubeconfig ?? plane.kubeconfigPath), more))
    if (!interrupted.aborted) await once(interrupted, 'abort')
    log('Stopping …')
  } finally {
    await running.stop()
  }
  log('Stopped; nothing is left running.')
}

function instructions({ server, binaries }: ControlPlane, kubeconfig: string, more: string): string {
  return `
Ready: ${server}. In another terminal:

  export KUBECONFIG='${kubeconfig}'
  alias kubectl='${binaries.kubectl}'
  kubectl get nodes
  kubectl create deployment hello --image=hello --replicas=3
${more}
Ctrl-C ends it.`
}

function aboutAws({ emulator, control }: AwsCoordinates): string {
  return `  kubectl create service loadbalancer hello --tcp=80
  kubectl get service hello --watch

AWS is played at ${emulator}. Calls of its cloud controller manager can be made to fail, and be looked at:

  curl -X PUT ${control}/faults/mine -d '{"action": "CreateLoadBalancer", "fault": {"type": "denied"}}'
  curl -X DELETE ${control}/faults/mine
  curl ${control}/calls
`
}
