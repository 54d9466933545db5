import { expect } from 'vitest'
import { IngressController } from '../../src/ingress/kinds.ts'
import { ingressClassName } from '../../src/ingress/names.ts'
import {
  Deployment,
  IngressClass,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
} from '../../src/kube/kinds.ts'
import { keyOf, type Live } from '../../src/kube/objects.ts'
import type { FieldChange } from '../../src/plan/field-changes.ts'
import { type ListedObjects, listObjects } from '../../src/plan/listed-objects.ts'
import { changeOf, type ObjectChange } from '../../src/plan/object-changes.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { type Ran, run, type Scenery } from '../captured-world.ts'
import { eventually } from '../kube/cluster.ts'
import type { Cluster } from './cluster.ts'

const kinds = [IngressController, Deployment, Service, PodDisruptionBudget, ServiceAccount, IngressClass]

/** Runs a command of ours against the cluster of a story, as somebody would who works with its operator. */
export function portcullis(cluster: Cluster, args: readonly string[], scenery: Scenery = {}): Promise<Ran> {
  const { operatorNamespace, operandNamespace, platform } = cluster.settings
  const [command = '', ...rest] = args
  const isPlanning = command === 'plan' || command === 'scope'
  const flags = isPlanning
    ? ['--operand-namespace', operandNamespace, ...(platform === undefined ? [] : ['--platform', platform])]
    : []
  return run([command, ...rest, '-n', operatorNamespace, ...flags], { client: cluster.client, ...scenery })
}

/** A plan, and what there was when it was made: to be compared with what then really happens. */
export class PlanWitness {
  readonly plan: Plan
  readonly code: number
  readonly #cluster: Cluster
  readonly #before: ListedObjects

  private constructor(cluster: Cluster, before: ListedObjects, { output, code }: Ran) {
    this.plan = JSON.parse(output) as Plan
    this.code = code
    this.#cluster = cluster
    this.#before = before
  }

  static async of(cluster: Cluster, args: readonly string[], scenery?: Scenery): Promise<PlanWitness> {
    const before = await listObjects(cluster.client, cluster.settings)
    const ran = await portcullis(cluster, ['plan', ...args, '-o', 'json'], scenery)
    expect(ran.told, 'what plan complains about').toBe('')
    const after = await listObjects(cluster.client, cluster.settings)
    expect(changes(before, after), 'what plan itself wrote').toEqual([])
    return new PlanWitness(cluster, before, ran)
  }

  get signs(): string[] {
    return this.plan.changes.map(signOf)
  }

  /** Waits until just that has happened which the plan foretold: no object more or less, and every field of it. */
  async cameTrue(): Promise<void> {
    await eventually(async () => {
      const happened = changes(this.#before, await listObjects(this.#cluster.client, this.#cluster.settings))
      expect(happened.map(signOf).sort()).toEqual(this.signs.sort())
      for (const foretold of this.plan.changes) {
        const real = happened.find((each) => signOf(each) === signOf(foretold))
        const fields = foretold.fields.filter(isOurs)
        expect(fieldsOf(real), signOf(foretold)).toEqual(expect.arrayContaining(fieldsIn(fields)))
        if (foretold.sign === '~') expect(fieldsOf(real)).toHaveLength(fields.length)
      }
    })
  }
}

const signOf = ({ sign, kind, name }: Pick<ObjectChange, 'sign' | 'kind' | 'name'>) =>
  `${sign} ${kind} ${name}`

type Happened = Pick<ObjectChange, 'sign' | 'kind' | 'name' | 'fields'>

function changes(before: ListedObjects, after: ListedObjects): Happened[] {
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

function byKey(objects: readonly Live[] = []): ReadonlyMap<string, Live> {
  return new Map(objects.map((object) => [keyOf(object.metadata), object]))
}

/** The controller manager numbers what it rolls out. */
function isOurs({ path }: FieldChange): boolean {
  return !path.includes('deployment.kubernetes.io/revision')
}

/** As they come out of JSON, where what is absent is left out. */
function fieldsIn(fields: readonly FieldChange[]): object[] {
  return JSON.parse(JSON.stringify(fields)) as object[]
}

function fieldsOf(happened: Happened | undefined): object[] {
  return fieldsIn(happened?.fields ?? [])
}
