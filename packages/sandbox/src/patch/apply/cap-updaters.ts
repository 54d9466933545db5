import { compareBytes } from '../json-value.ts'
import { union } from './field-set.ts'
import { idOf, type Manager, type Owner, type Owners, secondsOf } from './managed-fields.ts'

const most = 10

/** Beyond ten, the oldest updaters of one version are merged under one name. */
export function capUpdaters(owners: Owners): Owners {
  const updaters = [...owners].filter(([, { manager }]) => manager.operation === 'Update')
  let excess = updaters.length - most
  if (excess <= 0) return owners
  updaters.sort(([a, one], [b, other]) => secondsOf(one) - secondsOf(other) || compareBytes(a, b))
  const capped = new Map(owners)
  const firstOf = new Map<string, string>()
  for (const [id, owner] of updaters) {
    if (excess <= 0) break
    const { apiVersion } = owner.manager
    const first = firstOf.get(apiVersion)
    if (first === undefined) {
      firstOf.set(apiVersion, id)
      continue
    }
    putTogether(capped, first, id, owner)
    excess--
  }
  return capped
}

function putTogether(owners: Map<string, Owner>, first: string, id: string, owner: Owner): void {
  const { apiVersion } = owner.manager
  const manager: Manager = { name: 'ancient-changes', operation: 'Update', apiVersion, subresource: '' }
  const bucket = idOf(manager)
  const before = owners.get(bucket) ?? owners.get(first)
  if (!owners.has(bucket)) owners.delete(first)
  const fields = before === undefined ? owner.fields : union(owner.fields, before.fields)
  owners.set(bucket, { manager, fields, time: owner.time })
  if (id !== bucket) owners.delete(id)
}
