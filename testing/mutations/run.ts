import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { imageNodejs, type Nodejs } from '../clusters/nodejs/image-nodejs.ts'
import { type Counts, summary } from '../faults/summary.ts'
import { playInProcess, writeResults } from '../faults/worker-processes.ts'
import { campaign, changesAlone, type Planned, type Played, play, replayArguments } from './campaign.ts'

const { values: options } = parseArgs({
  options: {
    sequences: { type: 'string', default: '250' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    workers: { type: 'string', default: '2' },
    field: { type: 'string' },
    change: { type: 'string' },
    sequence: { type: 'string' },
    help: { type: 'boolean', default: false },
    /** Which of the workers this is. */
    part: { type: 'string' },
  },
})

const help = `npm run mutations -- [--sequences N] [--seed S] [--minutes M] [--workers W]
  plays every kind of change of every field of the definitions, each alone and taken back, and between these N
  sequences of several (250), in an order that the seed chooses; if M minutes are over before all were played, it fails

npm run mutations -- --field NAME [--change KIND] [--seed S]
  plays those of the fields that have NAME in theirs, and prints what happened

npm run mutations -- --seed S --sequence I
npm run mutations -- --seed S --field 'IngressController spec.replicas' --change 'past the boundary'
  plays one again`

const seed = Number(options.seed)

/** What a worker sends about one plan. */
interface PlanResult {
  readonly planned: string
  readonly played: readonly Played[]
}

const isReplay = [options.field, options.change, options.sequence].some((option) => option !== undefined)

function chosen(): Iterable<Planned> {
  const { field, change, sequence, sequences } = options
  if (sequence !== undefined) return [{ sequence: Number(sequence) }]
  return isReplay ? changesAlone(field, change) : campaign(seed, Number(sequences))
}

async function playPart(part: number, parts: number, report: (result: PlanResult) => void): Promise<void> {
  const end = options.minutes === undefined ? Infinity : performance.now() + Number(options.minutes) * 60_000
  let number = 0
  for (const planned of chosen()) {
    if (performance.now() > end) return
    if (number++ % parts !== part) continue
    const planText = replayArguments(planned, seed)
    try {
      report({ planned: planText, played: await play(planned, seed) })
    } catch (error) {
      const broken = [error instanceof Error ? (error.stack ?? error.message) : String(error)]
      report({
        planned: planText,
        played: [{ field: 'broken off', change: '', fate: 'done', steps: [], broken }],
      })
    }
  }
}

async function runCampaign(): Promise<boolean> {
  const nodejs = await imageNodejs(console.log)
  const begun = performance.now()
  const counts: Counts = new Map()
  const fates = new Map<string, number>()
  const planned = [...chosen()].length
  let [plans, changes, failures] = [0, 0, 0]
  const onResult = ({ planned: planText, played }: PlanResult) => {
    for (const { field, change, fate, steps, broken } of played) {
      const count = counts.get(`${field}\t${change}`) ?? { passed: 0, failed: 0 }
      counts.set(`${field}\t${change}`, count)
      fates.set(fate, (fates.get(fate) ?? 0) + 1)
      if (fate !== 'no change') changes += steps.length
      if (broken.length > 0) count.failed++
      else if (fate !== 'no change') count.passed++
      if (isReplay) for (const step of steps) console.log(step)
      if (broken.length > 0 && ++failures <= 30)
        console.log(`\nnpm run mutations -- ${planText}\n  ${[...broken.slice(0, 6), ...steps].join('\n  ')}`)
    }
    if (++plans % 200 === 0)
      console.log(`${plans} plans, ${changes} changes, ${failures} broken, ${seconds(begun)} s`)
  }
  const workers = isReplay ? 1 : Number(options.workers)
  await Promise.all(Array.from({ length: workers }, (_, part) => work(nodejs, part, workers, onResult)))
  // What stands below each other there are stories; here they are fields.
  console.log(summary(counts).replace(/^story/m, 'field'))
  for (const [fate, count] of fates) console.log(`${count} ${fate}`)
  console.log(
    `${plans} of ${planned} plans with ${changes} changes in ${seconds(begun)} s by ${workers} workers on Node ${nodejs.version}, seed ${seed}: ${failures} broken`,
  )
  const missing = planned - plans
  if (missing > 0)
    console.log(
      `The time was over before all plans were played: ${missing} of ${planned} are missing. Allow more --minutes, or ask for fewer --sequences.`,
    )
  if (planned === 0) console.log('No field and no change is called so: nothing was played.')
  writeResults('mutations', counts)
  return failures === 0 && planned > 0 && missing === 0
}

function seconds(begun: number): string {
  return ((performance.now() - begun) / 1000).toFixed(0)
}

function work(
  nodejs: Nodejs,
  part: number,
  workers: number,
  onResult: (result: PlanResult) => void,
): Promise<void> {
  const args = [...process.argv.slice(2), '--part', String(part), '--workers', String(workers)]
  const file = fileURLToPath(import.meta.url)
  return playInProcess({ nodejs, file, args, execArgv: process.execArgv }, (result) =>
    onResult(result as PlanResult),
  )
}

async function main(): Promise<boolean> {
  if (options.help) {
    console.log(help)
    return true
  }
  if (options.part === undefined) return runCampaign()
  await playPart(Number(options.part), Number(options.workers), (result) => void process.send?.(result))
  process.disconnect()
  return true
}

process.exitCode = (await main()) ? 0 : 1
