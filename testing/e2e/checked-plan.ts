import {
  type CapturedIOOptions,
  type CommandResult,
  run,
} from '@portcullis/cli/internal/testing/captured-io.ts'
import {
  Deployment,
  Ingress,
  IngressClass,
  keyOf,
  type Persisted,
  PodDisruptionBudget,
  Service,
} from '@portcullis/kube'
import {
  type IngressControllerObject as Controller,
  type ControllerPlan,
  type FieldChange,
  IngressController,
  type ListedObjects,
  listObjects,
  type Plan,
  publishedAddress,
  snapshotFrom,
} from '@portcullis/operator'
import { type Address, addressesEqual } from '@portcullis/operator/internal/addresses/address.ts'
import { unhealthyConditions } from '@portcullis/operator/internal/ingress/conditions/unhealthy-conditions.ts'
import { decide } from '@portcullis/operator/internal/ingress/decide.ts'
import { ingressClassName } from '@portcullis/operator/internal/ingress/names.ts'
import { changeOf, type ObjectChange } from '@portcullis/operator/internal/plan/object-changes.ts'
import { portToCome } from '@portcullis/operator/internal/plan/simulated-node-ports.ts'
import type { Ingress as IngressObject } from 'kubernetes-types/networking/v1'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Cluster } from './cluster.ts'

const kinds = [IngressController, Deployment, Service, PodDisruptionBudget, IngressClass]

/** Runs a portcullis command against the cluster of a story, with the settings of its operator. */
export function portcullis(
  cluster: Cluster,
  args: readonly string[],
  options: CapturedIOOptions = {},
): Promise<CommandResult> {
  const { operatorNamespace, operandNamespace, platform } = cluster.settings
  const [command = '', ...rest] = args
  const isPlanning = command === 'plan' || command === 'scope'
  const flags = isPlanning
    ? ['--operand-namespace', operandNamespace, ...(platform === undefined ? [] : ['--platform', platform])]
    : []
  return run([command, ...rest, '-n', operatorNamespace, ...flags], { client: cluster.client, ...options })
}

/** A plan, and what there was when it was made: to be compared with what then really happens. */
export class CheckedPlan {
  readonly plan: Plan
  readonly code: number
  readonly #cluster: Cluster
  readonly #before: ListedObjects

  private constructor(cluster: Cluster, before: ListedObjects, { stdout, code }: CommandResult) {
    this.plan = JSON.parse(stdout) as Plan
    this.code = code
    this.#cluster = cluster
    this.#before = before
  }

  static async of(
    cluster: Cluster,
    args: readonly string[],
    options?: CapturedIOOptions,
  ): Promise<CheckedPlan> {
    const before = await listObjects(cluster.client, cluster.settings)
    const ran = await portcullis(cluster, ['plan', ...args, '-o', 'json'], options)
    expect(ran.stderr, 'what plan complains about').toBe('')
    const after = await listObjects(cluster.client, cluster.settings)
    expect(changes(before, after), 'what plan itself wrote').toEqual([])
    return new CheckedPlan(cluster, before, ran)
  }

  get signs(): string[] {
    return this.plan.changes.map(signOf)
  }

  /**
   * Waits until just that has happened which the plan foretold: no object more or less, every field of it, the addresses
   * that it named, as many Ingresses, who is cut off, and what is wrong.
   */
  async cameTrue(withinMs?: number): Promise<void> {
    await eventually(async () => {
      const after = await listObjects(this.#cluster.client, this.#cluster.settings)
      const happened = changes(this.#before, after)
      expect(happened.map(signOf).sort()).toEqual(this.signs.sort())
      for (const planned of this.plan.changes) {
        const real = happened.find((each) => signOf(each) === signOf(planned))
        const fields = planned.fields.filter(isOurs)
        expect(fieldsOf(real), signOf(planned)).toEqual(expect.arrayContaining(fieldsIn(fields)))
        if (planned.sign === '~') expect(fieldsOf(real)).toHaveLength(fields.length)
      }
      for (const outlook of this.plan.controllers) this.#matches(outlook, after)
      if (this.#isCutOff(happened, after)) expect(this.code, 'a client is cut off').toBe(3)
    }, withinMs)
  }

  #matches({ name, addresses, ingresses, problems }: ControllerPlan, after: ListedObjects): void {
    const { status } = controllerIn(after, name) ?? {}
    const published = publishedAddress(status).split(',').filter(Boolean)
    if (addresses.decidedBy === undefined) expect(published, `addresses of ${name}`).toEqual(addresses.after)
    else expect(published, `addresses of ${name}`).toHaveLength(addresses.after.length)
    if (addresses.decidedBy !== 'scheduler')
      expect(movedIngresses(name, this.#before, after), `Ingresses of ${name}`).toBe(ingresses.count)
    const complaints = unhealthyConditions(status?.conditions).map(({ type, reason }) => `${type} ${reason}`)
    expect(complaints, `what is wrong with ${name}`).toEqual(
      expect.arrayContaining(problems.map(({ condition, reason }) => `${condition} ${reason}`)),
    )
  }

  /** Whether an address or a port that led to a controller does not any more; a load balancer that remains is the cloud's. */
  #isCutOff(happened: readonly ObservedChange[], after: ListedObjects): boolean {
    return this.plan.controllers.some(({ name }) => {
      const [had, has] = [this.#before, after].map((objects) => this.#doorsOf(name, objects))
      const isReconfigured = happened.some((each) => signOf(each) === `~ Service router-${name}`)
      return !isReconfigured && had?.some((door) => !has?.includes(door))
    })
  }

  #doorsOf(name: string, objects: ListedObjects): string[] {
    const snapshot = snapshotFrom(objects, this.#cluster.settings, name, new Date())
    const addresses: readonly Address[] = snapshot === undefined ? [] : decide(snapshot).addresses
    return addresses.flatMap(({ ip, hostname, ports = [] }) =>
      ports.length === 0 ? `${ip ?? hostname}` : ports.map(({ port }) => `${ip ?? hostname}:${port}`),
    )
  }
}

const signOf = ({ sign, kind, name }: Pick<ObjectChange, 'sign' | 'kind' | 'name'>) =>
  `${sign} ${kind} ${name}`

type ObservedChange = Pick<ObjectChange, 'sign' | 'kind' | 'name' | 'fields'>

function changes(before: ListedObjects, after: ListedObjects): ObservedChange[] {
  return kinds.flatMap(({ kind }) => {
    const [had, has] = [byKey(before[kind]), byKey(after[kind])]
    const keys = [...new Set([...had.keys(), ...has.keys()])].filter((key) => isOfStory(kind, key, after))
    return keys.flatMap((key) => {
      const change = changeOf(had.get(key), has.get(key))
      const fields = change?.fields.filter(isOurs) ?? []
      const isNone = change === undefined || (change.sign === '~' && fields.length === 0)
      return isNone ? [] : [{ ...change, fields, kind, name: key.split('/').at(-1) ?? '' }]
    })
  })
}

/** Classes and node ports are everybody's: only what is in the namespaces of the story, and its classes, is looked at. */
function isOfStory(kind: string, key: string, objects: ListedObjects): boolean {
  const controllers = (objects[IngressController.kind] ?? []).map(({ metadata }) => metadata)
  if (kind === IngressClass.kind) return controllers.some(({ name }) => ingressClassName(name) === key)
  if (kind !== Service.kind) return true
  const [deployment] = objects[Deployment.kind] ?? []
  return key.split('/')[0] === deployment?.metadata.namespace
}

function byKey(objects: readonly Persisted[] = []): ReadonlyMap<string, Persisted> {
  return new Map(objects.map((object) => [keyOf(object.metadata), object]))
}

/** The controller manager numbers what it rolls out. */
function isOurs({ path }: FieldChange): boolean {
  return !path.includes('deployment.kubernetes.io/revision')
}

/** As they come out of JSON, where what is absent is left out; a port that was not known is any. */
function fieldsIn(fields: readonly FieldChange[]): object[] {
  const plain = JSON.parse(JSON.stringify(fields)) as FieldChange[]
  return plain.map((field) =>
    field.to === portToCome ? { ...field, to: expect.any(Number) as number } : field,
  )
}

function controllerIn(objects: ListedObjects, name: string): Persisted<Controller> | undefined {
  return objects[IngressController.kind]?.find(({ metadata }) => metadata.name === name)
}

/** How many Ingresses of a controller's class say something else than before. */
function movedIngresses(controller: string, before: ListedObjects, after: ListedObjects): number {
  const had = byKey(before[Ingress.kind]) as ReadonlyMap<string, Persisted<IngressObject>>
  const has = byKey(after[Ingress.kind]) as ReadonlyMap<string, Persisted<IngressObject>>
  return [...has].filter(([key, { spec, status }]) => {
    if (spec?.ingressClassName !== ingressClassName(controller)) return false
    const said = had.get(key)?.status?.loadBalancer?.ingress ?? []
    return !addressesEqual(said, status?.loadBalancer?.ingress ?? [])
  }).length
}

function fieldsOf(happened: ObservedChange | undefined): object[] {
  return fieldsIn(happened?.fields ?? [])
}
