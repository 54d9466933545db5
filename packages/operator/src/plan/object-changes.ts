import type { Cached, KubeObject } from '@portcullis/kube'
import { templateHashLabel } from '../ingress/names.ts'
import type { LoggedChange } from './change-log.ts'
import { allFields, type FieldChange, fieldChanges } from './field-changes.ts'
import type { SimulationResult } from './simulation.ts'

/** What becomes of one object: it comes, changes, is replaced, or goes. */
export interface ObjectChange {
  readonly sign: '+' | '~' | '-/+' | '-'
  readonly kind: string
  readonly namespace: string | undefined
  readonly name: string
  readonly controller: string
  /** For one that comes: all that is asked of it. */
  readonly fields: readonly FieldChange[]
  readonly disruption: LoggedChange['disruption']
  readonly when: LoggedChange['when']
}

/** What differs between a cluster as it is and as it would be; of each object what people write, not what servers add. */
export function objectChanges(before: SimulationResult, after: SimulationResult): ObjectChange[] {
  return [...after.log.byObject()].flatMap((logged) => {
    const [first] = logged
    const change = changeOf(
      before.cluster.get(first.kind, first.object.metadata),
      after.cluster.get(first.kind, first.object.metadata),
    )
    if (change === undefined) return []
    const { namespace, name } = first.object.metadata
    // A replacement happens when the old one goes, whatever was done to it before.
    const decisive =
      change.sign === '-/+' ? (logged.find(({ disruption }) => disruption === 'interrupts') ?? first) : first
    return [
      {
        ...change,
        kind: first.kind.kind,
        namespace,
        name,
        controller: first.controller,
        disruption: mostDisruptive(logged),
        when: decisive.when,
      },
    ]
  })
}

export function changeOf(
  before: Cached<KubeObject> | undefined,
  after: Cached<KubeObject> | undefined,
): Pick<ObjectChange, 'sign' | 'fields'> | undefined {
  if (before === undefined && after === undefined) return undefined
  const fields = fieldChanges(written(before), written(after))
  if (before === undefined) return { sign: '+', fields: allFields(written(after)) }
  if (after === undefined) return { sign: '-', fields: [] }
  if (before.metadata.uid !== after.metadata.uid) return { sign: '-/+', fields: fields.filter(isAskedFor) }
  return fields.length === 0 ? undefined : { sign: '~', fields }
}

/** What is missing in the spec of a new object the API server fills in again. */
function isAskedFor({ path, to }: FieldChange): boolean {
  return to !== undefined || !path.startsWith('spec')
}

const notWorthAWord = 'kubectl.kubernetes.io/last-applied-configuration'

/** Labels, annotations and the spec. The hash of a template changes with all else in it: that says nothing. */
function written(object: Cached<KubeObject> | undefined): object | undefined {
  if (object === undefined) return undefined
  const { labels, annotations } = object.metadata
  const { spec } = object as { spec?: { template?: { metadata?: { labels?: Record<string, string> } } } }
  const { [notWorthAWord]: _, ...shown } = annotations ?? {}
  const hash = spec?.template?.metadata?.labels?.[templateHashLabel]
  const text = JSON.stringify({
    metadata: { ...(labels && { labels }), ...(Object.keys(shown).length > 0 && { annotations: shown }) },
    ...(spec && { spec }),
  })
  return JSON.parse(hash === undefined ? text : text.replaceAll(hash, '')) as object
}

const order = ['none', 'reconfigures', 'interrupts'] as const

function mostDisruptive(logged: readonly LoggedChange[]): LoggedChange['disruption'] {
  return order[Math.max(...logged.map(({ disruption }) => order.indexOf(disruption)))] ?? 'none'
}
