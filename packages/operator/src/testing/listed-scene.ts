import type { Settings } from '../ingress/settings.ts'
import type { ListedObjects } from '../plan/listed-objects.ts'
import type { AnyObject } from './fake-api-server.ts'
import type { Scene } from './scene.ts'

const kinds = ['IngressController', 'Deployment', 'Service', 'PodDisruptionBudget', 'IngressClass']

/** All that there is in a scene, as it would be listed. */
export function listedFrom(
  scene: Scene,
  more: Readonly<Record<string, readonly object[]>> = {},
): ListedObjects {
  const found: [string, AnyObject[]][] = kinds.map((kind) => [kind, scene.server.list(kind)])
  return {
    ...Object.fromEntries(found),
    Node: scene.nodes,
    Pod: scene.hostPortPods,
    Event: scene.cloudEvents,
    ...more,
  }
}

/** The settings of an operator in it. */
export function settingsIn({ settings, platform: { platform } }: Scene): Settings {
  return { ...settings, platform: platform?.name }
}
