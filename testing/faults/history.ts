import { type Fault, Faults, faultText } from './faults.ts'
import { finalState } from './final-state.ts'
import { Invariants } from './invariants.ts'
import type { WriteMode } from './simulation/api.ts'
import { seeded } from './simulation/random.ts'
import { RefusedError, Simulation } from './simulation/simulation.ts'
import type { EventPoint, Interference, RequestPoint } from './simulation/wire.ts'
import type { Step, Story } from './stories/story.ts'
import { User } from './user.ts'

/** Quiet time after each step: all grace periods are over by then, if nothing was delayed. */
const quietMs = 130_000
/** The longest of the grace periods that may begin with a write: a load balancer that is not ready. */
const graceMs = 91_000
/** Elected operators are never quiet; their stories have no grace periods. */
const quietInElectionMs = 30_000
/** At the end nothing must be written for so long. */
const writelessMs = 15_000

const noFaults: Interference = new Faults([])

/** A step of a story as it goes when nothing goes wrong. */
export interface BaselineStep {
  readonly step: Step
  /** As all was before. */
  readonly before: Simulation
  /** What there was to go wrong, in the order in which it happened, by its number. */
  readonly requests: readonly RequestPoint[]
  /** For each line of a watch, how many reconciles had ended by then. */
  readonly events: readonly number[]
  readonly reconciles: number
  /** How all is afterwards. */
  readonly state: string
}

export interface Played {
  readonly broken: readonly string[]
  /** Faults that never had their turn. */
  readonly missed: readonly Fault[]
  readonly trace: readonly string[]
}

const simulationOptions = ({ platform, operators = 1, clocksAheadMs }: Story) => ({
  platform,
  operators,
  clocksAheadMs,
  seed: 1,
})

/** Plays a story without faults, once, so that others can be compared with it. */
export async function baselineSteps(
  story: Story,
  { writeMode = 'remembers' }: { readonly writeMode?: WriteMode } = {},
): Promise<readonly BaselineStep[]> {
  const steps: BaselineStep[] = []
  let before = await Simulation.on({ ...simulationOptions(story), interference: noFaults, writeMode })
  for (const step of story.steps) {
    const requests: RequestPoint[] = []
    const events: number[] = []
    const interference: Interference = {
      request: (point) => {
        requests[point.number - 1] = point
        return { fate: 'passes' }
      },
      event: ({ reconciles }) => {
        events.push(reconciles)
        return { fate: 'passes' }
      },
    }
    const { simulation, invariants } = await playStep(story, before, step, { interference, writeMode })
    if (invariants.broken.length > 0)
      throw new Error(
        `${story.name}, undisturbed, when the user ${step.does}: ${invariants.broken.join('; ')}`,
      )
    const { reconciles } = simulation.traffic
    steps.push({ step, before, requests, events, reconciles, state: finalState(simulation) })
    before = simulation
  }
  return steps
}

interface StepOptions {
  readonly interference: Interference
  readonly writeMode: WriteMode
  /** Where to note all that happens. */
  readonly trace?: string[]
  /** What comes before all is at rest, and when. */
  readonly next?: { readonly step: Step; readonly afterMs: number } | undefined
}

async function playStep(
  story: Story,
  after: Simulation,
  step: Step,
  { interference, writeMode, trace, next }: StepOptions,
): Promise<{ readonly simulation: Simulation; readonly invariants: Invariants }> {
  const simulation = await Simulation.on({
    ...simulationOptions(story),
    after,
    writeMode,
    interference: trace === undefined ? interference : traced(interference, trace, () => simulation),
    ...(trace && {
      onRequest: ({ number, operator, method, path }, { fate }, answer) => {
        const said = answer === undefined ? '' : 'status' in answer ? ` → ${answer.status}` : ' → …'
        const short = path.replace(/\?.*/, '')
        if (method !== 'GET' || fate !== 'passes')
          trace.push(`${time(simulation)} request ${number}: ${operator} ${method} ${short} ${fate}${said}`)
      },
    }),
  })
  const mayBlank = [...(step.mayBlank ?? []), ...(next?.step.mayBlank ?? [])]
  const invariants = new Invariants(simulation, { mayBlank })
  if (trace)
    simulation.api.observe(({ type, collection, key, revision }, writer) =>
      trace.push(`${time(simulation)}   ${writer}: ${type} ${collection} ${key} (${revision})`),
    )
  const isBusy = () => {
    if (simulation.traffic.pending > 0) return true
    if (simulation.isElected) return invariants.writelessMs < writelessMs
    // Graces begin anew with each operator, which believes no clock but its own, and knows all once it asks no more.
    const requestlessMs = simulation.clock.monotonic() - simulation.traffic.lastRequestAt
    return Math.min(invariants.writelessMs, requestlessMs) < graceMs
  }
  try {
    await takeSteps(simulation, step, next, ({ does }) => trace?.push(`${time(simulation)} the user ${does}`))
    await simulation.rest()
    await simulation.pass(simulation.isElected ? quietInElectionMs : quietMs)
    // Faults may have delayed what is due; an operator that never stops writing is still detected.
    for (let more = 0; more < 10 && isBusy(); more++) await simulation.pass(writelessMs)
    invariants.checkAtRest(writelessMs)
  } catch (error) {
    invariants.broken.push(String(error))
  }
  simulation.end()
  return { simulation, invariants }
}

/** Starts the operators and takes a step; and the next one, if given, before the first has had its effect. */
export async function takeSteps(
  simulation: Simulation,
  step: Step,
  next?: { readonly step: Step; readonly afterMs: number },
  onStep: (step: Step) => void = () => {},
): Promise<void> {
  const act = () => {
    onStep(step)
    step.act(new User(simulation))
  }
  if (step.isUnattended) act()
  simulation.startOperators()
  await simulation.pass(simulation.isElected ? newLeaderMs : startMs)
  if (!step.isUnattended) act()
  if (next === undefined) return
  await simulation.pass(next.afterMs)
  onStep(next.step)
  actIfPossible(next.step, simulation)
}

/** A racing user may delete something that does not exist yet. */
function actIfPossible({ act }: Step, simulation: Simulation): void {
  try {
    act(new User(simulation))
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
  }
}

/** Long enough for the Lease of leaders who are gone to run out, and for another to lead. */
const newLeaderMs = 16_000

/** Long enough for an operator to have seen everything, and for its watches to go on. */
const startMs = 20

function time(simulation: Simulation): string {
  return `${(simulation.clock.monotonic() / 1000).toFixed(3)} s`
}

function traced(interference: Interference, trace: string[], simulation: () => Simulation): Interference {
  return {
    request: (point) => interference.request(point),
    event: (point: EventPoint) => {
      const fate = interference.event(point)
      const { metadata } = point.line.object as { metadata?: { name?: string; resourceVersion?: string } }
      const what = `${point.line.type} ${metadata?.name} (${metadata?.resourceVersion})`
      if (fate.fate !== 'passes' || fate.delayMs !== undefined)
        trace.push(
          `${time(simulation())} event ${point.number}: ${what} to ${point.operator} ${fate.fate} ${'delayMs' in fate ? fate.delayMs : ''}`,
        )
      return fate
    },
  }
}

export interface History {
  /** Which step of the story, from 0. */
  readonly step: number
  readonly faults: readonly Fault[]
  /** Where given, answers and events take their time as chance will have it. */
  readonly seed?: number
  /** Where given, the next step of the story comes so soon after this one, whatever is still under way. */
  readonly raceMs?: number
}

/**
 * Plays one step of a story with faults, in the write mode of the undisturbed story; what then is must be what would
 * have been without them.
 */
export async function playHistory(
  story: Story,
  steps: readonly BaselineStep[],
  { step: index, faults, seed, raceMs }: History,
  isTraced = false,
): Promise<Played> {
  const baseline = steps[index]
  if (baseline === undefined) throw new Error(`"${story.name}" has no step ${index}.`)
  const trace: string[] = []
  const following = steps[index + 1]?.step
  const isRacing = raceMs !== undefined && following !== undefined && !following.isPatient
  const next = isRacing ? { step: following, afterMs: raceMs } : undefined
  const interference = new Faults(faults, seed === undefined ? undefined : seeded(seed))
  const { writeMode } = baseline.before.api
  const { simulation, invariants } = await playStep(story, baseline.before, baseline.step, {
    interference,
    writeMode,
    next,
    ...(isTraced && { trace }),
  })
  const state = finalState(simulation)
  const broken = [...invariants.broken]
  // Where two steps race, the first may leave no trace: only the truth of the status is checked.
  if (next === undefined && state !== baseline.state)
    broken.push(`it ends otherwise: ${difference(baseline.state, state)}`)
  return { broken, missed: interference.missed, trace }
}

/** The first object that differs, from a little before where it does. */
function difference(wanted: string, found: string): string {
  const [one, other] = [wanted.split('\n'), found.split('\n')]
  const missing = one.filter((line) => !other.includes(line))
  const extra = other.filter((line) => !one.includes(line))
  const [first, second] = [missing[0] ?? '', extra[0] ?? '']
  let at = 0
  while (at < first.length && first[at] === second[at]) at++
  const from = Math.max(0, at - 80)
  const name = (first || second).split(' ').slice(0, 2).join(' ')
  return `${name}: without faults …${first.slice(from, at + 160)}…, now …${second.slice(from, at + 160)}…`
}

export function historyText({ step, faults, seed, raceMs }: History): string {
  const named = faults.map((fault) => `--fault '${faultText(fault)}'`).join(' ')
  const race = raceMs === undefined ? '' : ` --race-ms ${raceMs}`
  return `--step ${step} ${named}${seed === undefined ? '' : ` --chance ${seed}`}${race}`
}
