import { Node } from '@portcullis/kube'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Cluster } from './cluster.ts'
import { begin, conditionsOf, isOver, recordedConditions } from './play-scene.ts'
import type { Router } from './router.ts'
import { scenes } from './scenes-of-conditions.ts'
import { stories } from './story.ts'
import { onNodes, type StoryNodes } from './story-nodes.ts'

const { story } = stories({ timeoutMs: 150_000 })

for (const scene of scenes)
  story(
    `${scene.title}, as on real nodes`,
    onNodes(3, async (nodes, cluster) => {
      if (scene.leftOutOnKwok !== undefined && cluster.testCluster.name === 'real') return
      cluster.on('AWS')
      if (scene.imageIsMissing) await takeImageAway(nodes, cluster)
      const played = await begin(scene, ({ name, spec }) =>
        cluster.create(name, undefined, { ...spec, nodePlacement: nodes.placement }),
      )
      await isOver(played, 120_000, (router: Router) => router.ageRouters())
      const names = { nodes: nodes.names, settings: cluster.settings }
      const recorded = await recordedConditions(scene)
      await eventually(async () => expect(await conditionsOf(played, names)).toBe(recorded))
    }),
  )

async function takeImageAway(nodes: StoryNodes, { client, settings }: Cluster): Promise<void> {
  const annotations = { 'sandbox.portcullis.dev/missing-images': settings.routerImage }
  for (const name of nodes.names)
    await client.patch(Node, { name }, { type: 'merge', body: { metadata: { annotations } } })
}
