import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { mustInside } from '../clusters/inside.ts'
import { asProcessOf, ownerOf, removeAbandoned } from '../clusters/real-nodes/bed-directory.ts'
import { requireNoWayOut, waysOutOf } from '../clusters/real-nodes/isolation.ts'
import { kernelSettings } from '../clusters/real-nodes/kernel-settings.ts'
import { sharedNodes } from '../clusters/real-nodes/shared-nodes.ts'
import { run } from '../clusters/run-command.ts'
import { NetworkNamespace } from '../onprem/network-namespace.ts'
import { podOn } from './pods.ts'

const { bed, images, kernelSettings: settingsBefore } = sharedNodes()

test('Three nodes are ready, each with a kubelet, a containerd and addresses of both families', async () => {
  const { stdout } = await bed.kubectl(['get', 'nodes', '--output=json'])
  const { items } = JSON.parse(stdout) as { items: NodeObject[] }
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['node-a', 'node-b', 'node-c'])
  for (const { status } of items) {
    expect(status.nodeInfo.containerRuntimeVersion).toMatch(/^containerd:/)
    expect(status.addresses.filter(({ type }) => type === 'InternalIP')).toHaveLength(2)
  }
})

interface NodeObject {
  readonly metadata: { readonly name: string }
  readonly status: {
    readonly nodeInfo: { readonly containerRuntimeVersion: string }
    readonly addresses: readonly { readonly type: string }[]
  }
}

test('Containers run on every node, and nothing has a way out of the machine', async () => {
  for (const { name } of bed.nodes) await podOn(bed, name, images.pause.name)
  // A pod that is about to start has a cable before it has a process.
  await eventually(async () => {
    expect(await waysOutOf(bed.coordinates.bed, asProcessOf(bed.coordinates.bed))).toEqual([])
  })
})

test('A cable that leads out of the bed is found, and named', async () => {
  const elsewhere = await NetworkNamespace.make()
  onTestFinished(() => elsewhere.remove())
  const { pid } = bed.coordinates.namespaces.clients.External
  await elsewhere.must(
    'ip',
    'link',
    'add',
    'leak',
    'type',
    'veth',
    'peer',
    'name',
    'leak',
    'netns',
    String(pid),
  )
  onTestFinished(async () => {
    await mustInside(bed.insideClient('External'), 'ip', ['link', 'delete', 'leak'])
  })
  // Pods of the test before may be about to end, and have a cable without a process.
  const [found] = await eventually(async () => {
    const ways = await waysOutOf(bed.coordinates.bed, asProcessOf(bed.coordinates.bed))
    expect(ways).toHaveLength(1)
    return ways
  })
  expect(found).toContain('leak is a cable to a namespace that is not one of these')
  await expect(requireNoWayOut(bed.coordinates.bed, asProcessOf(bed.coordinates.bed))).rejects.toThrow(
    `Packets of the bed could leave the machine.\n${found}`,
  )
})

test('A process of a node that is in the network of the machine is found, and named', async () => {
  const { bed: name } = bed.coordinates
  const [command, args] = asProcessOf(`${name}/node-a`)('sleep', ['60'])
  const stray = spawn(command, args, { stdio: 'ignore' })
  const ended = once(stray, 'exit')
  onTestFinished(async () => {
    stray.kill('SIGKILL')
    await ended
  })
  await eventually(async () => {
    expect(await waysOutOf(name, asProcessOf(name))).toEqual([
      `process ${stray.pid} is in the network namespace of the machine itself`,
    ])
  })
})

test('What a node reads of the machine cannot be written by root on the node', async () => {
  const directories = [bed.coordinates.binaries.kubelet, images.pause.archive].map((path) => dirname(path))
  for (const directory of directories) {
    const { code, stderr } = await bed.node('node-a').run('touch', `${directory}/written-by-a-node`)
    expect(stderr).toContain('Read-only file system')
    expect(code).toBe(1)
  }
})

test('Nodes change no setting of the machine', async () => {
  expect(await kernelSettings()).toEqual(settingsBefore)
})

test('A kubelet that is killed comes back, and its containers run on', async () => {
  const node = bed.node('node-b')
  const { containerId } = await podOn(bed, node.name, images.pause.name)
  expect(await node.killService('kubelet')).toBe(true)
  await eventually(async () => expect(await node.killService('kubelet')).toBe(true))
  await eventually(async () => expect(await node.isReady()).toBe(true), 30_000)
  const { stdout } = await node.run('ctr', '--namespace', 'k8s.io', 'tasks', 'list', '--quiet')
  expect(stdout).toContain(containerId)
})

test('A node that loses its power is noticed, and its containers start again when it boots', async () => {
  const node = bed.node('node-c')
  const { containerId, name } = await podOn(bed, node.name, images.pause.name)
  await node.kill()
  await expect(node.run('true')).rejects.toThrow('node-c is not running')
  await expect(node.kill()).rejects.toThrow('node-c is not running')
  await node.becomes('NotReady')
  await node.boot()
  await expect(node.boot()).rejects.toThrow('node-c is running already')
  await node.becomes('Ready')
  await eventually(async () => {
    const path = '{.status.containerStatuses[0].containerID}'
    const { stdout } = await bed.kubectl(['get', 'pod', name, `--output=jsonpath=${path}`])
    expect(stdout).toMatch(/^containerd:/)
    expect(stdout).not.toContain(containerId)
  }, 60_000)
})

test('A node that is cut off from the API server alone still answers a client', async () => {
  const node = bed.node('node-a')
  const program = await node.startProcess(
    'python3',
    '-m',
    'http.server',
    '8085',
    '--directory',
    '/usr/share/common-licenses',
  )
  onTestFinished(() => program.stop())
  const ask = () =>
    mustInside(bed.insideClient('External'), 'curl', ['-sSf', '-m', '2', `http://${node.ipv4}:8085/`])
  await eventually(ask)
  await node.cutOffFromApiServer()
  try {
    await node.becomes('NotReady')
    await ask()
  } finally {
    await node.reconnectToApiServer()
  }
  await node.becomes('Ready')
})

const script = fileURLToPath(new URL('../clusters/real-nodes/run-nodes.ts', import.meta.url))

/** `npm run nodes`, with one node, up to where it prints this; it is ready unless told otherwise. */
async function anotherBed(
  until = 'Ctrl-C ends it.',
): Promise<{ readonly child: ChildProcess; readonly name: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', script, '--nodes', '1'], { stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  await eventually(() => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`It ended with ${child.signalCode ?? child.exitCode}:\n${output}`)
    expect(output).toContain(until)
  }, 90_000)
  const { pid } = child
  const names = (await readdir(tmpdir())).filter((name) => ownerOf(name)?.pid === pid)
  // Others may start beds beside these tests: it has to be the child's own.
  expect(names).toHaveLength(1)
  return { child, name: String(names[0]) }
}

async function leftOf(name: string): Promise<readonly string[]> {
  const hierarchies = await readdir('/sys/fs/cgroup')
  const paths = [
    `${tmpdir()}/${name}`,
    ...hierarchies.map((hierarchy) => `/sys/fs/cgroup/${hierarchy}/${name}`),
  ]
  const found = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => [path],
        () => [],
      ),
    ),
  )
  return found.flat()
}

test('Ctrl-C ends a bed within fifteen seconds, and leaves nothing behind', async () => {
  const { child, name } = await anotherBed()
  expect(await leftOf(name)).not.toEqual([])
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(15_000) })
  child.kill('SIGINT')
  expect(await ended).toEqual([0, null])
  expect(await leftOf(name)).toEqual([])
})

test.each(['Starting a control plane', 'Waiting for the nodes'])(
  'Ctrl-C at "%s" ends the start of a bed within fifteen seconds, and leaves nothing behind',
  async (moment) => {
    const { child, name } = await anotherBed(moment)
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(15_000) })
    child.kill('SIGINT')
    expect(await ended).toEqual([0, null])
    expect(await leftOf(name)).toEqual([])
  },
)

test('A bed whose process is killed is removed all the same', async () => {
  const { child, name } = await anotherBed()
  child.kill('SIGKILL')
  await eventually(async () => expect(await leftOf(name)).toEqual([]), 15_000)
})

test('What a bed left whose watchdog was killed too is removed by the next start, which spares the living', async () => {
  const { child, name } = await anotherBed()
  const watchdog = await watchdogOf(name)
  process.kill(watchdog, 'SIGKILL')
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await leftOf(name)).not.toEqual([])
  await removeAbandoned()
  expect(await leftOf(name)).toEqual([])
  expect(await bed.node('node-a').isReady()).toBe(true)
})

async function watchdogOf(name: string): Promise<number> {
  const { stdout } = await run('pgrep', ['--full', `portcullis-nodes ${name}`])
  const pids = stdout.split('\n').filter(Boolean).map(Number)
  const [pid = 0] = pids
  // Signals to 0 reach the whole group of this process, and those to 1 the machine.
  if (pids.length !== 1 || !(pid > 1))
    throw new Error(`The bed ${name} has one watchdog, and pgrep found: "${stdout.trim()}".`)
  return pid
}
