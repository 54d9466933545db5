import type { Cached, DeepReadonly } from '@portcullis/kube'
import type { Node, NodeSelectorTerm, Pod } from 'kubernetes-types/core/v1'
import { matchesExpression, matchesLabels } from '../label-selector.ts'

/** Whether a pod's node selector and its required node affinity allow a node. */
export function allowsNode({ spec }: Cached<Pod>, node: Cached<Node>): boolean {
  if (!matchesLabels(spec?.nodeSelector ?? {}, node.metadata.labels)) return false
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || required.nodeSelectorTerms.some((term) => matchesTerm(term, node))
}

/** The only nodes that a pod names, if it does so in each of its terms: kube-scheduler then looks at no others. */
export function namedNodes({ spec }: Cached<Pod>): ReadonlySet<string> | undefined {
  const terms =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  if (terms === undefined || terms.length === 0) return undefined
  const names = terms.map(({ matchFields = [] }) =>
    matchFields
      .filter(({ key, operator }) => key === 'metadata.name' && operator === 'In')
      .map(({ values = [] }) => new Set(values))
      .reduce<Set<string> | undefined>(
        (common, named) =>
          common === undefined ? named : new Set([...common].filter((name) => named.has(name))),
        undefined,
      ),
  )
  if (names.includes(undefined)) return undefined
  return new Set(names.flatMap((named) => [...(named ?? [])]))
}

/** A term without any requirement matches nothing. */
function matchesTerm(term: DeepReadonly<NodeSelectorTerm>, { metadata }: Cached<Node>): boolean {
  const { matchExpressions = [], matchFields = [] } = term
  if (matchExpressions.length + matchFields.length === 0) return false
  return (
    matchExpressions.every((expression) => matchesExpression(expression, metadata.labels ?? {})) &&
    matchFields.every((field) => matchesExpression(field, { 'metadata.name': metadata.name }))
  )
}
