import { once } from 'node:events'
import { copyFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { cloudPlatforms, providerIds, type SandboxPlatform } from '@portcullis/sandbox'
import type { CloudPlatformName } from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import { whenInterrupted } from '../when-interrupted.ts'
import { Cloud } from './cloud/cloud.ts'
import { mostNodes } from './layout.ts'
import { type Nodes, startNodes } from './start-nodes.ts'

const platforms = Object.keys(providerIds)

const help = `Runs a Kubernetes cluster with real nodes on this machine until Ctrl-C: kubelet, containerd and kube-proxy in
network namespaces of their own, which have no way out, with a client outside and load balancers. Nothing is kept.

Usage: npm run nodes -- [options]

  --nodes N          worker nodes, from 1 to ${mostNodes} (3)
  --platform NAME    whose machines they are, which is how Portcullis finds out where it is: ${platforms.join(', ')} (AWS)
  --kubeconfig FILE  write a copy of the admin's kubeconfig to FILE, which stays
  --help             show this text

It needs Linux, root, and the first version of cgroups; missing programs are installed from Debian's packages. The other
binaries and the images are built the first time (minutes), and kept in PORTCULLIS_CACHE (by default the user's cache
directory).`

interface Options {
  readonly help: boolean
  readonly nodes: number
  readonly platform: SandboxPlatform
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

function read(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      nodes: { type: 'string', default: '3' },
      platform: { type: 'string', default: 'AWS' },
      kubeconfig: { type: 'string' },
    },
  })
  const { help, nodes, platform, kubeconfig } = values
  if (!/^[1-9]$/.test(nodes) || Number(nodes) > mostNodes)
    throw new Error(
      `--nodes wants a number from 1 to ${mostNodes}, not "${nodes}"; --help shows the options.`,
    )
  if (!isPlatform(platform))
    throw new Error(`--platform can be ${platforms.join(', ')}, not "${platform}"; --help shows the options.`)
  return { help, nodes: Number(nodes), platform, kubeconfig }
}

function isCloud(platform: SandboxPlatform): platform is CloudPlatformName {
  return Object.hasOwn(cloudPlatforms, platform)
}

function isPlatform(name: string): name is SandboxPlatform {
  return platforms.includes(name)
}

async function runUntilInterrupted({ nodes, platform, kubeconfig }: Options): Promise<void> {
  const interrupted = whenInterrupted()
  const log = (line: string) => console.log(line)
  let running: Nodes
  try {
    running = await startNodes({ nodes, platform, log, signal: interrupted })
  } catch (error) {
    if (interrupted.aborted) return log('Interrupted; nothing is left running.')
    throw error
  }
  let cloud: Cloud | undefined
  try {
    if (isCloud(platform)) cloud = await Cloud.start(running, platform, log)
    if (kubeconfig !== undefined) await copyFile(running.kubeconfigPath, kubeconfig)
    log(instructions(running, resolve(kubeconfig ?? running.kubeconfigPath)))
    if (!interrupted.aborted) await once(interrupted, 'abort')
    log('Stopping …')
  } finally {
    await cloud?.stop()
    await running.stop()
  }
  log('Stopped; nothing is left running.')
}

function instructions({ binaries, images, coordinates }: Nodes, kubeconfig: string): string {
  const { clients } = coordinates.namespaces
  return `
Ready. In another terminal:

  export KUBECONFIG='${kubeconfig}'
  alias kubectl='${binaries.kubectl}'
  alias external='nsenter --net=/proc/${clients.External.pid}/ns/net'
  alias internal='nsenter --net=/proc/${clients.Internal.pid}/ns/net'
  kubectl get nodes --output wide

Images on every node (there is no registry): ${Object.values(images)
    .map(({ name }) => name)
    .join(', ')}
A request from a client outside, and from one inside: external curl http://IP/, internal curl http://IP/
The IPs of load balancers are printed here as they come.
Logs of kubelet, kube-proxy and containerd: ${coordinates.directory}/logs

Ctrl-C ends it.`
}
