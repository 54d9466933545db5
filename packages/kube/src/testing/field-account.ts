import { isObject, isSameJson, type MergePatch } from '../objects/merge-patch.ts'

/** Which manager set which field of one object, as in `metadata.managedFields`: each change makes its manager the owner. */
export class FieldAccount {
  readonly #owners = new Map<string, Owner>()
  readonly #writtenAt = new Map<string, string>()

  /** Books everything that differs between two states of the object. */
  book(manager: string, before: object, after: object, time: string): void {
    const [old, now] = [leavesOf(before), leavesOf(after)]
    for (const id of old.keys()) {
      const owner = this.#owners.get(id)
      if (now.has(id) || owner === undefined) continue
      this.#owners.delete(id)
      if (owner.manager === manager) this.#writtenAt.set(idOf(owner), time)
    }
    for (const [id, { path, value }] of now) {
      const had = old.get(id)
      if (had !== undefined && isSameJson(had.value, value)) continue
      const owner = { path, manager }
      this.#owners.set(id, owner)
      this.#writtenAt.set(idOf(owner), time)
    }
  }

  get managedFields(): object[] {
    const owners = [...this.#owners.values()]
    const ids = new Set(owners.map(idOf))
    return [...ids].map((id) => {
      const [manager, subresource] = id.split(' ')
      return {
        manager,
        operation: 'Update',
        time: this.#writtenAt.get(id),
        ...(subresource && { subresource }),
        fieldsType: 'FieldsV1',
        fieldsV1: treeOf(owners.filter((owner) => idOf(owner) === id)),
      }
    })
  }
}

interface Owner {
  readonly path: readonly string[]
  readonly manager: string
}

/** What is written to the status is written to another subresource. */
function idOf({ path, manager }: Owner): string {
  return `${manager} ${path[0] === 'f:status' ? 'status' : ''}`
}

function treeOf(owners: readonly Owner[]): object {
  const tree: MergePatch = {}
  for (const { path } of owners) {
    let at = tree
    for (const step of path) at = (at[step] ??= {}) as MergePatch
  }
  return tree
}

type Leaves = Map<string, { readonly path: readonly string[]; readonly value: unknown }>

/** Fields that the server itself sets have no owner. */
const unaccounted = new Set(['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'managedFields'])

function leavesOf(object: object): Leaves {
  const leaves: Leaves = new Map()
  const { metadata, spec, status } = object as { metadata?: object; spec?: object; status?: object }
  const named = Object.entries(metadata ?? {}).filter(([field]) => !unaccounted.has(field))
  visit({ metadata: Object.fromEntries(named), spec, status }, [], leaves)
  return leaves
}

function visit(value: unknown, path: readonly string[], leaves: Leaves): void {
  if (value === undefined) return
  const keys = Array.isArray(value) ? itemKeys[path.at(-1) ?? ''] : undefined
  if (isObject(value) && Object.keys(value).length > 0 && !undivided.has(path.at(-1) ?? '')) {
    for (const [field, part] of Object.entries(value)) visit(part, [...path, `f:${field}`], leaves)
  } else if (keys !== undefined) {
    for (const item of (value as unknown[]).filter(isObject)) {
      const key = Object.fromEntries(keys.filter((name) => name in item).map((name) => [name, item[name]]))
      const itemPath = [...path, `k:${JSON.stringify(key)}`]
      leaves.set([...itemPath, '.'].join('/'), { path: [...itemPath, '.'], value: true })
      visit(item, itemPath, leaves)
    }
  } else leaves.set(path.join('/'), { path, value })
}

/** Atomic maps: whoever changes something in one owns all of it. */
const undivided = new Set(['f:nodeSelector', 'f:selector', 'f:labelSelector'])

/** Lists whose items the server tells apart, as the OpenAPI document of Kubernetes says. */
const itemKeys: Readonly<Record<string, readonly string[]>> = {
  'f:containers': ['name'],
  'f:env': ['name'],
  'f:volumes': ['name'],
  'f:volumeMounts': ['mountPath'],
  'f:ports': ['containerPort', 'port', 'protocol'],
  'f:topologySpreadConstraints': ['topologyKey', 'whenUnsatisfiable'],
}
