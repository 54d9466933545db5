import { keyOf } from '@portcullis/kube'
import { observe } from '../ingress/observe.ts'
import type { Settings } from '../ingress/settings.ts'
import type { Snapshot } from '../ingress/snapshot.ts'
import type { ListedObjects } from './listed-objects.ts'
import { SimulatedCluster } from './simulated-cluster.ts'

/** What the operator would see of one controller; undefined where there is none of this name. */
export function snapshotFrom(
  objects: ListedObjects,
  settings: Settings,
  name: string,
  now: Date,
): Snapshot | undefined {
  const { caches } = new SimulatedCluster(objects, settings, now)
  const moment = { now, contestedIngresses: new Map(), contestedFields: () => [], problems: [] }
  return observe(keyOf({ namespace: settings.operatorNamespace, name }), caches, settings, moment)
}
