import { isObject, type Random } from '@portcullis/kube'
import { type Field, pathText } from './fields.ts'
import { samplesOf } from './samples.ts'

export type Json = unknown
export type JsonObject = { [field: string]: Json }

/** Objects of which only the member that belongs to their type may be set. */
const unions: readonly (readonly [RegExp, Readonly<Record<string, string>>])[] = [
  [
    /endpointPublishingStrategy$/,
    {
      loadBalancer: 'LoadBalancerService',
      hostNetwork: 'HostNetwork',
      nodePort: 'NodePortService',
      private: 'Private',
    },
  ],
  [/providerParameters$/, { aws: 'AWS', gcp: 'GCP', ibm: 'IBM', openstack: 'OpenStack' }],
  [/providerParameters\.aws$/, { classicLoadBalancer: 'Classic', networkLoadBalancer: 'NLB' }],
]

export const unionAt = (path: readonly string[]) => unions.find(([match]) => match.test(pathText(path)))?.[1]

export function pick<T>(items: readonly T[], random: Random): T | undefined {
  return items[Math.floor(random() * items.length)]
}

/** Some value that may stand in a field, as long as what stands beside it does not speak against it. */
export function validValue(field: Field, random: Random, density = 0.5): Json {
  const { schema } = field
  const samples = samplesOf(field).valid
  // A copy: what is made of it must not become of the sample.
  if (samples.length > 0 && schema.type !== 'array') return structuredClone(pick(samples, random))
  if (schema.type === 'object') return validObject(field, random, density)
  if (schema.type === 'array') return validList(field, 1 + Math.floor(random() * 2), random)
  if (schema.type === 'integer') return schema.minimum ?? 0
  return schema.type === 'boolean' ? random() < 0.5 : 'some text'
}

function validObject(field: Field, random: Random, density: number): JsonObject {
  const { schema, path } = field
  const union = unionAt(path)
  const { properties = {}, required = [] } = schema
  const result: JsonObject = {}
  for (const name of Object.keys(properties)) {
    if (union !== undefined && Object.hasOwn(union, name)) continue
    if (required.includes(name) || random() < density)
      result[name] = validValue(childOf(field, name), random, density)
  }
  const own = Object.keys(union ?? {}).find((member) => union?.[member] === result['type'])
  if (own !== undefined && random() < 0.7) result[own] = validValue(childOf(field, own), random, density)
  return consistent(result)
}

/** So many different ones, as far as there are. */
export function validList(field: Field, length: number, random: Random): Json[] {
  const item = childOf(field, '[]')
  const samples = samplesOf(item).valid
  if (samples.length === 0) return [validValue(item, random)]
  const start = Math.floor(random() * samples.length)
  const count = Math.min(length, samples.length)
  return Array.from({ length: count }, (_, at) => structuredClone(samples[(start + at) % samples.length]))
}

export function childOf({ path, schema }: Field, name: string): Field {
  const child =
    name === '[]' ? schema.items : name === '{}' ? schema.additionalProperties : schema.properties?.[name]
  if (child === undefined) throw new Error(`${pathText(path)} has no ${name}`)
  return { path: [...path, name], schema: child, isRequired: schema.required?.includes(name) ?? false }
}

/** Takes out what cannot stand together. */
function consistent(value: JsonObject): JsonObject {
  const { scope, providerParameters, dnsRecordsType, loadBalancer } = value
  const isUserManaged = isObject(loadBalancer) && loadBalancer['type'] === 'UserManaged'
  if (dnsRecordsType === 'External' && !isUserManaged) delete value['dnsRecordsType']
  if (isObject(value['subnets']) && value['eipAllocations'] !== undefined) delete value['eipAllocations']
  if (scope !== 'Internal' || !isObject(providerParameters)) return value
  const { aws, openstack } = providerParameters
  if (isObject(openstack)) delete openstack['floatingIP']
  if (isObject(aws) && isObject(aws['networkLoadBalancer']))
    delete aws['networkLoadBalancer']['eipAllocations']
  return value
}

/**
 * The object with all that it takes to hold the field: what is missing above it is added, and what excludes it goes.
 * Items of lists are the first ones; in maps the key is `shard`.
 */
export function makeRoomFor(root: JsonObject, field: Field, rootField: Field, random: Random): JsonObject {
  const result = structuredClone(root)
  let [value, at]: [JsonObject, Field] = [result, rootField]
  for (const name of field.path.slice(rootField.path.length, -1)) {
    claimUnion(value, at.path, name)
    // Public addresses need a public load balancer.
    if (name === 'providerParameters' && field.path.some(isPublicAddress)) value['scope'] = 'External'
    const child = childOf(at, name)
    const key = keyFor(name)
    const container = value as Record<string, Json>
    if (!isObject(container[key]) && !Array.isArray(container[key]))
      container[key] = validValue(child, random, 0.2)
    value = container[key] as JsonObject
    at = child
  }
  claimUnion(value, at.path, field.path.at(-1) ?? '')
  return consistentThroughout(result)
}

function consistentThroughout(value: JsonObject): JsonObject {
  for (const child of Object.values(value)) if (isObject(child)) consistentThroughout(child)
  return consistent(value)
}

const isPublicAddress = (name: string) => name === 'eipAllocations' || name === 'floatingIP'

function claimUnion(value: JsonObject, path: readonly string[], member: string): void {
  // As many of the one as of the other: easiest without.
  if (member === 'eipAllocations') delete value['subnets']
  const union = unionAt(path)
  if (union === undefined || !Object.hasOwn(union, member)) return
  for (const other of Object.keys(union)) if (other !== member) delete value[other]
  value['type'] = union[member]
}

function keyFor(name: string): string {
  return name === '[]' ? '0' : name === '{}' ? 'shard' : name
}

/** Where a field is in an object. */
export function placeOf(field: Field, rootField: Field): readonly string[] {
  return field.path.slice(rootField.path.length).map(keyFor)
}

export function valueAt(root: Json, place: readonly string[]): Json {
  return place.reduce<Json>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as JsonObject)[key]
        : undefined,
    root,
  )
}

/** The object with room for the field and with this value in it. */
export function holding(
  root: JsonObject,
  field: Field,
  rootField: Field,
  value: Json,
  random: Random,
): JsonObject {
  const place = placeOf(field, rootField)
  if (place.length === 0) return value as JsonObject
  return withValue(makeRoomFor(root, field, rootField, random), place, value)
}

/** The object without the field; where something always stands there, without what it is in. */
export function lacking(root: JsonObject, field: Field, rootField: Field): JsonObject | undefined {
  let [at, optional] = [rootField, rootField]
  for (const name of field.path.slice(rootField.path.length)) {
    at = childOf(at, name)
    const isAlwaysThere = at.isRequired || at.schema.default !== undefined || isItem(at)
    if (!isAlwaysThere) optional = at
  }
  return optional === rootField ? undefined : withValue(root, placeOf(optional, rootField), undefined)
}

/** Whether a field is the item of a list or the value of a map. */
export function isItem({ path }: Field): boolean {
  return path.at(-1) === '[]' || path.at(-1) === '{}'
}

/** A copy in which the place has another value; undefined takes it out. */
export function withValue(root: JsonObject, place: readonly string[], value: Json): JsonObject {
  const result = structuredClone(root)
  const parent = valueAt(result, place.slice(0, -1))
  const key = place.at(-1)
  if (typeof parent !== 'object' || parent === null || key === undefined) return result
  if (value !== undefined) (parent as JsonObject)[key] = value
  else if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else delete (parent as JsonObject)[key]
  return result
}

/** As messages write it: `spec.nodePlacement.tolerations[0].key`. */
export function placeText(part: string, place: readonly string[]): string {
  return [part, ...place].join('.').replace(/\.(\d+)(?=\.|$)/g, '[$1]')
}
