import { memberPorts } from '@portcullis/onprem'
import { expect, onTestFinished, test } from 'vitest'
import { LiveCluster } from './live-cluster.ts'
import { offset, preflight, Site, words } from './site.ts'

/** A cluster that runs behind a real HAProxy, and the preflight as its administrator runs it. */
async function cluster(change: (site: Site) => Promise<{ haproxy: string; statsPort?: number }>) {
  const site = await Site.open()
  onTestFinished(() => site.close())
  const live = await LiveCluster.start()
  onTestFinished(() => live.close())
  const { haproxy, statsPort } = await change(site)
  await site.startFakeBackends(site.bootstrap, ...site.controlPlane)
  await site.startFakeBackendsOn(
    memberPorts(offset, { statsPort }),
    ...site.workers,
    site.network.address(33),
  )
  await site.dns()
  await live.describe({
    api: site.api,
    ingress: site.ingress,
    controlPlane: site.controlPlane,
    routers: [...site.workers, site.network.address(33)],
    ...(statsPort !== undefined && { statsPort }),
  })
  const kubeconfig = await live.kubeconfig(site.file('kubeconfig'))
  await site.haproxy(haproxy)
  await new Promise((resolve) => setTimeout(resolve, 2000))
  return {
    site,
    run: (...args: string[]) =>
      preflight(
        ...words(`--kubeconfig ${kubeconfig} --port-offset ${offset} --source ${site.network.address(1)}
          --resolver ${site.resolver} --idle 500ms --settle 1s`),
        ...args,
      ),
  }
}

const right = async (site: Site) => {
  const all = await site.configuration('haproxy', '--workers', ...site.workers, site.network.address(33))
  return all.replaceAll(/ {2}server bootstrap .*\n/g, '')
}

test('The preflight reads from a running cluster what its load balancer should be like', async () => {
  const { run } = await cluster(async (site) => ({ haproxy: await right(site) }))
  const { found, results, stderr } = await run()
  expect(found, stderr).toEqual([])
  expect(results.find(({ check }) => check === 'reach api')?.status).toBe('passed')
  expect(results.find(({ check }) => check === 'bootstrap')?.status).toBe('passed')
})

test('The preflight finds the bootstrap machine that is still a member', async () => {
  const { run } = await cluster(async (site) => ({
    haproxy: await site.configuration('haproxy', '--workers', ...site.workers, site.network.address(33)),
  }))
  const { found, results } = await run()
  expect(found, JSON.stringify(results, null, 1)).toEqual(['bootstrap-in-pool in bootstrap'])
})

test('The preflight finds a router on a node that is not in the given list of members', async () => {
  const { site, run } = await cluster(async (site) => ({ haproxy: await right(site) }))
  const { found } = await run('--workers', ...site.workers)
  expect(found).toEqual(['node-not-listed in members'])
})

test('The preflight finds a missing router by who answers, if clients do not stay with their router', async () => {
  const { run } = await cluster(async (site) => ({
    haproxy: (await right(site))
      .replaceAll(/ {2}server \S+ \S+\.33:.*(\n|$)/g, '')
      .replaceAll('balance source', 'balance roundrobin'),
  }))
  const { found, results } = await run()
  expect(found, JSON.stringify(results, null, 1)).toEqual(['node-not-listed in members'])
})

test('The preflight finds router ports that moved', async () => {
  const { run } = await cluster(async (site) => ({ haproxy: await right(site), statsPort: 1999 }))
  const { found, results } = await run()
  expect(found, JSON.stringify(results, null, 1)).toEqual(['router-ports-moved in ports'])
  const [finding] = results.flatMap(({ findings }) => findings)
  expect(finding?.remedy).toContain('health check on 11999')
})

test('The preflight finds a redirect from 80 to 443, though routers redirect for routes', async () => {
  const { run } = await cluster(async (site) => ({
    haproxy: (await right(site)).replace(
      '  default_backend http\n',
      '  mode http\n  http-request redirect scheme https\n',
    ),
  }))
  const { found, results } = await run()
  expect(found, JSON.stringify(results, null, 1)).toEqual(['http-redirected in redirect http'])
})

test('The preflight of an unreachable cluster ends with exit code 2', async () => {
  const { code, stderr } = await preflight('--kubeconfig', '/nowhere/kubeconfig')
  expect(code).toBe(2)
  expect(stderr).toContain('/nowhere/kubeconfig does not exist')
})
