import { expect, test } from 'vitest'
import { cluster } from './api.ts'
import { Simulation } from './simulation.ts'

const labels = { app: 'router', hash: 'one' }
const apart = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } },
    ],
  },
}

/** The nodes of the pods of a Deployment, on three nodes of which all but the first are full of others. */
async function nodesOfPods(replicas: number, affinity: object | undefined): Promise<string[]> {
  const simulation = await Simulation.on({
    platform: 'AWS',
    operators: 0,
    seed: 1,
    interference: { request: () => ({ fate: 'passes' }), event: () => ({ fate: 'passes' }) },
  })
  const { api } = simulation
  const put = (collection: string, name: string, object: object) =>
    api.put(collection, `default/${name}`, {
      apiVersion: 'v1',
      kind: 'any',
      metadata: { namespace: 'default', name, uid: name },
      ...object,
    })
  api.as(cluster, () => {
    for (const node of ['worker-2', 'worker-3'])
      for (let number = 0; number < 5; number++)
        put('pods', `${node}-${number}`, { spec: { nodeName: node, containers: [] } })
    put('apps/deployments', 'web', {
      spec: { replicas, template: { metadata: { labels }, spec: { containers: [], affinity } } },
    })
  })
  await simulation.rest()
  simulation.end()
  return api.storage
    .list('pods')
    .filter(([key]) => key.startsWith('default/web-'))
    .map(([, pod]) => (pod as { spec?: { nodeName?: string } }).spec?.nodeName ?? 'none')
    .toSorted()
}

test('Pods without an affinity go to the node with the fewest pods', async () => {
  expect(await nodesOfPods(2, undefined)).toEqual(['worker-1', 'worker-1'])
})

test('Pods with a required anti-affinity to each other get a node each, as long as there are nodes', async () => {
  expect(await nodesOfPods(2, apart)).toEqual(['worker-1', 'worker-2'])
  expect(await nodesOfPods(4, apart)).toEqual(['none', 'worker-1', 'worker-2', 'worker-3'])
})
