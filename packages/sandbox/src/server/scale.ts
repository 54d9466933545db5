import type { AnyObject } from '@portcullis/schema'
import type { LabelSelector } from 'kubernetes-types/meta/v1'
import { ageColumn, column, nameColumn } from '../kinds/columns.ts'
import type { Column, Resource, ScalePaths } from '../resource.ts'
import { internalError } from './api-status.ts'

export interface Scale extends AnyObject {
  spec: { replicas?: number }
  status: { replicas: number; selector?: string }
}

/** What `kubectl scale` sees of an object. */
export function scaleOf(object: AnyObject, paths: ScalePaths): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const selector =
    paths.labelSelectorPath === undefined ? selectorOf(object) : valueAt(object, paths.labelSelectorPath)
  const replicas = Number(valueAt(object, paths.specReplicasPath) ?? 0)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: Number(valueAt(object, paths.statusReplicasPath) ?? 0),
      ...(typeof selector === 'string' && selector !== '' && { selector }),
    },
  }
}

export function replicasOf(object: AnyObject, { specReplicasPath }: ScalePaths): unknown {
  return valueAt(object, specReplicasPath)
}

/** A custom resource that says nothing of replicas cannot be asked for its scale. */
export function refuseUnscalable(object: AnyObject, paths: ScalePaths): void {
  const { specReplicasPath } = paths
  if (replicasOf(object, paths) !== undefined) return
  const problem = `the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`
  throw internalError(problem)
}

/** The object with the number of replicas that a Scale asks for. */
export function scaled(object: AnyObject, scale: AnyObject, { specReplicasPath }: ScalePaths): AnyObject {
  const { replicas = 0 } = (scale['spec'] ?? {}) as { replicas?: number }
  return withValueAt(object, specReplicasPath.split('.').slice(1), replicas) as AnyObject
}

export const builtInScalePaths: ScalePaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
}

/** What `kubectl get --subresource=scale` shows; the columns of a custom resource are typed. */
export const scaleColumns = ({ isCustom = false }: Resource): readonly Column[] => [
  isCustom ? nameColumn : { ...nameColumn, format: '' },
  column('Desired', 'How many there shall be.', (scale) => (scale as Scale).spec.replicas ?? 0, {
    type: 'integer',
  }),
  column('Available', 'How many there are.', (scale) => (scale as Scale).status.replicas, {
    type: 'integer',
  }),
  isCustom ? { ...ageColumn, type: 'date' } : ageColumn,
]

/** The schema that a Scale in a request is read by is always this kind's. */
export const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' } satisfies Partial<Resource>

function valueAt(object: unknown, path: string): unknown {
  return path
    .split('.')
    .slice(1)
    .reduce<unknown>((value, field) => (value as Record<string, unknown> | undefined)?.[field], object)
}

function withValueAt(object: unknown, [field, ...rest]: readonly string[], value: unknown): unknown {
  if (field === undefined) return value
  const record = (object ?? {}) as Record<string, unknown>
  return { ...record, [field]: withValueAt(record[field], rest, value) }
}

/** A built-in kind's selector, as text. */
function selectorOf({ spec }: AnyObject): string {
  const { selector = {} } = (spec ?? {}) as { selector?: LabelSelector }
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  const others = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key
    if (operator === 'DoesNotExist') return `!${key}`
    return `${key} ${operator === 'In' ? 'in' : 'notin'} (${[...values].sort().join(',')})`
  })
  return [...equal, ...others].sort().join(',')
}
