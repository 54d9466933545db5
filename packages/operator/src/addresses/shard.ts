import { compileSelector, type DeepReadonly, type Labels } from '@portcullis/kube'
import type { LabelSelector } from 'kubernetes-types/meta/v1'

/**
 * Which Ingresses the routers of a controller serve, as its status says: those with the labels of the `routeSelector`
 * (OpenShift makes Routes of Ingresses, with their labels) in namespaces with those of the `namespaceSelector`.
 */
export interface Shard {
  readonly namespaceSelector?: DeepReadonly<LabelSelector>
  readonly routeSelector?: DeepReadonly<LabelSelector>
}

/** What the routers were last configured to serve: a controller that is refused goes on as it was. */
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
    if (ofIngresses !== undefined && !isSelected('Ingress', ingress, ofIngresses))
      return { is: 'excluded', by: 'routeSelector' }
    if (ofNamespaces === undefined) return selected
    const labels = namespace()
    if (labels === undefined) return unknown
    return isSelected('Namespace', labels, ofNamespaces)
      ? selected
      : { is: 'excluded', by: 'namespaceSelector' }
  }
}

function isSelected(of: Labelled, labels: Labels, by: (labels: Labels) => boolean): boolean {
  return !hasTooManyLabels(of, labels) && by(labels)
}

type Labelled = 'Ingress' | 'Namespace' | 'Node'

/**
 * How much of labels is kept of an object. A tenant may make thousands of Ingresses, of whatever class, with as many labels as an
 * object can hold; an honest one has a dozen. Ten thousand with labels up to this bound take some 42 MB. Of namespaces there are
 * fewer, and operators label them; node feature discovery gives Nodes hundreds of labels, and no tenant makes Nodes.
 */
const mostLabelBytes: Readonly<Record<Labelled, number>> = {
  Ingress: 4 * 1024,
  Namespace: 16 * 1024,
  Node: 128 * 1024,
}
/** What V8 takes for a label beside its text where no two objects have the same keys, roughly: mostly for hidden classes. */
const labelOverheadBytes = 128
/** No label has this key. */
const tooMany = ''

/** The labels of an object as they are kept in memory: all of them, or the mark that there are too many. No selector selects that. */
export function keptLabels(of: Labelled, labels: Labels = {}): Labels | undefined {
  if (Object.keys(labels).length === 0) return undefined
  return hasTooManyLabels(of, labels) ? { [tooMany]: '' } : labels
}

/** The bound in words. */
export function labelBoundOf(of: Labelled): string {
  return `${mostLabelBytes[of] / 1024} KiB, at ${labelOverheadBytes} bytes for each beside its text`
}

/** Of an object as it is cached or as it came: commands, which have no caches, come to the same as the operator. */
export function hasTooManyLabels(of: Labelled, labels: Labels): boolean {
  const bytes = Object.entries(labels).reduce(
    (sum, [key, value]) => sum + key.length + value.length + labelOverheadBytes,
    0,
  )
  return Object.hasOwn(labels, tooMany) || bytes > mostLabelBytes[of]
}
