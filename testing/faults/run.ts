import { parseArgs } from 'node:util'
import { imageNodejs, type Nodejs } from '../clusters/nodejs/image-nodejs.ts'
import { runOn } from '../clusters/nodejs/run-on.ts'
import { bundledWorker } from './bundled-worker.ts'
import { parseFault } from './faults.ts'
import { baselineSteps, playHistory } from './history.ts'
import { absent, type HistoryResult } from './play-planned.ts'
import { noSuchStory, stories } from './stories/stories.ts'
import type { Story } from './stories/story.ts'
import { type Counts, type Extent, extent, type PlanInNumbers, summary } from './summary.ts'
import type { Campaign, Message } from './worker.ts'
import { playInProcess, writeResults } from './worker-processes.ts'

const { values: options } = parseArgs({
  options: {
    histories: { type: 'string', default: '5000' },
    several: { type: 'string' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    workers: { type: 'string', default: '2' },
    story: { type: 'string' },
    step: { type: 'string' },
    fault: { type: 'string', multiple: true, default: [] },
    chance: { type: 'string' },
    'race-ms': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const help = `npm run faults -- [--histories N | --several N] [--seed S] [--minutes M] [--workers W] [--story NAME]
  plays N histories: every single fault at every point of every story, as many as fit, and between these several at
  once, chosen by the seed; M minutes at the most. With --several it plays every single fault, and N others

npm run faults -- --story NAME --step K --fault 'request 12: crash after' [--fault …] [--chance X] [--race-ms MS]
  plays one again, and prints what happened`

const named = stories.filter(({ name }) => name === options.story)
const chosen: readonly Story[] =
  named.length > 0 ? named : stories.filter(({ name }) => name.includes(options.story ?? ''))

/** Replays one history, and prints its trace. */
async function playAgain(): Promise<boolean> {
  const [story] = chosen
  if (story === undefined || chosen.length > 1)
    throw new Error(`--story names ${chosen.length} stories; name one.`)
  const history = {
    step: Number(options.step),
    faults: options.fault.map(parseFault),
    ...(options.chance !== undefined && { seed: Number(options.chance) }),
    ...(options['race-ms'] !== undefined && { raceMs: Number(options['race-ms']) }),
  }
  const played = await playHistory(story, await baselineSteps(story), history, true)
  const broken = [...played.broken, ...absent(history, played)]
  for (const line of played.trace) console.log(line)
  for (const line of broken) console.log(`BROKEN ${line}`)
  if (broken.length === 0) console.log('Nothing is broken.')
  return broken.length === 0
}

const reportEveryMs = 20_000

/** What has come of a campaign so far. */
class Tally {
  readonly counts: Counts = new Map()
  broken = 0
  played = 0
  plan: PlanInNumbers = { singles: 0, chosen: 0, wanted: 0 }
  readonly several: Record<Extent, number> = { all: 0, some: 0, none: 0 }
  cpuMs = 0
  readonly #begun = performance.now()

  add(message: Exclude<Message, { asks: unknown }>): void {
    if ('singles' in message) this.plan = message
    else if ('cpuMs' in message) this.cpuMs += message.cpuMs
    else this.#addHistory(message)
  }

  #addHistory(message: HistoryResult): void {
    const key = 'held' in message ? message.held : message.broke
    const count = this.counts.get(key) ?? { passed: 0, failed: 0 }
    this.counts.set(key, count)
    this.played++
    if (key.includes('\tseveral')) this.several[message.happened]++
    if ('held' in message) {
      count.passed++
      return
    }
    count.failed++
    if (++this.broken <= 30) console.log(`\n${message.text}`)
  }

  get seconds(): string {
    return ((performance.now() - this.#begun) / 1000).toFixed(0)
  }
}

async function campaign(nodejs: Nodejs): Promise<boolean> {
  const tally = new Tally()
  const workers = Number(options.workers)
  const { file, remove } = await bundledWorker()
  const report = setInterval(
    () => console.log(`${tally.seconds} s: ${tally.played} histories, ${tally.broken} broken`),
    reportEveryMs,
  )
  try {
    let batches = 0
    const nextBatch = () => batches++
    await Promise.all(Array.from({ length: workers }, () => work(nodejs, file, tally, nextBatch)))
  } finally {
    clearInterval(report)
    await remove()
  }
  const { counts, played, broken } = tally
  const { said, problem } = extent(tally)
  console.log(summary(counts))
  for (const line of said) console.log(line)
  if (problem !== undefined) console.log(problem)
  console.log(
    `${played} histories in ${tally.seconds} s by ${workers} workers on Node ${nodejs.version}, seed ${options.seed}, ${(tally.cpuMs / played).toFixed(1)} ms of processor time each: ${broken} broken`,
  )
  writeResults('faults', counts)
  return broken === 0 && problem === undefined
}

function campaignWanted(): Campaign {
  return {
    stories: chosen.map(({ name }) => name),
    size:
      options.several === undefined
        ? { histories: Number(options.histories) }
        : { several: Number(options.several) },
    seed: Number(options.seed),
    minutes: options.minutes === undefined ? undefined : Number(options.minutes),
  }
}

/** A worker reports many histories at a time. */
function work(nodejs: Nodejs, file: string, tally: Tally, nextBatch: () => number): Promise<void> {
  const worker = { nodejs, file, args: [JSON.stringify(campaignWanted())] }
  return playInProcess(worker, (messages, answer) => {
    for (const message of messages as Message[])
      if ('asks' in message) answer(nextBatch())
      else tally.add(message)
  })
}

async function main(): Promise<boolean> {
  const nodejs = await imageNodejs(console.log)
  if (options.step === undefined) return campaign(nodejs)
  // What is played again is played on the same Node.
  return nodejs.path === process.execPath ? playAgain() : (await runOn(nodejs, process.argv.slice(1))) === 0
}

if (options.help) console.log(help)
else if (chosen.length === 0) {
  console.error(noSuchStory(options.story ?? ''))
  process.exitCode = 1
} else process.exitCode = (await main()) ? 0 : 1
