import { isSameJson, type Random } from '@portcullis/kube'
import type { CloudPlatformName } from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import { shuffled } from '../faults/campaign.ts'
import { seeded } from '../faults/simulation/random.ts'
import { ChangeRun, rootOf, type StepResult } from './change-run.ts'
import { anyChange, type Change, type ChangeKind, changeKinds, changesOf } from './changes.ts'
import type { Declared } from './cluster-under-change.ts'
import { type Field, fieldsOf, type MutatedKind, pathText } from './fields.ts'
import { holding, type Json, type JsonObject, lacking, makeRoomFor, pick, validValue } from './values.ts'

/** Either every change of one kind that one field can have, each alone and taken back; or several, one after the other. */
export type Planned =
  | { readonly alone: { readonly kind: MutatedKind; readonly field: Field; readonly change: ChangeKind } }
  | { readonly sequence: number }

/** What was played, by which it is counted, and what was wrong. */
export interface Played {
  readonly field: string
  readonly change: string
  readonly fate: StepResult['fate']
  readonly steps: readonly string[]
  readonly broken: readonly string[]
}

const allFields = (['IngressController', 'Infrastructure'] as const).flatMap((kind) =>
  fieldsOf(kind).map((field) => ({ kind, field })),
)

/** Every kind of change that each field can have. */
const everyChange = allFields.flatMap(({ kind, field }) =>
  changeKinds
    .filter((change) => changesOf(field, change, seeded(1)).length > 0)
    .map((change) => ({ kind, field, change })),
)

/** Every change of every field alone, in an order that the seed chooses, and so many sequences between them. */
export function* campaign(seed: number, sequences: number): Generator<Planned> {
  let sequence = 0
  for (const [at, alone] of shuffled(everyChange, seed).entries()) {
    yield { alone }
    const due = Math.floor((sequences * (at + 1)) / everyChange.length)
    while (sequence < due) yield { sequence: sequence++ }
  }
}

/** The command line arguments that play it again. */
export function replayArguments(planned: Planned, seed: number): string {
  if ('sequence' in planned) return `--seed ${seed} --sequence ${planned.sequence}`
  const { kind, field, change } = planned.alone
  return `--seed ${seed} --field '${kind} ${pathText(field.path)}' --change '${change}'`
}

/** Of all changes that are played alone those that are meant: of fields, all that have the name in theirs. */
export function* changesAlone(name = '', change?: string): Generator<Planned> {
  for (const alone of everyChange) {
    const isField = `${alone.kind} ${pathText(alone.field.path)}`.includes(name)
    if (isField && (change === undefined || alone.change === change)) yield { alone }
  }
}

/** Plays it; a plan by which nothing is changed is a mistake of the campaign. */
export async function play(planned: Planned, seed: number): Promise<readonly Played[]> {
  const played = await ('sequence' in planned
    ? playSequence(planned.sequence, seed)
    : playAlone(planned.alone, seed))
  if (played.some(({ fate }) => fate !== 'no change')) return played
  throw new Error(['Nothing was changed.', ...played.flatMap(({ steps }) => steps)].join('\n'))
}

// ── one change alone ──

const platforms: readonly CloudPlatformName[] = ['AWS', 'Azure', 'GCP', 'IBMCloud', 'PowerVS', 'OpenStack']

type Alone = Extract<Planned, { alone: object }>['alone']

async function playAlone(alone: Alone, seed: number): Promise<readonly Played[]> {
  const random = seeded(seed)
  const { kind, field, change: changeKind } = alone
  const name = `${kind} ${pathText(field.path)}`
  const beginning = await beginningFor(alone, random)
  const played: Played[] = []
  let current: ChangeRun | undefined = beginning.play
  for (const change of beginning.changes) {
    current ??= await ChangeRun.with(beginning.declared)
    beginning.prepare(current)
    const outcomes = [await current.change(kind, change, random)]
    if (outcomes[0]?.fate === 'done') outcomes.push(await current.revertAll())
    const broken = outcomes.flatMap((outcome) => outcome.broken.map((what) => `${outcome.what}: ${what}`))
    const fate = outcomes[0]?.fate ?? 'no change'
    const steps = outcomes.map(stepText)
    played.push({ field: name, change: changeKind, fate, steps, broken })
    if (broken.length === 0) continue
    current.end()
    current = undefined
  }
  current?.end()
  return played
}

/** What is there before a change, and the changes that can be made from there. */
interface Beginning {
  readonly declared: Declared
  readonly play: ChangeRun
  readonly changes: readonly Change[]
  /** Writes the status of the controller, which cannot be declared, just before each change of it. */
  readonly prepare: (play: ChangeRun) => void
}

/** Some beginning that is admitted: what stands beside a value may speak against it, and is then chosen anew. */
async function beginningFor(alone: Alone, random: Random): Promise<Beginning> {
  const { kind, field, change } = alone
  let refusal = ''
  for (let attempt = 0; attempt < 20; attempt++) {
    const all = changesOf(field, change, random)
    const first = change === 'change' ? all[attempt % all.length] : undefined
    const value = first === undefined ? otherValue(field, all, random) : first.value
    const changes = all.filter((one) => one !== first)
    const before = (object: JsonObject) => beforeChange(alone, object, value, random)
    const isOwnStatus = kind === 'IngressController' && field.path[0] === 'status'
    const declared = declaredFor(alone, isOwnStatus ? (object) => object : before, random)
    let play: ChangeRun | undefined
    try {
      play = await ChangeRun.with(declared)
      if (!play.isAdmitted) throw new Error('it is not admitted')
      const status = isOwnStatus ? before(play.cluster.controller.status ?? {}) : undefined
      const prepare = (one: ChangeRun) => (isOwnStatus ? one.writeStatus(status) : undefined)
      prepare(play)
      return { declared, play, changes, prepare }
    } catch (error) {
      play?.end()
      refusal = String(error)
    }
  }
  throw new Error(`There is nothing from which ${pathText(field.path)} could begin: ${refusal}`)
}

/** One that none of the changes writes, so that each of them is one. */
function otherValue(field: Field, changes: readonly Change[], random: Random): Json {
  let value: Json
  for (let attempt = 0; attempt < 20; attempt++) {
    value = validValue(field, random)
    if (!changes.some((change) => isSameJson(change.value, value))) break
  }
  return value
}

/** What is to be added is not there before; what is to become something else, or nothing, is. */
function beforeChange(
  { kind, field, change }: Alone,
  object: JsonObject,
  value: Json,
  random: Random,
): JsonObject | undefined {
  const root = rootOf(kind, field)
  if (change === 'add') return lacking(makeRoomFor(object, field, root, random), field, root)
  return holding(lacking(object, field, root) ?? {}, field, root, value, random)
}

const base: JsonObject = {
  domain: 'apps.example.com',
  replicas: 1,
  endpointPublishingStrategy: { type: 'Private' },
}

function declaredFor(
  { kind, field }: Alone,
  before: (object: JsonObject) => JsonObject | undefined,
  random: Random,
): Declared {
  const [part] = field.path as ['spec' | 'status']
  const isInfrastructure = kind === 'Infrastructure'
  return {
    platform: platformFor(field, random),
    spec: isInfrastructure ? base : before(base),
    consents: false,
    infrastructure: isInfrastructure ? { spec: {}, status: {}, [part]: before({}) } : undefined,
  }
}

/** Where its settings mean something. */
function platformFor({ path }: Field, random: Random): CloudPlatformName {
  const own = { aws: 'AWS', gcp: 'GCP', ibm: 'IBMCloud', openstack: 'OpenStack' } as const
  const named = Object.entries(own).find(([name]) => path.includes(name))
  return named?.[1] ?? pick(platforms, random) ?? 'AWS'
}

// ── sequences ──

const specFields = fieldsOf('IngressController').filter(({ path }) => path[0] === 'spec')
const strategyFields = specFields.filter(({ path }) => path[1] === 'endpointPublishingStrategy')
const statusFields = fieldsOf('IngressController').filter(({ path }) => path[0] === 'status')
const infrastructureFields = fieldsOf('Infrastructure')
/** Of all that Infrastructure says, what the operator goes by. */
const tellingFields = infrastructureFields.filter(({ path }) =>
  /^status\.(platform|platformStatus\.type|infrastructureTopology|platformStatus\.baremetal\..*)$/.test(
    pathText(path),
  ),
)
const [wholeSpec] = specFields

async function playSequence(sequence: number, seed: number): Promise<readonly Played[]> {
  const random = seeded(seed * 1_000_003 + sequence)
  const play = await someBeginning(random)
  const length = 1 + Math.floor(random() * 6)
  const broken: string[] = []
  const steps: string[] = []
  const note = (outcome: StepResult) => {
    steps.push(stepText(outcome))
    broken.push(...outcome.broken)
  }
  for (let step = 0; step < length && broken.length === 0; step++) note(await someStep(play, random))
  // Whether or not any step was compared, and whether the last of them was done or refused.
  if (broken.length === 0) note(await play.compare())
  if (broken.length === 0) note(await play.revertAll())
  play.end()
  return [{ field: 'sequences', change: `${length} changes`, fate: 'done', steps, broken }]
}

function stepText({ what, fate }: StepResult): string {
  return `${what} → ${fate}`
}

/** What people do, by how often they do it among a hundred steps. */
const shares = {
  'gives or withdraws consent': 8,
  'Infrastructure comes or vanishes': 5,
  'status of the controller': 7,
  'what the operator goes by in Infrastructure': 6,
  Infrastructure: 6,
  'a field of the strategy': 18,
  'the strategy as a whole': 10,
  'spec of the controller': 40,
} as const

type Step = keyof typeof shares

const changedFields = {
  'status of the controller': ['IngressController', statusFields],
  'what the operator goes by in Infrastructure': ['Infrastructure', tellingFields],
  Infrastructure: ['Infrastructure', infrastructureFields],
  'a field of the strategy': ['IngressController', strategyFields],
  'the strategy as a whole': ['IngressController', strategyFields.slice(0, 1)],
  'spec of the controller': ['IngressController', specFields],
} as const satisfies Partial<Record<Step, readonly [MutatedKind, readonly Field[]]>>

function chosenStep(random: Random): Step {
  let left = random() * 100
  for (const [step, share] of Object.entries(shares)) {
    left -= share
    if (left < 0) return step as Step
  }
  return 'spec of the controller'
}

/** Chooses until something changes: much cannot be removed, or is so already. */
async function someStep(play: ChangeRun, random: Random): Promise<StepResult> {
  for (;;) {
    const compares = random() < 0.4
    const step = chosenStep(random)
    if (step === 'gives or withdraws consent') return play.toggleConsent(compares)
    if (step === 'Infrastructure comes or vanishes') return play.toggleInfrastructure(compares)
    const [kind, fields] = changedFields[step]
    const field = pick(fields, random)
    const change = field && anyChange(field, random)
    const outcome = change && (await play.change(kind, change, random, compares))
    if (outcome !== undefined && outcome.fate !== 'no change') return outcome
  }
}

/** Some controller that is admitted. */
async function someBeginning(random: Random): Promise<ChangeRun> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const platform = pick(platforms, random) ?? 'AWS'
    const spec = {
      ...(validValue(wholeSpec as Field, random, 0.35) as JsonObject),
      domain: 'apps.example.com',
    }
    const infrastructure =
      random() < 0.5 ? undefined : { spec: {}, status: { platformStatus: { type: platform } } }
    const play = await ChangeRun.with({ platform, spec, consents: random() < 0.3, infrastructure }).catch(
      () => undefined,
    )
    if (play?.isAdmitted) return play
    play?.end()
  }
  throw new Error('No controller that was made up is admitted.')
}
