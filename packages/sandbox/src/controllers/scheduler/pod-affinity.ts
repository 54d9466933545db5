import type { Cached, DeepReadonly } from '@portcullis/kube'
import type { Node, Pod, PodAffinityTerm } from 'kubernetes-types/core/v1'
import { matchesSelector } from '../label-selector.ts'

type Term = DeepReadonly<PodAffinityTerm>
type Labels = Readonly<Record<string, string>>

/** Where pods run, and what their namespaces are labelled with. */
export interface Neighbourhood {
  readonly placed: readonly { readonly pod: Cached<Pod>; readonly node: Cached<Node> }[]
  readonly namespaceLabels: (namespace: string) => Labels
}

/** Which rule keeps a pod off a node; undefined when none does. */
export type BrokenRule = 'affinity' | 'antiAffinity' | 'existingAntiAffinity'

export function brokenRule(
  pod: Cached<Pod>,
  node: Cached<Node>,
  { placed, namespaceLabels }: Neighbourhood,
): BrokenRule | undefined {
  const selects = (owner: Cached<Pod>, term: Term, candidate: Cached<Pod>) =>
    inNamespaces(owner, term, candidate, namespaceLabels) &&
    matchesSelector(term.labelSelector, candidate.metadata.labels)

  if (!affinityHolds(pod, node, placed, selects)) return 'affinity'
  const keptApart = antiAffinityTerms(pod).some((term) =>
    placed.some((other) => sameDomain(term, node, other.node) && selects(pod, term, other.pod)),
  )
  if (keptApart) return 'antiAffinity'
  const refused = placed.some((other) =>
    antiAffinityTerms(other.pod).some(
      (term) => sameDomain(term, node, other.node) && selects(other.pod, term, pod),
    ),
  )
  return refused ? 'existingAntiAffinity' : undefined
}

function affinityHolds(
  pod: Cached<Pod>,
  node: Cached<Node>,
  placed: Neighbourhood['placed'],
  selects: (owner: Cached<Pod>, term: Term, candidate: Cached<Pod>) => boolean,
): boolean {
  const terms = pod.spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  if (terms.length === 0) return true
  if (!terms.every(({ topologyKey }) => node.metadata.labels?.[topologyKey] !== undefined)) return false
  const friends = placed.filter((other) => terms.every((term) => selects(pod, term, other.pod)))
  const met = terms.every((term) => friends.some((other) => sameDomain(term, node, other.node)))
  // The first of a group that wants to be together may go anywhere.
  return met || (friends.length === 0 && terms.every((term) => selects(pod, term, pod)))
}

function antiAffinityTerms({ spec }: Cached<Pod>): readonly Term[] {
  return spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
}

function sameDomain({ topologyKey }: Term, a: Cached<Node>, b: Cached<Node>): boolean {
  const domain = a.metadata.labels?.[topologyKey]
  return domain !== undefined && domain === b.metadata.labels?.[topologyKey]
}

function inNamespaces(
  owner: Cached<Pod>,
  { namespaces = [], namespaceSelector }: Term,
  { metadata: { namespace = '' } }: Cached<Pod>,
  namespaceLabels: (namespace: string) => Labels,
): boolean {
  if (namespaces.includes(namespace)) return true
  if (namespaceSelector !== undefined) return matchesSelector(namespaceSelector, namespaceLabels(namespace))
  return namespaces.length === 0 && namespace === owner.metadata.namespace
}
