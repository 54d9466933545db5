import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '@portcullis/cli/internal/testing/captured-io.ts'
import { Ingress, Namespace } from '@portcullis/kube'
import { IngressController, type Overview } from '@portcullis/operator'
import { expect } from 'vitest'
import { parse } from 'yaml'
import { eventually } from '../clusters/eventually.ts'
import { portcullis } from './checked-plan.ts'
import { aNamespace, anIngress, classOf } from './ingresses.ts'
import { stories } from './story.ts'

const { story } = stories()

story(
  'portcullis status shows what is published where, what waits and what to do about it',
  async (cluster) => {
    const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
    await cluster.client.create(Ingress, {
      metadata: { namespace: cluster.settings.operandNamespace, name: 'web' },
      spec: {
        ingressClassName: `portcullis-${router.name}`,
        defaultBackend: { service: { name: 'web', port: { number: 80 } } },
      },
    })
    await router.change({ scope: 'Internal' })
    await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
    await cluster.waitUntilQuiescent()

    const { stdout, code } = await portcullis(cluster, ['status'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^NAME +STRATEGY +SCOPE +ADDRESS +AVAILABLE +INGRESSES\n/)
    expect(stdout).toContain(await router.address())
    expect(stdout).toContain(`${router.name}: waits for you (ScopeChanged`)
    const { operandNamespace } = cluster.settings
    expect(stdout).toContain(`(1)  kubectl -n ${operandNamespace} delete svc/router-${router.name}`)

    const [seen] = JSON.parse(
      (await portcullis(cluster, ['status', router.name, '-o', 'json'])).stdout,
    ) as Overview[]
    expect(seen).toMatchObject({
      name: router.name,
      strategy: 'LoadBalancerService',
      ingresses: { count: 1, waiting: 0, excluded: 0 },
      pending: [{ reason: 'ScopeChanged', waitsForYou: true }],
      isAnswered: true,
    })
    expect(parse((await portcullis(cluster, ['status', '-o', 'yaml'])).stdout)).toMatchObject([
      { name: router.name },
    ])
    expect((await portcullis(cluster, ['status', '-o', 'name'])).stdout).toBe(
      `ingresscontroller.operator.openshift.io/${router.name}`,
    )
    expect((await portcullis(cluster, ['status', 'nobody'])).stderr).toContain(
      'IngressController "nobody" not found',
    )
  },
)

story(
  'portcullis status separates Ingresses that a controller does not select from those that wait',
  async (cluster) => {
    const namespaceSelector = { matchLabels: { shard: 'trusted' } }
    const router = await cluster.on('AWS').publish('edge', { scope: 'Internal' }, { namespaceSelector })
    const [inside, outside] = [await aNamespace(cluster), await aNamespace(cluster)]
    const labels = { metadata: { labels: { shard: 'trusted' } } }
    await cluster.client.patch(Namespace, { name: inside }, { type: 'merge', body: labels })
    for (const namespace of [inside, outside])
      await cluster.client.create(Ingress, anIngress(namespace, 'web', classOf(router)))
    await eventually(async () => {
      const { stdout } = await portcullis(cluster, ['status', router.name, '-o', 'json'])
      const [seen] = JSON.parse(stdout) as Overview[]
      expect(seen?.ingresses).toEqual({ count: 1, waiting: 0, excluded: 1 })
    })
    expect((await portcullis(cluster, ['status'])).stdout).toContain('1 (1 not selected)')
  },
)

story(
  'portcullis status counts the Ingresses that the configuration assigns to the operator',
  async (cluster) => {
    const namespace = await aNamespace(cluster)
    await cluster.client.create(IngressController, { metadata: { namespace, name: 'default' } })
    await cluster.client.create(Ingress, anIngress(namespace, 'web', 'by-name'))
    const directory = await mkdtemp(join(tmpdir(), 'portcullis-status-'))
    const file = join(directory, 'operator.yaml')
    await writeFile(file, 'ingressClassName: [by-name]\n')
    const counted = async (...args: string[]) => {
      const words = ['status', '-n', namespace, '-o', 'json', ...args]
      const { stdout } = await run(words, { client: cluster.client })
      return (JSON.parse(stdout) as Overview[])[0]?.ingresses.count
    }
    try {
      expect(await counted()).toBe(0)
      expect(await counted('--config', file)).toBe(1)
    } finally {
      await rm(directory, { recursive: true })
    }
  },
)

story('portcullis status --watch prints again when something changes, until Ctrl-C', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const interrupt = new AbortController()
  const shown: string[] = []
  const onPrint = (text: string) => {
    shown.push(text)
    if (shown.length === 1) void router.change({ scope: 'Internal' })
    if (text.includes('ScopeChanged')) interrupt.abort(new Error('told to stop'))
  }
  const { code } = await portcullis(cluster, ['status', '--watch'], { interrupt: interrupt.signal, onPrint })
  expect(code).toBe(0)
  expect(new Set(shown.map((text) => text.includes('ScopeChanged')))).toEqual(new Set([false, true]))
})

story('Names of controllers are completed from the cluster', async (cluster) => {
  const router = await cluster.on('AWS').create('edge', { scope: 'External' })
  const words = ['-n', cluster.settings.operatorNamespace, 'status', 'edg']
  const { stdout } = await run(['__complete', ...words], { client: cluster.client })
  expect(stdout).toBe(`${router.name}\tthe IngressControllers to show (default: all)\n:4`)
})
