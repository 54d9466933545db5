import { Pod } from '@portcullis/kube'
import { Lease } from '@portcullis/kube/internal/objects/kinds.ts'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { LoadReport } from '../clusters/load/report.ts'
import type { NodeHandle } from '../clusters/real-nodes/node-handle.ts'
import { inSeconds, printFigures } from './figures.ts'
import {
  createController,
  isSettled,
  operatorNamespace,
  operatorsAreReady,
  sharedInstallation,
} from './installation.ts'
import { loadOn, openWayIn } from './way-in.ts'

const installation = sharedInstallation()
const lease = { namespace: operatorNamespace, name: 'portcullis' }

interface Leader {
  readonly identity: string
  readonly pod: string
  readonly uid: string
  readonly node: NodeHandle
}

/** The pod that holds the lease; the identity begins with its name. */
async function leader(): Promise<Leader> {
  const { client, bed } = installation()
  return eventually(async () => {
    const identity = (await client.get(Lease, lease)).spec?.holderIdentity ?? ''
    const { items } = await client.list(Pod, { namespace: operatorNamespace })
    const pod = items.find(({ metadata }) => identity.startsWith(metadata.name))
    if (pod === undefined) throw new Error(`No pod has the identity "${identity}".`)
    const { metadata, spec } = pod
    return { identity, pod: metadata.name, uid: metadata.uid, node: bed.node(spec?.nodeName ?? '') }
  }, 40_000)
}

/** Resolves when another leads, with the seconds that it took; a change of a spec is carried out by then. */
async function handOver(from: Leader, name: string): Promise<number> {
  const begun = performance.now()
  await eventually(async () => expect((await leader()).identity).not.toBe(from.identity), 60_000)
  const router = await createController(installation(), name, { type: 'Private' }, { replicas: 1 })
  await eventually(() => router.isAnswered(), 30_000)
  return (performance.now() - begun) / 1000
}

test('A leader that is cut off from the API server alone is replaced, and its node goes on with its requests', async () => {
  const network = { type: 'AWS', aws: { type: 'NLB' } }
  const loadBalancer = { scope: 'External', providerParameters: network }
  const strategy = { type: 'LoadBalancerService', loadBalancer }
  const router = await createController(installation(), 'cut-off', strategy, { replicas: 3 })
  await isSettled(router)
  const load = await loadOn(await openWayIn(installation(), router, 'LoadBalancerService'))
  const before = await leader()
  const answersOfItsNode = () => Object.values(load.snapshot().targets)[0]?.nodes[before.node.name] ?? 0
  await before.node.cutOffFromApiServer()
  const answersUntilThen = answersOfItsNode()
  let seconds: number
  let meanwhile: LoadReport
  try {
    seconds = await handOver(before, 'after-cut-off')
    meanwhile = load.snapshot()
  } finally {
    await before.node.reconnectToApiServer()
  }
  await before.node.becomes('Ready')
  await isSettled(router)
  await operatorsAreReady(installation().bed)
  const { targets, lost } = await load.stop()
  expect(meanwhile.lost, JSON.stringify(meanwhile, null, 1)).toBe(0)
  expect(Object.values(meanwhile.targets)[0]?.nodes[before.node.name]).toBeGreaterThan(answersUntilThen)
  // The lease runs for 15 seconds.
  expect(seconds).toBeLessThan(30)
  // Back again, its kube-proxy hears that the router was called unready with its node, and drops what comes until the load balancer
  // has asked twice: that is Kubernetes' doing.
  const spans = Object.values(targets).flatMap((target) => target.spans)
  expect(spans.length, JSON.stringify(targets, null, 1)).toBeLessThanOrEqual(1)
  for (const { begin, end } of spans) expect(end - begin).toBeLessThan(8_000)
  printFigures(
    'The leader is cut off from the API server',
    `another leads after ${inSeconds(seconds)}`,
    `${meanwhile.lost} requests lost meanwhile`,
    `${lost} when its node comes back and is not ready yet`,
  )
})

test('A leader that is killed is replaced when its lease is over', async () => {
  const before = await leader()
  const { stdout } = await before.node.run('pgrep', '--full', 'portcullis.mjs')
  const pids = stdout.split('\n').filter(Boolean)
  expect(pids.length).toBeGreaterThan(0)
  await before.node.run('kill', '-KILL', ...pids)
  const seconds = await handOver(before, 'after-kill')
  // The lease runs for 15 seconds.
  expect(seconds).toBeLessThan(25)
  printFigures('The leader is killed', `another leads after ${inSeconds(seconds)}`)
})

test('A leader whose pod is deleted hands over within seconds', async () => {
  const { client } = installation()
  const before = await leader()
  const begun = performance.now()
  await client.delete(Pod, { namespace: operatorNamespace, name: before.pod })
  onTestFinished(() => operatorsAreReady(installation().bed))
  const seconds = await handOver(before, 'after-end')
  expect((performance.now() - begun) / 1000).toBeLessThan(10)
  printFigures('The pod of the leader is deleted', `another leads after ${inSeconds(seconds)}`)
})
