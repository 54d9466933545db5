import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { parseEchoedRequest } from '../clusters/load/echoed-request.ts'
import { request } from '../clusters/load/load.ts'
import type { Router } from '../e2e/router.ts'
import { createController, install, isSettled, operandNamespace, sharedInstallation } from './installation.ts'

const installation = sharedInstallation()

const ports = (first: number) => ({ httpPort: first, httpsPort: first + 1, statsPort: first + 2 })

function onHost(name: string, hostNetwork: object, spec: object = {}): Promise<Router> {
  return createController(
    installation(),
    name,
    { type: 'HostNetwork', hostNetwork },
    { replicas: 3, ...spec },
  )
}

/** The pod that answers at a port of a node. */
async function podAt(ip: string, port: number): Promise<string | undefined> {
  const inside = installation().bed.insideClient('External')
  const reply = await request({ inside, url: `http://${ip}:${port}/` })
  return parseEchoedRequest(reply.body ?? '').pod
}

test('Two controllers share all nodes, each on ports of its own, and a third on the same ports is reported with their user', async () => {
  const { bed } = installation()
  const one = await onHost('one', ports(8020))
  const two = await onHost('two', ports(8030))
  await Promise.all([isSettled(one), isSettled(two)])
  for (const { ipv4 } of bed.nodes) {
    expect(await podAt(ipv4, 8020)).toMatch(/^router-one-/)
    expect(await podAt(ipv4, 8030)).toMatch(/^router-two-/)
  }

  const three = await onHost('three', { ...ports(8040), httpPort: 8030 })
  const { message } = await three.reports(
    'PodsScheduled',
    { status: 'False', reason: 'PortConflict' },
    60_000,
  )
  expect(message).toContain('8030')
  expect(message).toMatch(/node-[abc]/)
  expect(message).toContain('two')
  await three.reports('Available', { status: 'False' })
  for (const { ipv4 } of bed.nodes) expect(await podAt(ipv4, 8030)).toMatch(/^router-two-/)
})

/** Programs that are no pods, on a port of every node, until the test is over. */
async function holdOnEveryNode(port: number): Promise<void> {
  for (const node of installation().bed.nodes) {
    const program = await node.startProcess(
      'python3',
      '-m',
      'http.server',
      String(port),
      '--directory',
      '/etc/cni',
    )
    onTestFinished(() => program.stop())
    await eventually(async () =>
      expect((await node.run('ss', '--no-header', '-ltn', `sport = :${port}`)).stdout).toContain(`:${port}`),
    )
  }
}

test('A port that a program on the nodes has, which is no pod, is named with the node', async () => {
  await holdOnEveryNode(80)
  const router = await onHost('taken', { ...ports(8050), httpPort: 80 })
  const { message } = await router.reports('PodsStarted', { status: 'False', reason: 'PortInUse' }, 90_000)
  expect(message).toMatch(/\b80\b/)
  expect(message).toMatch(/node-[abc]/)
  await router.reports('Available', { status: 'False' })
})

test('A router that goes on without its port, and ends with exit code 0, is reported with the command that finds who has it', async () => {
  const { bed, images } = installation()
  await install(bed, images, '--platform=AWS', `--router-image=${images.routerKeepsGoing.name}`)
  onTestFinished(() => install(bed, images, '--platform=AWS'))
  await holdOnEveryNode(80)
  const router = await onHost('goes-on', { ...ports(8060), httpPort: 80 })
  // Its startup probe gives it two minutes.
  const { message } = await router.reports('PodsStarted', { status: 'False', reason: 'RouterFails' }, 280_000)
  const [, node, command] = /on node (node-[abc]) .*run `(ss [^`]*)` on the node/.exec(message ?? '') ?? []
  const found = await bed.node(node ?? '').run('sh', '-c', command ?? '')
  expect(found.stdout, message).toMatch(/:80\b.*python3/)
  await router.reports('Available', { status: 'False' })
  const { stdout } = await bed.kubectl([
    'get',
    'pods',
    `--namespace=${operandNamespace}`,
    '--selector=ingresscontroller.operator.openshift.io/deployment-ingresscontroller=goes-on',
    '--output=jsonpath={.items[*].status.containerStatuses[0].lastState.terminated.exitCode}',
  ])
  expect(stdout).toMatch(/^0( 0)*$/)
})
