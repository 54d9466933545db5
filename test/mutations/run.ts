import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Counts, summary } from '../faults/summary.ts'
import { playInProcess, writeResults } from '../faults/worker-processes.ts'
import { campaign, type Planned, type Played, play, replayArguments, samePlan } from './campaign.ts'

const { values: options } = parseArgs({
  options: {
    sequences: { type: 'string', default: '2000' },
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

const help = `npm run mutations -- [--sequences N] [--seed S] [--minutes M] [--workers W] [--field NAME] [--change KIND]
  plays N changes of every kind of every field of the definitions, each alone and taken back, and between these
  sequences of several, chosen by the seed; M minutes at the most

npm run mutations -- --seed S --sequence I
npm run mutations -- --seed S --field 'IngressController spec.replicas' --change 'past the boundary'
  plays one again, and prints what happened`

const seed = Number(options.seed)

/** What a worker tells of one plan. */
interface Told {
  readonly planned: string
  readonly played: readonly Played[]
}

function* chosen(): Generator<Planned> {
  const { field, change, sequence } = options
  const isChosen = samePlan({ field, change, sequence })
  const isOneOfMany = field === undefined && change === undefined && sequence === undefined
  for (const planned of campaign(seed, { isEndless: isOneOfMany || sequence !== undefined })) {
    if (isChosen(planned)) yield planned
    if (sequence !== undefined && isChosen(planned)) return
  }
}

async function playPart(part: number, parts: number, tell: (told: Told) => void): Promise<void> {
  const end = options.minutes === undefined ? Infinity : performance.now() + Number(options.minutes) * 60_000
  let number = 0
  for (const planned of chosen()) {
    if (number >= Number(options.sequences) || performance.now() > end) return
    if (number++ % parts !== part) continue
    const planText = replayArguments(planned, seed)
    try {
      tell({ planned: planText, played: await play(planned, seed) })
    } catch (error) {
      const broken = [error instanceof Error ? (error.stack ?? error.message) : String(error)]
      tell({
        planned: planText,
        played: [{ field: 'broken off', change: '', fate: 'done', steps: [], broken }],
      })
    }
  }
}

async function runCampaign(): Promise<boolean> {
  const begun = performance.now()
  const counts: Counts = new Map()
  const fates = new Map<string, number>()
  let [plans, changes, failures] = [0, 0, 0]
  const isReplay = options.sequence !== undefined || options.field !== undefined
  const onTold = ({ planned, played }: Told) => {
    for (const { field, change, fate, steps, broken } of played) {
      const count = counts.get(`${field}\t${change}`) ?? { passed: 0, failed: 0 }
      counts.set(`${field}\t${change}`, count)
      fates.set(fate, (fates.get(fate) ?? 0) + 1)
      changes += steps.length
      count[broken.length === 0 ? 'passed' : 'failed']++
      if (isReplay) for (const step of steps) console.log(step)
      if (broken.length > 0 && ++failures <= 30)
        console.log(`\nnpm run mutations -- ${planned}\n  ${[...broken.slice(0, 6), ...steps].join('\n  ')}`)
    }
    if (++plans % 200 === 0)
      console.log(`${plans} plans, ${changes} changes, ${failures} broken, ${seconds(begun)} s`)
  }
  const workers = isReplay ? 1 : Number(options.workers)
  await Promise.all(Array.from({ length: workers }, (_, part) => work(part, workers, onTold)))
  // What stands below each other there are stories; here they are fields.
  console.log(summary(counts).replace(/^story/m, 'field'))
  for (const [fate, count] of fates) console.log(`${count} ${fate}`)
  console.log(
    `${plans} plans with ${changes} changes in ${seconds(begun)} s by ${workers} workers, seed ${seed}: ${failures} broken`,
  )
  writeResults('mutations', counts)
  return failures === 0 && plans > 0
}

function seconds(begun: number): string {
  return ((performance.now() - begun) / 1000).toFixed(0)
}

function work(part: number, workers: number, onTold: (told: Told) => void): Promise<void> {
  const args = [...process.argv.slice(2), '--part', String(part), '--workers', String(workers)]
  const file = fileURLToPath(import.meta.url)
  return playInProcess(file, args, process.execArgv, (told) => onTold(told as Told))
}

async function main(): Promise<boolean> {
  if (options.help) {
    console.log(help)
    return true
  }
  if (options.part === undefined) return runCampaign()
  await playPart(Number(options.part), Number(options.workers), (told) => void process.send?.(told))
  process.disconnect()
  return true
}

process.exitCode = (await main()) ? 0 : 1
