import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { sharedNodes } from '../clusters/real-nodes/shared-nodes.ts'
import {
  begin,
  conditionsOf,
  isOver,
  type PlayedScene,
  record,
  recordedConditions,
} from '../e2e/play-scene.ts'
import { type Scene, scenes } from '../e2e/scenes-of-conditions.ts'
import { createController, operandNamespace, operatorNamespace, sharedInstallation } from './installation.ts'

const { bed, images } = sharedNodes()
const installation = sharedInstallation()
const settings = { operatorNamespace, operandNamespace }
const played = new Map<Scene, PlayedScene>()

vi.setConfig({ maxConcurrency: scenes.length })

/** The one from which the image of routers is taken, once all other routers run. */
const nodeWithoutImage = 'node-c'
const keptImage = 'localhost/portcullis/router-kept:1'

async function onImages(...args: readonly string[]): Promise<void> {
  const node = bed.node(nodeWithoutImage)
  const { code, stderr } = await node.run('ctr', '--namespace', 'k8s.io', 'images', ...args)
  expect(code, stderr).toBe(0)
}

async function play(scene: Scene): Promise<void> {
  const place = scene.imageIsMissing && {
    nodePlacement: { nodeSelector: { matchLabels: { 'kubernetes.io/hostname': nodeWithoutImage } } },
  }
  const create = ({ name, spec }: Scene['controllers'][number]) =>
    createController(
      installation(),
      name,
      spec.endpointPublishingStrategy,
      { ...spec, ...place },
      // They go with the installation.
      { onTestFinished: () => undefined },
    )
  played.set(scene, await begin(scene, create))
}

/** Whoever has a node has its image, too. */
async function placedRoutersRun(): Promise<void> {
  for (const { scene, routers } of played.values()) {
    for (const { name, placed } of scene.controllers) {
      const pods = (await routers.get(name)?.pods()) ?? []
      const running = pods.filter(({ status }) => status?.phase === 'Running')
      expect(running, `routers of ${name} that run`).toHaveLength(placed)
    }
  }
}

beforeAll(async () => {
  if (bed === undefined) return
  await Promise.all(scenes.filter(({ imageIsMissing }) => !imageIsMissing).map(play))
  await eventually(placedRoutersRun, 60_000)
  await onImages('tag', images.router.name, keptImage)
  await onImages('remove', '--sync', images.router.name)
  await Promise.all(scenes.filter(({ imageIsMissing }) => imageIsMissing).map(play))
})

afterAll(async () => {
  if (bed === undefined) return
  await onImages('tag', '--force', keptImage, images.router.name)
  await onImages('remove', keptImage)
})

test.concurrent.for(scenes.map((scene) => ({ scene, title: scene.title })))('$title', async ({ scene }) => {
  const scenePlayed = played.get(scene)
  if (scenePlayed === undefined) throw new Error('No scene begins but in the hook before all.')
  await isOver(scenePlayed, 120_000)
  const names = { nodes: bed.nodes.map(({ name }) => name), settings }
  if (process.env['PORTCULLIS_RECORD'] !== undefined)
    await record(scene, await conditionsOf(scenePlayed, names))
  const recorded = await recordedConditions(scene)
  await eventually(async () => expect(await conditionsOf(scenePlayed, names)).toBe(recorded))
})
