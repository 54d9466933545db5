import type { Scene } from './scene.ts'

/** Settles, and gives the condition. */
export function conditionOf(scene: Scene, type: string) {
  scene.settle()
  return scene.condition(type)
}
