import type { Random } from '@portcullis/kube'
import { applied, type Change } from './changes.ts'
import {
  isAnswered,
  isProperRefusal,
  namesTheField,
  nothingChanges,
  refusalOf,
  rightVerdict,
} from './checks.ts'
import { ClusterUnderChange, type Declared, type Part } from './cluster-under-change.ts'
import { comparedWithout, exceptions } from './exceptions.ts'
import { type Field, fieldsOf, type MutatedKind } from './fields.ts'
import { controllerKey, differences, type State, stateOf } from './state.ts'
import { type JsonObject, placeOf, placeText } from './values.ts'

/** What was done, and what was wrong with what came of it. */
export interface StepResult {
  readonly what: string
  readonly fate: 'refused by the API server' | 'not admitted' | 'done' | 'no change'
  readonly broken: readonly string[]
}

const roots = new Map<string, Field>()
for (const kind of ['IngressController', 'Infrastructure'] as const)
  for (const field of fieldsOf(kind))
    if (field.path.length === 1) roots.set(`${kind} ${field.path[0]}`, field)

export function rootOf(kind: MutatedKind, field: Field): Field {
  const root = roots.get(`${kind} ${field.path[0]}`)
  if (root === undefined) throw new Error(`${kind} has no ${field.path[0]}`)
  return root
}

interface ChangeContext {
  readonly part: Part
  readonly place: readonly string[]
  readonly live: JsonObject | undefined
  readonly before: State
  readonly compares: boolean
}

/** Plays changes on one cluster, and judges what comes of each. */
export class ChangeRun {
  readonly cluster: ClusterUnderChange
  readonly #beginning: Declared

  private constructor(cluster: ClusterUnderChange) {
    this.cluster = cluster
    this.#beginning = cluster.declared
  }

  static async with(declared: Declared): Promise<ChangeRun> {
    const cluster = await ClusterUnderChange.with(declared)
    cluster.takeWrites()
    return new ChangeRun(cluster)
  }

  end(): void {
    this.cluster.end()
  }

  /** Writes a status of the controller that the operator has not seen yet when the next change comes. */
  writeStatus(status: JsonObject | undefined): void {
    const answer = this.cluster.write('IngressController', 'status', status, 'replace')
    if (answer.code >= 300) throw new Error(`The status is refused: ${answer.message}`)
  }

  /** One change of one field, and all that follows. */
  async change(kind: MutatedKind, change: Change, random: Random, compares = true): Promise<StepResult> {
    const root = rootOf(kind, change.field)
    const part = change.field.path[0] as Part
    const object = this.cluster.live(kind)
    const live = object?.[part] as JsonObject | undefined
    const next = applied(live, change, root, random)
    const place = placeOf(change.field, root)
    const what = `${kind} ${change.kind}: ${placeText(part, place)} = ${JSON.stringify(change.value)?.slice(0, 200) ?? 'absent'}`
    const removesAll = change.kind === 'remove' && place.length === 0 && live !== undefined
    if (object === undefined || (next === undefined && !removesAll))
      return { what, fate: 'no change', broken: [] }
    const before = stateOf(this.cluster)
    this.cluster.takeWrites()
    const answer = this.cluster.write(kind, part, next, random() < 0.5 ? 'replace' : 'patch')
    if (answer.code >= 300) {
      return {
        what,
        fate: 'refused by the API server',
        broken: [
          ...isProperRefusal(answer),
          ...rightVerdict(change, answer.message),
          ...namesTheField(change, part, place, answer.message),
          ...(this.cluster.live(kind) === object ? [] : ['it was refused, and stored']),
        ],
      }
    }
    return { what, ...(await this.#afterwards(kind, change, { part, place, live, before, compares })) }
  }

  async #afterwards(
    kind: MutatedKind,
    change: Change,
    { part, place, live, before, compares }: ChangeContext,
  ): Promise<Omit<StepResult, 'what'>> {
    const broken = [...(await this.cluster.rest()), ...isAnswered(this.cluster.controller)]
    const refusal = refusalOf(this.cluster.controller.status)
    const writes = this.cluster.takeWrites()
    if (refusal === undefined) {
      broken.push(...rightVerdict(change, undefined), ...(await this.#check(compares)))
      return { fate: 'done', broken }
    }
    broken.push(
      ...rightVerdict(change, refusal),
      ...(kind === 'IngressController' ? namesTheField(change, part, place, refusal) : []),
      ...nothingChanges(before, stateOf(this.cluster), writes),
    )
    const back = this.cluster.write(kind, part, live, 'replace')
    if (back.code >= 300) throw new Error(`It cannot be taken back: ${back.message}`)
    broken.push(
      ...(await this.cluster.rest()),
      ...differences(before, stateOf(this.cluster)).map((one) => `after it was taken back, ${one}`),
    )
    return { fate: 'not admitted', broken }
  }

  get isAdmitted(): boolean {
    return refusalOf(this.cluster.controller.status) === undefined
  }

  /** Gives consent to the deletion of the load balancer, or takes it back. */
  async toggleConsent(compares: boolean): Promise<StepResult> {
    const { consents } = this.cluster.declared
    this.cluster.consent(!consents)
    const broken = [...(await this.cluster.rest()), ...(await this.#check(compares))]
    return { what: consents ? 'consent is withdrawn' : 'consent is given', fate: 'done', broken }
  }

  /** Infrastructure vanishes, or comes. */
  async toggleInfrastructure(compares: boolean): Promise<StepResult> {
    const { infrastructure, platform } = this.cluster.declared
    if (infrastructure !== undefined) this.cluster.deleteInfrastructure()
    else this.cluster.declareInfrastructure({ spec: {}, status: { platformStatus: { type: platform } } })
    const broken = [...(await this.cluster.rest()), ...(await this.#check(compares))]
    return {
      what: `Infrastructure ${infrastructure === undefined ? 'comes' : 'vanishes'}`,
      fate: 'done',
      broken,
    }
  }

  async #check(compares: boolean): Promise<string[]> {
    const broken = this.cluster
      .takeRefusals()
      .map((refused) => `it was admitted, and cannot be done: ${refused}`)
    return compares && this.isAdmitted ? [...broken, ...(await this.#isAsIfFromTheBeginning())] : broken
  }

  /** Changes nothing, and judges what has come of all changes so far. */
  async compare(): Promise<StepResult> {
    return { what: 'comparison with a fresh cluster', fate: 'done', broken: await this.#check(true) }
  }

  /** Whether all is as if what is declared now had been so from the beginning. */
  async #isAsIfFromTheBeginning(): Promise<string[]> {
    const broken: string[] = []
    for (const exception of exceptions) {
      if (exception.endedBy === undefined || !exception.holds(this.cluster.seen)) continue
      this.cluster.endException(exception.endedBy)
      broken.push(...(await this.cluster.rest()))
    }
    const { declared, seen } = this.cluster
    const kept = exceptions.find(({ asIf, holds }) => asIf !== undefined && holds(seen))
    const spec = kept?.asIf?.(declared.spec ?? {}, seen) ?? declared.spec
    const wanted = await freshState({ ...declared, spec })
    const without = comparedWithout(seen)
    const compared = (key: string, object: JsonObject) =>
      without(kept !== undefined && key === controllerKey ? withoutSpec(object) : object)
    broken.push(...differences(wanted, stateOf(this.cluster), compared))
    return broken
  }

  /** Everything that people declared is put back; nothing must be left of what was meanwhile. */
  async revertAll(): Promise<StepResult> {
    const { spec, consents, infrastructure } = this.#beginning
    const { cluster } = this
    cluster.consent(consents)
    const answer = cluster.write('IngressController', 'spec', spec, 'replace')
    if (answer.code >= 300) throw new Error(`The beginning is refused: ${answer.message}`)
    if (JSON.stringify(cluster.declared.infrastructure) !== JSON.stringify(infrastructure)) {
      if (cluster.live('Infrastructure') !== undefined) cluster.deleteInfrastructure()
      if (infrastructure !== undefined) cluster.declareInfrastructure(infrastructure)
    }
    const broken = [
      ...(await cluster.rest()),
      ...isAnswered(cluster.controller),
      ...(await this.#check(true)),
    ]
    return { what: 'back to the beginning', fate: 'done', broken }
  }
}

function withoutSpec({ spec: _spec, metadata: _metadata, ...rest }: JsonObject): JsonObject {
  return rest
}

const known = new Map<string, Promise<State>>()

/** How all is where this was declared from the beginning. */
function freshState(declared: Declared): Promise<State> {
  const key = JSON.stringify(declared)
  const state = known.get(key) ?? playFresh(declared)
  known.set(key, state)
  // The oldest are the least likely to come again.
  if (known.size > 500) known.delete(known.keys().next().value as string)
  return state
}

async function playFresh(declared: Declared): Promise<State> {
  const cluster = await ClusterUnderChange.with(declared)
  cluster.end()
  return stateOf(cluster)
}
