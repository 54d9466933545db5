import { setTimeout as pause } from 'node:timers/promises'
import { Ingress, Service } from '@portcullis/kube'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { LoadReport } from '../clusters/load/report.ts'
import type { Router } from '../e2e/router.ts'
import { inSeconds, printFigures } from './figures.ts'
import { createController, isSettled, sharedInstallation } from './installation.ts'
import { loadOn, openWayIn } from './way-in.ts'

const installation = sharedInstallation()
const network = { type: 'AWS', aws: { type: 'NLB' } }

/** An Ingress of a controller's class; its addresses, as they change, one line for each state. */
async function watchedIngress(
  router: Router,
): Promise<{ readonly history: string[]; stop(): Promise<void> }> {
  const { client } = installation()
  const ref = { namespace: 'default', name: `of-${router.name}` }
  await client.create(Service, { metadata: ref, spec: { ports: [{ port: 80 }] } })
  const rules = [
    {
      host: `app.${router.name}.example.com`,
      http: {
        paths: [
          { path: '/', pathType: 'Prefix', backend: { service: { name: ref.name, port: { number: 80 } } } },
        ],
      },
    },
  ]
  await client.create(Ingress, {
    metadata: ref,
    spec: { ingressClassName: `portcullis-${router.name}`, rules },
  })
  onTestFinished(async () => {
    await client.delete(Ingress, ref)
    await client.delete(Service, ref)
  })
  const history: string[] = []
  const over = new AbortController()
  const watching = (async () => {
    while (!over.signal.aborted) {
      const ingress = await client.get(Ingress, ref).catch(() => undefined)
      await pause(200)
      if (ingress === undefined) continue
      const addresses = (ingress.status?.loadBalancer?.ingress ?? [])
        .map(({ ip, hostname }) => ip ?? hostname)
        .join(' ')
      if (addresses !== history.at(-1)) history.push(addresses)
    }
  })()
  return {
    history,
    stop: async () => {
      over.abort()
      await watching
    },
  }
}

test('A node that dies loses its traffic and its addresses in time, and gets them back once', async () => {
  const { bed } = installation()
  const hostNetwork = { httpPort: 8300, httpsPort: 8301, statsPort: 8302 }
  const balanced = await createController(
    installation(),
    'balanced',
    { type: 'LoadBalancerService', loadBalancer: { scope: 'External', providerParameters: network } },
    { replicas: 3 },
  )
  const onHosts = await createController(
    installation(),
    'on-hosts',
    { type: 'HostNetwork', hostNetwork },
    { replicas: 3 },
  )
  await Promise.all([isSettled(balanced), isSettled(onHosts)])
  const [ofBalanced, ofHosts] = [await watchedIngress(balanced), await watchedIngress(onHosts)]
  await eventually(() => expect(ofHosts.history.at(-1)?.split(' ')).toHaveLength(6))
  await eventually(() => expect(ofBalanced.history.at(-1)).not.toBe(''))
  const all = ofHosts.history.at(-1)
  const loads = await Promise.all([
    loadOn(await openWayIn(installation(), balanced, 'LoadBalancerService'), { timeoutMs: 1_000 }),
    loadOn(await openWayIn(installation(), onHosts, 'HostNetwork'), { timeoutMs: 1_000 }),
  ])
  const dead = bed.node('node-b')

  for (const load of loads)
    await eventually(() => expect(Object.values(load.snapshot().targets)[0]?.nodes).toHaveProperty(dead.name))
  let isDead = true
  onTestFinished(() => (isDead ? dead.boot() : undefined))
  const killedAt = Date.now()
  await dead.kill()
  await eventually(() => expect(ofHosts.history.at(-1)).not.toContain(dead.ipv4), 30_000)
  const leftAfterMs = Date.now() - killedAt
  const without = ofHosts.history.at(-1)
  await pause(3_000)
  await dead.boot()
  isDead = false
  await dead.becomes('Ready')
  await eventually(() => expect(ofHosts.history.at(-1)).toBe(all), 90_000)
  const backAfterMs = Date.now() - killedAt - leftAfterMs
  await Promise.all([isSettled(balanced), isSettled(onHosts)])
  await Promise.all([ofBalanced.stop(), ofHosts.stop()])
  const [byCloud, byHosts] = (await Promise.all(loads.map((load) => load.stop()))) as [LoadReport, LoadReport]

  // No address comes and goes meanwhile, and the load balancer's stays.
  expect(ofHosts.history.filter(Boolean)).toEqual([all, without, all])
  expect(ofBalanced.history.filter(Boolean)).toHaveLength(1)
  // A request was sent to the dead node until its load balancer had asked twice in vain.
  const lossSeconds = (report: LoadReport) => {
    const spans = Object.values(report.targets).flatMap(({ spans }) => spans)
    return Math.max(0, ...spans.map(({ begin, end }) => (end - begin) / 1000))
  }
  expect(lossSeconds(byCloud), JSON.stringify(byCloud, null, 1)).toBeLessThan(5)
  expect(lossSeconds(byHosts), JSON.stringify(byHosts, null, 1)).toBeLessThan(20)
  printFigures(
    'A node dies',
    `its addresses are gone after ${inSeconds(leftAfterMs / 1000)} and back ${inSeconds(backAfterMs / 1000)} after it has booted`,
    `behind the load balancer ${byCloud.lost} requests lost in ${inSeconds(lossSeconds(byCloud))}`,
    `behind host ports that are asked every five seconds ${byHosts.lost} in ${inSeconds(lossSeconds(byHosts))}`,
  )
  // A reboot is no failure of the router.
  for (const router of [balanced, onHosts])
    expect((await router.events()).map(({ reason }) => reason)).not.toContain('RouterFails')
})
