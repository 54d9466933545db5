import type { LabelSelector } from 'kubernetes-types/meta/v1'
import { compileSelector, type Labels } from '../kube/label-selector.ts'
import type { DeepReadonly } from '../kube/objects.ts'

/**
 * Which Ingresses the routers of a controller serve, as its status says: those with the labels of the `routeSelector`
 * (OpenShift makes Routes of Ingresses, with their labels) in namespaces with those of the `namespaceSelector`.
 */
export interface Shard {
  readonly namespaceSelector?: DeepReadonly<LabelSelector>
  readonly routeSelector?: DeepReadonly<LabelSelector>
}

/** What the routers were last told to serve: a controller that is refused goes on as it was. */
export function shardOf({ namespaceSelector, routeSelector }: Shard = {}): Shard | undefined {
  if (namespaceSelector === undefined && routeSelector === undefined) return undefined
  return { ...(namespaceSelector && { namespaceSelector }), ...(routeSelector && { routeSelector }) }
}

/** Whether the routers of its controller serve an Ingress; unknown as long as the labels of its namespace are. */
export type Selection =
  | { readonly is: 'selected' }
  | { readonly is: 'unknown' }
  | { readonly is: 'excluded'; readonly by: 'namespaceSelector' | 'routeSelector' }

const selected: Selection = { is: 'selected' }
const unknown: Selection = { is: 'unknown' }

/** @returns undefined where every Ingress is served */
export function compileShard({
  namespaceSelector,
  routeSelector,
}: Shard = {}): ((ingress: Labels, namespace: () => Labels | undefined) => Selection) | undefined {
  const ofNamespaces = compileSelector(namespaceSelector)
  const ofIngresses = compileSelector(routeSelector)
  if (ofNamespaces === undefined && ofIngresses === undefined) return undefined
  return (ingress, namespace) => {
    if (ofIngresses !== undefined && !isSelected(ingress, ofIngresses))
      return { is: 'excluded', by: 'routeSelector' }
    if (ofNamespaces === undefined) return selected
    const labels = namespace()
    if (labels === undefined) return unknown
    return isSelected(labels, ofNamespaces) ? selected : { is: 'excluded', by: 'namespaceSelector' }
  }
}

function isSelected(labels: Labels, by: (labels: Labels) => boolean): boolean {
  return !hasTooManyLabels(labels) && by(labels)
}

/**
 * More than anybody has in earnest, node feature discovery included. Whoever may label Ingresses, Namespaces or Nodes could
 * fill the memory of the operator.
 */
const mostLabelBytes = 64 * 1024
/** What a label takes beside its text, roughly. */
const labelOverheadBytes = 64
/** No label has this key. */
const tooMany = ''

/** The labels as they are kept in memory: all of them, or the mark that there are too many. No selector selects that. */
export function keptLabels(labels: Labels = {}): Labels | undefined {
  const entries = Object.entries(labels)
  if (entries.length === 0) return undefined
  let bytes = 0
  for (const [key, value] of entries) bytes += key.length + value.length + labelOverheadBytes
  return bytes > mostLabelBytes ? { [tooMany]: '' } : labels
}

function hasTooManyLabels(labels: Labels): boolean {
  return Object.hasOwn(labels, tooMany)
}
