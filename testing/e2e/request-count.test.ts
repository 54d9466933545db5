import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { stories } from './story.ts'

const { story } = stories()

/** Long enough to see a loop, a poll or a resync; on the sandbox a loop must do. */
const aWhileMs = { real: 20_000, sandbox: 3_000 }

story(
  'The operator sends no request while nothing changes, and counts routers after their 30 seconds',
  async (cluster) => {
    const routers = [
      await cluster.on('AWS').publish('edge', { scope: 'External' }, { replicas: 1 }),
      await cluster.publish('waiting', { scope: 'External' }),
      await cluster.publish('inner', { scope: 'Internal' }),
    ]
    const [router, waiting] = routers
    await waiting?.change({ scope: 'Internal' })
    await waiting?.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
    await router?.reports('DeploymentRollingOut', { status: 'True' })
    await cluster.waitUntilQuiescent()
    cluster.journal.turnPage()
    await pause(aWhileMs[cluster.testCluster.name])
    expect(cluster.journal.lines).toEqual([])

    if (cluster.testCluster.name === 'sandbox') await router?.isUp()
    await router?.reports('Available', { status: 'True' })
    await router?.reports('Progressing', { status: 'False' })
    expect((await router?.read())?.status?.availableReplicas).toBe(1)
  },
)

story(
  'A scope change in place costs one patch of the Service, at most two of the status, and no read',
  async (cluster) => {
    const router = await cluster.on('Azure').publish('edge', { scope: 'External' })
    for (const [scope, address] of [
      ['Internal', /^10\./],
      ['External', /^(203|198)\./],
    ] as const) {
      cluster.journal.turnPage()
      await router.change({ scope })
      await eventually(async () => expect(await router.address()).toMatch(address))
      await router.reports('Progressing', { status: 'False' })
      await cluster.waitUntilQuiescent()
      const statusWrites = cluster.journal.count('patch IngressController/status')
      expect(statusWrites).toBeLessThanOrEqual(2)
      expect(cluster.journal.lines).toEqual([
        'patch Service',
        ...Array.from({ length: statusWrites }, () => 'patch IngressController/status'),
      ])
    }
  },
)

story('A change that waits costs one patch of the status, and its revert another', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  await cluster.waitUntilQuiescent()
  cluster.journal.turnPage()
  await router.change({ scope: 'Internal' })
  await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
  await router.change({ scope: 'External' })
  await router.reports('Progressing', { status: 'False' })
  await cluster.waitUntilQuiescent()
  expect(cluster.journal.lines).toEqual(['patch IngressController/status', 'patch IngressController/status'])
})

story(
  'A starting operator lists each kind once, and writes nothing where everything is as it should be',
  async (cluster) => {
    await cluster.on('GCP').publish('edge', { scope: 'Internal' })
    await cluster.waitUntilQuiescent()
    await cluster.stopOperator()
    cluster.journal.turnPage()
    await cluster.startOperator()
    await eventually(() => expect(cluster.journal.count('list IngressController')).toBe(1))
    await cluster.waitUntilQuiescent()
    const { lines } = cluster.journal
    expect(lines.filter((line) => !line.startsWith('list '))).toEqual([])
  },
)
