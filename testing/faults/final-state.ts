import { isObject } from '@portcullis/kube'
import { isVolatile } from '../clusters/volatile-fields.ts'
import type { Simulation } from './simulation/simulation.ts'

/** Of these, who wrote them and how often does not matter. */
const kept = [
  'services',
  'pods',
  'apps/deployments',
  'policy/poddisruptionbudgets',
  'networking.k8s.io/ingresses',
  'networking.k8s.io/ingressclasses',
  'operator.openshift.io/ingresscontrollers',
]

/** Everything that there is, as text, so that two histories of one story can be compared. */
export function finalState({ api }: Simulation): string {
  return kept
    .flatMap((collection) =>
      api.storage.list(collection).map(([key, object]) => `${collection} ${key} ${stateOf(object)}`),
    )
    .join('\n')
}

/** What is stored never changes, and most of it is the same in many histories. */
const known = new WeakMap<object, string>()

function stateOf(object: object): string {
  const state = known.get(object) ?? withoutPlaces(JSON.stringify(keptOf(object)))
  known.set(object, state)
  return state
}

/** What matters of a value, with its fields in order. */
function keptOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keptOf)
  if (!isObject(value)) return value
  const kept: Record<string, unknown> = {}
  for (const field of Object.keys(value).sort())
    if (!isVolatile(field, value[field])) kept[field] = keptOf(asKept(field, value[field]))
  return kept
}

function asKept(field: string, value: unknown): unknown {
  if (field === 'managedFields') return ours(value as Entry[])
  if (field === 'conditions') return inOrder(value as { type: string }[])
  if (field === 'nodeName') return value === undefined ? undefined : 'NODE'
  if (field === 'finalizers' && Array.isArray(value) && value.length === 0) return undefined
  return value
}

/** The order of conditions has no meaning. */
function inOrder(conditions: readonly { readonly type: string }[]): readonly object[] {
  return conditions.toSorted((one, other) => (one.type < other.type ? -1 : 1))
}

interface Entry {
  readonly manager?: string
  readonly subresource?: string
  readonly fieldsV1?: object
}

/** What we own of an object; statuses are written whole. */
function ours(entries: readonly Entry[]): readonly unknown[] {
  return entries
    .filter(({ manager, subresource }) => manager === 'portcullis' && subresource === undefined)
    .map(({ fieldsV1 }) => fieldsV1)
}

/** Addresses, node ports, the names of nodes and the numbers of requests to the cloud are given by chance. */
function withoutPlaces(text: string): string {
  return text
    .replace(/(internal-)?\ba[\da-f]{31}-[\da-f]+(\.elb)?\.us-east-1(\.elb)?\.amazonaws\.com/g, '$1HOST$2$3')
    .replace(/\b[\da-f]{8}-us-south\.lb\.appdomain\.cloud/g, 'HOST')
    .replace(/\b203\.0\.113\.(?!250)\d+\b|\b198\.51\.100\.[1-9]\d*\b/g, 'PUBLIC')
    .replace(/\b10\.0\.1\d\d\.\d+\b/g, 'INTERNAL')
    .replace(/\b192\.168\.\d+\.\d+\b/g, 'NODE')
    .replace(/\bfd00:10::\d\b/g, 'NODE')
    .replace(/\bworker-\d\b/g, 'NODE')
    .replace(/\bRequestID: [\da-f-]+/g, 'RequestID: ID')
    .replace(/\b3[0-2]\d{3}\b/g, 'NODEPORT')
}
