import { expect, onTestFinished, test } from 'vitest'
import type { Load } from '../clusters/load/load.ts'
import { lostIn, requestsIn } from '../clusters/load/report.ts'
import type { Router } from '../e2e/router.ts'
import { printFigures } from './figures.ts'
import {
  createController,
  install,
  isSettled,
  must,
  operatorNamespace,
  operatorsAreReady,
  sharedInstallation,
} from './installation.ts'
import { loadOn, openWayIn } from './way-in.ts'

const installation = sharedInstallation()

const network = { type: 'AWS', aws: { type: 'NLB' } }
const strategies = [
  { type: 'LoadBalancerService', loadBalancer: { scope: 'External', providerParameters: network } },
  { type: 'HostNetwork', hostNetwork: { httpPort: 8200, httpsPort: 8201, statsPort: 8202 } },
  { type: 'NodePortService' },
  { type: 'Private' },
] as const

/** A controller of each strategy, with requests on its way in until they are stopped. */
async function everyStrategyUnderLoad(prefix: string) {
  const controllers = await Promise.all(
    strategies.map(async (strategy) => {
      const name = `${prefix}-${strategy.type.toLowerCase()}`
      return { router: await createController(installation(), name, strategy), type: strategy.type }
    }),
  )
  await Promise.all(controllers.map(({ router }) => isSettled(router)))
  const loads = await Promise.all(
    controllers.map(async ({ router, type }) => loadOn(await openWayIn(installation(), router, type))),
  )
  return { routers: controllers.map(({ router }) => router), loads }
}

async function expectNoLoss(story: string, loads: readonly Load[]): Promise<void> {
  const reports = await Promise.all(loads.map((load) => load.stop()))
  printFigures(story, `${requestsIn(reports)} requests`, `${lostIn(reports)} lost`)
  expect(lostIn(reports), JSON.stringify(reports, null, 1)).toBe(0)
}

const allSettle = (routers: readonly Router[]) => Promise.all(routers.map((router) => isSettled(router)))

test('No request is lost while each node is drained in turn', { retry: 0 }, async () => {
  const { bed } = installation()
  const { routers, loads } = await everyStrategyUnderLoad('drain')
  onTestFinished(async () => {
    for (const node of bed.nodes) await node.uncordon()
  })
  for (const node of bed.nodes) {
    await node.drain()
    await node.uncordon()
    await allSettle(routers)
  }
  await expectNoLoss('Each node is drained in turn', loads)
})

test('No request is lost while the number of routers and the image change, and the operator is rolled out anew', {
  retry: 0,
}, async () => {
  const { bed, images } = installation()
  const { routers, loads } = await everyStrategyUnderLoad('change')
  for (const replicas of [3, 2]) {
    for (const router of routers) await router.changeSpec({ replicas })
    await allSettle(routers)
  }
  // Other settings start other operators; those start routers of another image.
  await install(bed, images, '--platform=AWS', `--router-image=${images.routerNext.name}`)
  await allSettle(routers)
  await must(bed, ['rollout', 'restart', 'deployment/portcullis', `--namespace=${operatorNamespace}`])
  await operatorsAreReady(bed)
  await allSettle(routers)
  await expectNoLoss('The number of routers changes, then routers and operators are rolled out anew', loads)
})
