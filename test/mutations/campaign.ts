import type { Random } from '../../src/kube/backoff.ts'
import type { CloudPlatformName } from '../../src/sandbox/controllers/cloud/platforms.ts'
import { shuffled } from '../faults/campaign.ts'
import { seeded } from '../faults/world/random.ts'
import { anyChange, type ChangeKind, changeKinds, changesOf } from './changes.ts'
import type { Declared } from './cluster-under-change.ts'
import { type Field, fieldsOf, type MutatedKind, pathText } from './fields.ts'
import { type Outcome, Play, rootOf } from './play.ts'
import { type JsonObject, makeRoomFor, pick, validValue } from './values.ts'

/** Either every change of one kind that one field can have, each alone and taken back; or several, one after the other. */
export type Planned =
  | { readonly alone: { readonly kind: MutatedKind; readonly field: Field; readonly change: ChangeKind } }
  | { readonly sequence: number }

/** What was played, by which it is counted, and what was wrong. */
export interface Played {
  readonly field: string
  readonly change: string
  readonly fate: Outcome['fate']
  readonly steps: readonly string[]
  readonly broken: readonly string[]
}

const allFields = (['IngressController', 'Infrastructure'] as const).flatMap((kind) =>
  fieldsOf(kind).map((field) => ({ kind, field })),
)

/** All fields with all kinds of changes, in an order that the seed chooses, and a sequence after each. */
export function* campaign(seed: number, { isEndless = true } = {}): Generator<Planned> {
  const alone = allFields.flatMap(({ kind, field }) =>
    changeKinds
      .filter((change) => changesOf(field, change, seeded(1)).length > 0)
      .map((change) => ({ kind, field, change })),
  )
  let sequence = 0
  for (const one of shuffled(alone, seed)) {
    yield { alone: one }
    yield { sequence: sequence++ }
  }
  if (isEndless) for (;;) yield { sequence: sequence++ }
}

/** The command line arguments that play it again. */
export function replayArguments(planned: Planned, seed: number): string {
  if ('sequence' in planned) return `--seed ${seed} --sequence ${planned.sequence}`
  const { kind, field, change } = planned.alone
  return `--seed ${seed} --field '${kind} ${pathText(field.path)}' --change '${change}'`
}

/** Whether a plan is meant by what was given on the command line; of fields, all that have the name in theirs. */
export function samePlan(wanted: {
  readonly field?: string | undefined
  readonly change?: string | undefined
  readonly sequence?: string | undefined
}): (planned: Planned) => boolean {
  const { field, change, sequence } = wanted
  return (planned) => {
    if ('sequence' in planned)
      return sequence === undefined
        ? field === undefined && change === undefined
        : planned.sequence === Number(sequence)
    if (sequence !== undefined) return false
    const name = `${planned.alone.kind} ${pathText(planned.alone.field.path)}`
    return name.includes(field ?? '') && (change === undefined || planned.alone.change === change)
  }
}

export async function play(planned: Planned, seed: number): Promise<readonly Played[]> {
  return 'sequence' in planned ? playSequence(planned.sequence, seed) : playAlone(planned.alone, seed)
}

// ── one change alone ──

const platforms: readonly CloudPlatformName[] = ['AWS', 'Azure', 'GCP', 'IBMCloud', 'PowerVS', 'OpenStack']

async function playAlone(
  { kind, field, change: changeKind }: Extract<Planned, { alone: object }>['alone'],
  seed: number,
): Promise<readonly Played[]> {
  const random = seeded(seed)
  const played: Played[] = []
  const declared = declaredFor(kind, field, random)
  let current: Play | undefined
  for (const change of changesOf(field, changeKind, random)) {
    current ??= await Play.with(declared)
    const outcomes = [await current.change(kind, change, random)]
    if (outcomes[0]?.fate === 'done') outcomes.push(await current.returnToTheBeginning())
    const broken = outcomes.flatMap((outcome) => outcome.broken.map((what) => `${outcome.what}: ${what}`))
    const fate = outcomes[0]?.fate ?? 'no change'
    const steps = outcomes.map(stepText)
    played.push({ field: `${kind} ${pathText(field.path)}`, change: changeKind, fate, steps, broken })
    if (broken.length === 0) continue
    current.end()
    current = undefined
  }
  current?.end()
  return played
}

const base: JsonObject = {
  domain: 'apps.example.com',
  replicas: 1,
  endpointPublishingStrategy: { type: 'Private' },
}

/** What is declared before, so that the field can be set without further ado. */
function declaredFor(kind: MutatedKind, field: Field, random: Random): Declared {
  const [part] = field.path as ['spec' | 'status']
  const room = (object: JsonObject) => makeRoomFor(object, field, rootOf(kind, field), random)
  const isSpec = kind === 'IngressController' && part === 'spec'
  return {
    platform: platformFor(field, random),
    spec: isSpec ? room(base) : base,
    consents: false,
    infrastructure: kind === 'Infrastructure' ? { spec: {}, status: {}, [part]: room({}) } : undefined,
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
const wholeStrategy = strategyFields[0]

async function playSequence(sequence: number, seed: number): Promise<readonly Played[]> {
  const random = seeded(seed * 1_000_003 + sequence)
  const play = await someBeginning(random)
  const length = 1 + Math.floor(random() * 6)
  const broken: string[] = []
  const steps: string[] = []
  const note = (outcome: Outcome) => {
    steps.push(stepText(outcome))
    broken.push(...outcome.broken)
  }
  for (let step = 0; step < length && broken.length === 0; step++) note(await someStep(play, random))
  if (broken.length === 0) note(await play.returnToTheBeginning())
  play.end()
  return [{ field: 'sequences', change: `${length} changes`, fate: 'done', steps, broken }]
}

function stepText({ what, fate }: Outcome): string {
  return `${what} → ${fate}`
}

async function someStep(play: Play, random: Random): Promise<Outcome> {
  const chance = random()
  const compares = random() < 0.4
  if (chance < 0.08) return play.toggleConsent(compares)
  if (chance < 0.13) return play.toggleInfrastructure(compares)
  const [kind, fields] =
    chance < 0.2
      ? (['IngressController', statusFields] as const)
      : chance < 0.32
        ? (['Infrastructure', chance < 0.26 ? tellingFields : infrastructureFields] as const)
        : (['IngressController', chance < 0.6 ? strategyFields : specFields] as const)
  const field = chance > 0.5 && chance < 0.6 ? wholeStrategy : pick(fields, random)
  const change = field && anyChange(field, random)
  if (change === undefined) return { what: 'nothing', fate: 'no change', broken: [] }
  return play.change(kind, change, random, compares)
}

/** Some controller that is admitted. */
async function someBeginning(random: Random): Promise<Play> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const platform = pick(platforms, random) ?? 'AWS'
    const spec = {
      ...(validValue(wholeSpec as Field, random, 0.35) as JsonObject),
      domain: 'apps.example.com',
    }
    const infrastructure =
      random() < 0.5 ? undefined : { spec: {}, status: { platformStatus: { type: platform } } }
    const play = await Play.with({ platform, spec, consents: random() < 0.3, infrastructure }).catch(
      () => undefined,
    )
    if (play?.isAdmitted) return play
    play?.end()
  }
  throw new Error('No controller that was made up is admitted.')
}
