import { isObject } from '@portcullis/kube'
import { finalState } from '../faults/final-state.ts'
import type { ClusterUnderChange } from './cluster-under-change.ts'
import type { JsonObject } from './values.ts'

/** Everything that there is, by kind and name, without what chance decides. */
export type State = ReadonlyMap<string, JsonObject>

export const controllerKey = 'IngressController'

export function stateOf({ simulation }: ClusterUnderChange): State {
  const all = finalState(simulation)
    .split('\n')
    .map((line): [string, JsonObject] => {
      const at = line.indexOf(' ', line.indexOf(' ') + 1)
      const key = line.slice(0, at)
      const isController = key.startsWith('operator.openshift.io/ingresscontrollers ')
      return [isController ? controllerKey : key, inOrder(JSON.parse(line.slice(at + 1))) as JsonObject]
    })
  const isPod = ([key]: readonly [string, unknown]) => key.startsWith('pods ')
  return new Map([...all.filter((entry) => !isPod(entry)), ...nameless(all.filter(isPod))])
}

/** Pods are called after the order of what is in them. */
function nameless(pods: readonly (readonly [string, JsonObject])[]): [string, JsonObject][] {
  const texts = pods.map(([, pod]) => {
    const { name: _name, ...metadata } = pod['metadata'] as JsonObject
    return JSON.stringify({ ...pod, metadata })
  })
  return texts.toSorted().map((text, at) => [`pods ${at}`, JSON.parse(text) as JsonObject])
}

/** The order of these lists has no meaning. */
const unordered = new Set(['env', 'ports', 'volumes', 'volumeMounts'])

function inOrder(value: unknown, field = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => inOrder(item))
    return unordered.has(field)
      ? items.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
      : items
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, child]) => [name, inOrder(child, name)] as const)
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** What differs, as sentences: each object with its first field that does. */
export function differences(
  wanted: State,
  found: State,
  without: (key: string, object: JsonObject) => JsonObject = (_, object) => object,
): string[] {
  const keys = [...new Set([...wanted.keys(), ...found.keys()])]
  return keys.flatMap((key) => {
    const [one, other] = [wanted.get(key), found.get(key)]
    if (one === undefined) return [`there is ${key}, and should not be`]
    if (other === undefined) return [`there is no ${key}`]
    const difference = differenceBetween(without(key, one), without(key, other), [])
    return difference === undefined ? [] : [`${key}: ${difference}`]
  })
}

function differenceBetween(one: unknown, other: unknown, path: readonly string[]): string | undefined {
  if (JSON.stringify(one) === JSON.stringify(other)) return undefined
  if (isObject(one) && isObject(other)) {
    for (const field of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const found = differenceBetween(one[field], other[field], [...path, field])
      if (found !== undefined) return found
    }
  }
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    for (const [at, item] of one.entries()) {
      const found = differenceBetween(item, other[at], [...path, String(at)])
      if (found !== undefined) return found
    }
  }
  return `${path.join('.')} should be ${short(one)} and is ${short(other)}`
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent'
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
