import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Settings } from '@portcullis/operator'
import { defaultSettings } from '@portcullis/operator'
import type { Condition } from '@portcullis/operator/internal/api/ingress-controller.ts'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Router } from './router.ts'
import type { Scene, SceneController } from './scenes-of-conditions.ts'

/** A scene that has begun: what is there of its controllers, by their names in it. */
export interface PlayedScene {
  readonly scene: Scene
  readonly routers: ReadonlyMap<string, Router>
}

/** What differs between the clusters on which the same scene is played. */
export interface SceneNames {
  readonly nodes: readonly string[]
  readonly settings: Pick<Settings, 'operatorNamespace' | 'operandNamespace'>
}

/** Creates the controllers, each when the routers of the one before have their nodes. */
export async function begin(
  scene: Scene,
  create: (controller: SceneController) => Promise<Router>,
): Promise<PlayedScene> {
  const routers = new Map<string, Router>()
  for (const controller of scene.controllers) {
    const router = await create(controller)
    routers.set(controller.name, router)
    await eventually(async () => {
      const placed = (await router.pods()).filter(({ spec }) => spec?.nodeName)
      expect(placed, `routers of ${router.name} on nodes`).toHaveLength(controller.placed)
    }, 60_000)
  }
  return { scene, routers }
}

/**
 * Waits until the scene is over.
 *
 * @param each is done for every router before it is looked at
 */
export async function isOver(
  { scene, routers }: PlayedScene,
  withinMs: number,
  each: (router: Router) => Promise<void> = async () => undefined,
): Promise<void> {
  await eventually(async () => {
    for (const { name, ends } of scene.controllers) {
      const router = routerNamed(routers, name)
      await each(router)
      for (const [type, claim] of Object.entries(ends)) await router.reports(type, claim, 0)
    }
  }, withinMs)
}

/** Type, status and reason of every condition, a line each; for ports that others have also the message. */
export async function conditionsOf({ scene, routers }: PlayedScene, names: SceneNames): Promise<string> {
  const parts: string[] = []
  for (const { name } of scene.controllers) {
    const { status } = await routerNamed(routers, name).read()
    const lines = (status?.conditions ?? []).map((condition) => `  ${lineOf(condition, routers, names)}`)
    parts.push(`${name}\n${lines.sort().join('\n')}\n`)
  }
  return parts.join('\n')
}

function lineOf(condition: Condition, routers: PlayedScene['routers'], names: SceneNames): string {
  const { type, status, reason = '', message = '' } = condition
  const short = `${type}=${status} (${reason})`
  return reason === 'PortConflict' ? `${short}: ${withoutNames(message, routers, names)}` : short
}

/** As it would be in the usual namespaces; nodes, the ends of pods' names and what ports others leave free are chance. */
function withoutNames(message: string, routers: PlayedScene['routers'], { nodes, settings }: SceneNames) {
  const replaced: (readonly [string, string])[] = [
    ...[...routers].map(([inScene, { name }]) => [name, inScene] as const),
    ...nodes.map((node) => [node, 'NODE'] as const),
    [settings.operatorNamespace, defaultSettings.operatorNamespace],
    [settings.operandNamespace, defaultSettings.operandNamespace],
  ]
  return replaced
    .reduce((text, [name, usual]) => text.replaceAll(name, usual), message)
    .replaceAll(/\b(router-[a-z]+)-[a-z0-9]+-[a-z0-9]{5}\b/g, '$1-POD')
    .replaceAll(/(free on all of these nodes: |"httpPort":)\d+/g, '$1PORT')
}

/** What the scene ended in on real nodes, which write it. */
export function recordedConditions(scene: Scene): Promise<string> {
  return readFile(recordOf(scene), 'utf8')
}

export function record(scene: Scene, conditions: string): Promise<void> {
  return writeFile(recordOf(scene), conditions)
}

function recordOf({ title }: Scene): string {
  const name = title.toLowerCase().replaceAll(/[^a-z]+/g, '-')
  return fileURLToPath(new URL(`../nodes/golden/conditions/${name}.txt`, import.meta.url))
}

function routerNamed(routers: PlayedScene['routers'], name: string): Router {
  const router = routers.get(name)
  if (router === undefined) throw new Error(`The scene has no controller "${name}".`)
  return router
}
