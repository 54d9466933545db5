import { type AnyObject, type FieldError, invalid } from '@portcullis/schema'
import type { ServiceSpec } from 'kubernetes-types/core/v1'
import type { ClusterView } from '../resource.ts'
import { familyOf, numberOf } from './addresses.ts'
import { specOf } from './kind.ts'
import { validateClusterIps } from './service-cluster-ips.ts'
import {
  getsNodePorts,
  isHeadless,
  mayHaveNodePorts,
  needsClusterIp,
  needsHealthCheck,
  nodePortOf,
  nodePortsOf,
} from './service-types.ts'

/** Addresses come from 10.96.0.0/16; the lower part is for Services that ask for an address, until the rest is used up. */
const addresses = { prefix: '10.96.0.0/16', first: 0x0a600001, last: 0x0a60fffe, dynamicFrom: 0x0a600101 }
const nodePorts = { first: 30000, last: 32767, dynamicFrom: 30086 }
/** What a dry run gives: the network's own address, and ports from here on, which are never allocated. */
const dummies = { address: '10.96.0.0', firstPort: 32769 }

const services = { group: '', plural: 'services' }

/**
 * Gives a new Service its addresses and ports. The server does this before it validates, and where it fails that is
 * all that it reports.
 */
export function allocateForCreate(object: AnyObject, cluster: ClusterView): FieldError[] {
  const spec = specOf<ServiceSpec>(object)
  if (isSet(spec.clusterIP) && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP ?? '']
  const taken = new Taken(cluster)
  const errors = setFamilies(spec, undefined)
  if (errors.length > 0) return errors
  return firstOf(
    () => (needsClusterIp(spec) ? allocateAddresses(spec, taken, object.metadata.name ?? '') : []),
    () => (mayHaveNodePorts(spec) ? allocateNodePorts(spec, taken) : []),
    () => (needsHealthCheck(spec) ? allocateHealthCheckPort(spec, taken) : []),
  )
}

/** The same for an update: what was given before is kept where the update does not say otherwise. */
export function allocateForUpdate(object: AnyObject, old: AnyObject, cluster: ClusterView): FieldError[] {
  const spec = specOf<ServiceSpec>(object)
  const before = specOf<ServiceSpec>(old)
  keepAllocated(spec, before)
  normalizeClusterIps(spec, before)
  const taken = new Taken(cluster)
  const errors = setFamilies(spec, before)
  if (errors.length > 0) return errors
  const comesToNeedAddress = !needsClusterIp(before) && needsClusterIp(spec)
  return firstOf(
    () => (comesToNeedAddress ? allocateAddresses(spec, taken, object.metadata.name ?? '') : []),
    () => (mayHaveNodePorts(spec) ? updateNodePorts(spec, before, taken) : []),
    () => (!needsHealthCheck(before) && needsHealthCheck(spec) ? allocateHealthCheckPort(spec, taken) : []),
  )
}

/** What Services have, and what one more is given. */
class Taken {
  readonly isDryRun: boolean
  readonly #cluster: ClusterView
  readonly #addresses = new Set<string>()
  readonly #ports = new Set<number>()
  readonly #given: number[] = []

  constructor(cluster: ClusterView) {
    this.#cluster = cluster
    this.isDryRun = cluster.isDryRun ?? false
    for (const service of cluster.list(services)) {
      const spec = (service.spec ?? {}) as ServiceSpec
      for (const address of spec.clusterIPs ?? []) this.#addresses.add(address)
      for (const port of nodePortsOf(spec)) this.#ports.add(port)
      if (spec.healthCheckNodePort !== undefined) this.#ports.add(spec.healthCheckNodePort)
    }
  }

  takeAddress(address: string): string | undefined {
    const number = Number(numberOf(address))
    if (number < addresses.first || number > addresses.last)
      return this.isDryRun
        ? `the provided IP (${address}) is not in the valid range. The range of valid IPs is 10.96.0.0/16`
        : `the provided network does not match the current range`
    // A dry run looks no further.
    if (this.isDryRun) return undefined
    if (this.#addresses.has(address)) return 'provided IP is already allocated'
    this.#addresses.add(address)
    return undefined
  }

  takePort(port: number): string | undefined {
    const isInRange = port >= nodePorts.first && port <= nodePorts.last
    // A dry run does not look at the range.
    if (!isInRange && !this.isDryRun)
      return `provided port is not in the valid range. The range of valid ports is ${nodePorts.first}-${nodePorts.last}`
    if (this.#ports.has(port)) return 'provided port is already allocated'
    this.#give(port)
    return undefined
  }

  nextAddress(): string | undefined {
    if (this.isDryRun) return dummies.address
    const free = this.#next(addresses, (number) => !this.#addresses.has(dotted(number)))
    if (free === undefined) return undefined
    this.#addresses.add(dotted(free))
    return dotted(free)
  }

  nextPort(): number | undefined {
    const free = this.isDryRun
      ? Math.max(...(this.#given.length > 0 ? this.#given : [dummies.firstPort - 1])) + 1
      : this.#next(nodePorts, (port) => !this.#ports.has(port))
    if (free !== undefined) this.#give(free)
    return free
  }

  #give(port: number): void {
    this.#ports.add(port)
    this.#given.push(port)
  }

  /** Any one of the upper part, then of the lower part. */
  #next(
    range: { readonly first: number; readonly last: number; readonly dynamicFrom: number },
    isFree: (number: number) => boolean,
  ): number | undefined {
    return (
      this.#nextBetween(range.dynamicFrom, range.last, isFree) ??
      this.#nextBetween(range.first, range.dynamicFrom - 1, isFree)
    )
  }

  #nextBetween(first: number, last: number, isFree: (number: number) => boolean): number | undefined {
    const size = last - first + 1
    const start = Math.floor(this.#cluster.random() * size)
    for (let step = 0; step < size; step++) {
      const number = first + ((start + step) % size)
      if (isFree(number)) return number
    }
    return undefined
  }
}

function allocateAddresses(spec: ServiceSpec, taken: Taken, name: string): FieldError[] {
  if (isHeadless(spec)) return []
  const [wanted] = spec.clusterIPs ?? []
  if (wanted !== undefined && wanted !== '') {
    const problem = taken.takeAddress(wanted)
    if (problem === undefined) return []
    return [invalid('spec.clusterIPs', spec.clusterIPs, `failed to allocate IP ${wanted}: ${problem}`)]
  }
  const address = taken.nextAddress()
  if (address === undefined)
    return [{ reason: 'InternalError', field: 'spec.clusterIPs', message: 'Internal error: range is full' }]
  // An address is an object of its own there, which names the Service that has it.
  if (name === '' && !taken.isDryRun) {
    const problem = `IPAddress.networking.k8s.io "${address}" is invalid: spec.parentRef.name: Required value`
    return [invalid('spec.clusterIPs', [''], `failed to allocate IP: ${problem}`)]
  }
  spec.clusterIPs = [address]
  spec.clusterIP = address
  return []
}

/** A port that two protocols share gets one node port. */
function allocateNodePorts(spec: ServiceSpec, taken: Taken): FieldError[] {
  const given = new Map<number, number>()
  const ports = spec.ports ?? []
  for (const [index, port] of ports.entries()) {
    const asked = nodePortOf(port)
    if (asked === 0 && !getsNodePorts(spec)) continue
    const shared = given.get(port.port)
    if (shared === asked && shared !== undefined) continue
    if (shared !== undefined && asked === 0) {
      port.nodePort = shared
      continue
    }
    const same = ports.find((other) => other.port === port.port && nodePortOf(other) !== 0)
    const wanted = shared === undefined ? (same?.nodePort ?? 0) : asked
    if (wanted === 0) {
      const free = taken.nextPort()
      if (free === undefined) return [outOfPorts]
      port.nodePort = free
      given.set(port.port, free)
      continue
    }
    const problem = taken.takePort(wanted)
    if (problem !== undefined) return [invalid(`spec.ports[${index}].nodePort`, wanted, problem)]
    if (shared !== undefined) continue
    port.nodePort = wanted
    given.set(port.port, wanted)
  }
  return []
}

function updateNodePorts(spec: ServiceSpec, before: ServiceSpec, taken: Taken): FieldError[] {
  const had = new Set(nodePortsOf(before))
  const now = new Set<number>()
  const pairs = new Set<string>()
  for (const [index, port] of (spec.ports ?? []).entries()) {
    const asked = nodePortOf(port)
    if (asked === 0) {
      if (!getsNodePorts(spec)) continue
      const free = taken.nextPort()
      if (free === undefined) return [outOfPorts]
      port.nodePort = free
    } else if (!had.has(asked) && !now.has(asked)) {
      const problem = taken.takePort(asked)
      if (problem !== undefined) return [invalid(`spec.ports[${index}].nodePort`, asked, problem)]
      now.add(asked)
    }
    const pair = `{${port.protocol ?? ''} ${nodePortOf(port)}}`
    if (pairs.has(pair))
      return [{ reason: 'Unknown', field: `spec.ports[${index}]`, message: `duplicate nodePort: ${pair}` }]
    pairs.add(pair)
  }
  return []
}

function allocateHealthCheckPort(spec: ServiceSpec, taken: Taken): FieldError[] {
  const asked = spec.healthCheckNodePort ?? 0
  if (asked === 0) {
    const free = taken.nextPort()
    if (free === undefined) return [outOfPorts]
    spec.healthCheckNodePort = free
    return []
  }
  const problem = taken.takePort(asked)
  if (problem === undefined) return []
  const message = `Internal error: failed to allocate requested HealthCheck NodePort ${asked}: ${problem}`
  return [{ reason: 'InternalError', field: 'spec.healthCheckNodePort', message }]
}

const outOfPorts: FieldError = {
  reason: 'InternalError',
  field: 'spec.ports',
  message: 'Internal error: failed to allocate a nodePort: range is full',
}

/** The IP families and their policy, on a cluster that has IPv4 only. */
function setFamilies(spec: ServiceSpec, before: ServiceSpec | undefined): FieldError[] {
  if (!needsClusterIp(spec)) return []
  if (before !== undefined && prefersDualStackAsBefore(spec, before)) return []
  const withoutSelector = spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0
  spec.ipFamilyPolicy ??= before?.ipFamilyPolicy ?? (withoutSelector ? 'RequireDualStack' : 'SingleStack')
  const wrong = validateClusterIps(spec, before)
  if (wrong.length > 0) return wrong

  const errors: FieldError[] = []
  const policy = spec.ipFamilyPolicy
  const single = policy === 'SingleStack'
  const refuse = (detail: string) => errors.push(invalid('spec.ipFamilyPolicy', policy, detail))
  if (before !== undefined && single) {
    if (sameList(spec.clusterIPs, before.clusterIPs) && (spec.clusterIPs ?? []).length > 1)
      spec.clusterIPs = (spec.clusterIPs ?? []).slice(0, 1)
    if (sameList(spec.ipFamilies, before.ipFamilies) && (spec.ipFamilies ?? []).length > 1)
      spec.ipFamilies = (spec.ipFamilies ?? []).slice(0, 1)
  } else if (before !== undefined) {
    if (isReduced(spec.clusterIPs, before.clusterIPs))
      refuse("must be 'SingleStack' to release the secondary cluster IP")
    if (isReduced(spec.ipFamilies, before.ipFamilies))
      refuse("must be 'SingleStack' to release the secondary IP family")
  }
  if (single && spec.clusterIPs?.length === 2)
    refuse("must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified")
  if (single && spec.ipFamilies?.length === 2)
    refuse("must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified")
  const families = [...(spec.ipFamilies ?? [])]
  for (const [index, address] of (spec.clusterIPs ?? []).entries()) {
    if (address === 'None') break
    if (index < families.length) continue
    if (familyOf(address) === 'IPv4') families.push('IPv4')
    else
      errors.push(
        invalid(`spec.clusterIPs[${index}]`, spec.clusterIPs, 'IPv6 is not configured on this cluster'),
      )
  }
  if (errors.length > 0) return errors
  if (withoutSelector) {
    if (families.length === 0) families.push('IPv4')
    if (families.length === 1 && !single) families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4')
    spec.ipFamilies = families
    return []
  }
  if (policy === 'RequireDualStack') refuse('this cluster is not configured for dual-stack services')
  for (const [index, family] of families.entries())
    if (family !== 'IPv4')
      errors.push(invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'))
  if (errors.length > 0) return errors
  spec.ipFamilies = families.length === 0 ? ['IPv4'] : families
  return []
}

function prefersDualStackAsBefore(spec: ServiceSpec, before: ServiceSpec): boolean {
  return (
    spec.type === before.type &&
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    (before.ipFamilyPolicy ?? 'PreferDualStack') === 'PreferDualStack' &&
    sameList(spec.clusterIPs, before.clusterIPs) &&
    sameList(spec.ipFamilies, before.ipFamilies)
  )
}

function keepAllocated(spec: ServiceSpec, before: ServiceSpec): void {
  if (needsClusterIp(before) && needsClusterIp(spec)) {
    if (!isSet(spec.clusterIP) && before.clusterIP !== undefined) spec.clusterIP = before.clusterIP
    if ((spec.clusterIPs ?? []).length === 0 && before.clusterIPs !== undefined)
      spec.clusterIPs = [...before.clusterIPs]
  }
  if (getsNodePorts(before) && getsNodePorts(spec)) {
    const used = new Set(nodePortsOf(before).filter((port) => nodePortsOf(spec).includes(port)))
    const byName = new Map((before.ports ?? []).map((port) => [port.name ?? '', nodePortOf(port)]))
    for (const port of spec.ports ?? []) {
      const had = byName.get(port.name ?? '') ?? 0
      if (nodePortOf(port) === 0 && had !== 0 && !used.has(had)) port.nodePort = had
    }
  }
  if (needsHealthCheck(before) && needsHealthCheck(spec) && (spec.healthCheckNodePort ?? 0) === 0)
    if (before.healthCheckNodePort !== undefined) spec.healthCheckNodePort = before.healthCheckNodePort
}

/** Old clients know `clusterIP` only. */
function normalizeClusterIps(spec: ServiceSpec, before: ServiceSpec): void {
  const same = (spec.clusterIP ?? '') === (before.clusterIP ?? '')
  if ((before.clusterIPs ?? []).length > 0 && (spec.clusterIPs ?? []).length === 0 && same)
    spec.clusterIPs = [...(before.clusterIPs ?? [])]
  if (same || !sameList(spec.clusterIPs, before.clusterIPs)) return
  if (isSet(spec.clusterIP)) spec.clusterIPs = [spec.clusterIP ?? '']
  else if (isSet(before.clusterIP)) delete spec.clusterIPs
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}

function sameList(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index])
}

/** The second one is gone, and the first one stayed. */
function isReduced(now: readonly string[] = [], before: readonly string[] = []): boolean {
  return now.length === 1 && before.length === 2 && now[0] === before[0]
}

function dotted(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.')
}

function firstOf(...steps: readonly (() => FieldError[])[]): FieldError[] {
  for (const step of steps) {
    const errors = step()
    if (errors.length > 0) return errors
  }
  return []
}
