import { type AnyObject, validateCommonCreate, validateCommonUpdate } from '@portcullis/schema'
import { describe, expect, test } from 'vitest'
import type { ClusterView, Resource } from '../resource.ts'
import { builtInResources } from './built-in.ts'
import recorded from './recorded-responses.json' with { type: 'json' }
import { isSemanticallyEqual } from './semantic-equal.ts'

/**
 * What kube-apiserver 1.36.3 made of these objects, step by step: what it stored, or why it refused. Values that Go
 * leaves out when they are empty are left out on both sides; addresses and ports that were not asked for read `allocated`.
 */
interface Step {
  readonly op: 'create' | 'update' | 'status'
  readonly body: object
  readonly refused?: readonly string[]
  readonly stored?: object
  readonly warnings?: readonly string[]
}

interface History {
  readonly kind: string
  readonly apiVersion: string
  readonly steps: readonly Step[]
}

const histories = recorded as unknown as readonly History[]
const resources = builtInResources(() => ({}))
const kinds = [...new Set(histories.map(nameOf))]

/** All of them happen in one cluster, one after the other. */
function replay() {
  const server = new FakeServer()
  return histories.flatMap((history) => {
    let current: AnyObject | undefined
    return history.steps.map((step) => {
      const { object, answer } = server.write(history, step, current)
      current = object ?? current
      return { of: nameOf(history), step, answer }
    })
  })
}

function nameOf({ apiVersion, kind }: History): string {
  return `${apiVersion} ${kind}`
}

function expected({ refused, stored, warnings = [] }: Step) {
  return refused === undefined ? { stored, warnings } : { refused }
}

/** As little of a server as a kind needs to show what it does. */
class FakeServer {
  readonly #objects = new Map<string, AnyObject>([['/services/default/kubernetes', kubernetes]])

  readonly #cluster: ClusterView = {
    now: () => new Date('2026-01-01T00:00:00Z'),
    random: () => 0.5,
    get: ({ group, plural }, { namespace = '', name }) =>
      this.#objects.get(`${group}/${plural}/${namespace}/${name}`),
    list: ({ group, plural }) =>
      [...this.#objects].filter(([key]) => key.startsWith(`${group}/${plural}/`)).map(([, object]) => object),
  }

  write({ apiVersion, kind, steps }: History, step: Step, current: AnyObject | undefined) {
    const resource = resources.find((one) => versionOf(one) === apiVersion && one.kind === kind)
    if (resource === undefined) throw new Error(`There is no ${kind}`)
    const { object, refused } =
      current === undefined ? this.#create(resource, step) : this.#update(resource, step, current)
    if (refused.length > 0) {
      const words = refused.map((error) => `${error.reason} ${error.field}: ${error.message}`)
      return { object: undefined, answer: { refused: words } }
    }
    const { name = '', namespace = '' } = object.metadata
    this.#objects.set(`${resource.group}/${resource.plural}/${namespace}/${name}`, object)
    const warnings = resource.behaviour.warnings?.(object, current, step.op) ?? []
    const asked = JSON.stringify(steps.map(({ body }) => body))
    return {
      object,
      answer: { stored: presentable(resource.behaviour.shown?.(object) ?? object, asked), warnings },
    }
  }

  #create(resource: Resource, { body }: Step) {
    const { behaviour, namespaced } = resource
    const object = structuredClone(body) as AnyObject
    if (namespaced) object.metadata.namespace = 'default'
    behaviour.defaults?.(object)
    Object.assign(object.metadata, identity)
    behaviour.prepareCreate?.(object, this.#cluster)
    if (behaviour.keepsGeneration !== false) object.metadata.generation = 1
    const refused = behaviour.validate?.(object, this.#cluster) ?? []
    return { object, refused: refused.length > 0 ? refused : validateCommonCreate(object, namespaced) }
  }

  #update(resource: Resource, { op, body }: Step, old: AnyObject) {
    const { behaviour, namespaced, subresources } = resource
    const object = merged(structuredClone(old), structuredClone(body)) as AnyObject
    behaviour.defaults?.(object)
    Object.assign(object.metadata, identity)
    delete object.metadata.generation
    const before = old.metadata.generation
    if (before !== undefined) object.metadata.generation = before
    if (op === 'status') {
      object.spec = structuredClone(old.spec)
      behaviour.prepareStatusUpdate?.(object, old, this.#cluster)
    } else {
      if (subresources.includes('status')) object.status = structuredClone(old.status)
      behaviour.prepareUpdate?.(object, old, this.#cluster)
      const isNew = behaviour.newGeneration?.(object, old) ?? !isSemanticallyEqual(object.spec, old.spec)
      if (behaviour.keepsGeneration !== false && isNew) object.metadata.generation = (before ?? 0) + 1
    }
    const first = op === 'status' ? undefined : behaviour.validateUpdateFirst?.(object, old, this.#cluster)
    if (first !== undefined && first.length > 0) return { object, refused: first }
    const own =
      op === 'status'
        ? behaviour.validateStatusUpdate?.(object, old, this.#cluster)
        : behaviour.validateUpdate?.(object, old, this.#cluster)
    return { object, refused: [...validateCommonUpdate(object, old, namespaced), ...(own ?? [])] }
  }
}

const kubernetes: AnyObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'kubernetes', namespace: 'default' },
  spec: { clusterIPs: ['10.96.0.1'] },
}

const identity = { uid: 'a', creationTimestamp: '2026-01-01T00:00:00Z', resourceVersion: '1' }

function versionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`
}

function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const result: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = merged(result[key], value)
  }
  return result
}

/** Without what differs from run to run; `asked` is all that the history asked for. */
function presentable(object: AnyObject, asked: string): unknown {
  const copy = structuredClone(object)
  for (const field of Object.keys(identity)) delete copy.metadata[field as keyof typeof identity]
  if (copy.kind === 'Service') hideAllocated(copy.spec as Record<string, unknown>, asked)
  return withoutNothing(copy)
}

function hideAllocated(spec: Record<string, unknown>, asked: string): void {
  const isAllocated = (value: unknown) =>
    (typeof value === 'string' || typeof value === 'number') && !asked.includes(String(value))
  if (isAllocated(spec.clusterIP)) {
    spec.clusterIP = 'allocated'
    spec.clusterIPs = ['allocated']
  }
  for (const port of (spec.ports ?? []) as Record<string, unknown>[])
    if (isAllocated(port.nodePort)) port.nodePort = 'allocated'
  if (isAllocated(spec.healthCheckNodePort)) spec.healthCheckNodePort = 'allocated'
}

function withoutNothing(value: unknown): unknown {
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((item) => withoutNothing(item) ?? null)
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).flatMap(([key, part]) => {
      const kept = withoutNothing(part)
      return kept === undefined ? [] : [[key, kept] as const]
    })
    return entries.length === 0 ? undefined : Object.fromEntries(entries)
  }
  return value === null || value === '' || value === 0 || value === false ? undefined : value
}

const replayed = replay()

describe.each(kinds)('%s', (name) => {
  test('An object is defaulted, stored and refused as the real API server does', () => {
    for (const { of, step, answer } of replayed)
      if (of === name) expect({ step, ...answer }).toEqual({ step, ...expected(step) })
  })
})
