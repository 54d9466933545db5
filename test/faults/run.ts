import { type ChildProcess, fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { everySingleFault, type Planned, severalFaults, shuffled, type Told } from './campaign.ts'
import { parseFault } from './faults.ts'
import { chaptersOf, type History, historyText, playHistory } from './history.ts'
import { type Story, stories } from './stories.ts'
import { type Counts, summary } from './summary.ts'

const { values: options } = parseArgs({
  options: {
    histories: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    workers: { type: 'string', default: '2' },
    story: { type: 'string' },
    step: { type: 'string' },
    fault: { type: 'string', multiple: true, default: [] },
    chance: { type: 'string' },
    haste: { type: 'string' },
    help: { type: 'boolean', default: false },
    /** Which of the workers this is. */
    part: { type: 'string' },
  },
})

const help = `npm run faults -- [--histories N] [--seed S] [--minutes M] [--workers W] [--story NAME]
  plays histories: every single fault at every point of every story, and between these several at once, chosen by
  the seed; M minutes at the most

npm run faults -- --story NAME --step K --fault 'request 12: crash after' [--fault …] [--chance X] [--haste MS]
  plays one again, and prints what happened`

const chosen: readonly Story[] = stories.filter(({ name }) => name.includes(options.story ?? ''))

/** What a worker tells of one history, or of its end. */
type Message =
  | { readonly passed: string }
  | { readonly failed: string; readonly text: string }
  | { readonly done: number }

async function play(part: number, parts: number, tell: (told: Message) => void): Promise<void> {
  const told: Told[] = []
  for (const story of chosen) told.push({ story, chapters: await chaptersOf(story) })
  const seed = Number(options.seed)
  const wanted = Number(options.histories)
  const end = options.minutes === undefined ? Infinity : performance.now() + Number(options.minutes) * 60_000
  let number = 0
  for (const planned of inOrder(told, seed)) {
    if (number >= wanted || performance.now() > end) break
    if (number++ % parts === part) await playOne(told, planned, tell)
  }
  tell({ done: number })
}

/** One with several faults after each with a single one, so that whoever stops early has seen both. */
function* inOrder(told: readonly Told[], seed: number): Generator<Planned> {
  const several = severalFaults(told, seed)
  for (const planned of shuffled(everySingleFault(told), seed)) {
    yield planned
    yield several.next().value as Planned
  }
  yield* several
}

async function playOne(
  told: readonly Told[],
  planned: Planned,
  tell: (told: Message) => void,
): Promise<void> {
  const { story, chapters } = told[planned.story] as Told
  const { broken } = await playHistory(story, chapters, planned.history)
  const what = `${story.name}\t${planned.kind}`
  if (broken.length === 0) tell({ passed: what })
  else tell({ failed: what, text: `${replay(story, planned.history)}\n  ${broken.join('\n  ')}` })
}

function replay({ name }: Story, history: History): string {
  return `npm run faults -- --story '${name}' ${historyText(history)}`
}

/** Plays one history again, and tells all of it. */
async function playAgain(): Promise<boolean> {
  const [story] = chosen
  if (story === undefined || chosen.length > 1)
    throw new Error(`--story names ${chosen.length} stories; name one.`)
  const history = {
    chapter: Number(options.step),
    faults: options.fault.map(parseFault),
    ...(options.chance !== undefined && { seed: Number(options.chance) }),
    ...(options.haste !== undefined && { hasteMs: Number(options.haste) }),
  }
  const { broken, trace } = await playHistory(story, await chaptersOf(story), history, true)
  for (const line of trace) console.log(line)
  for (const line of broken) console.log(`BROKEN ${line}`)
  if (broken.length === 0) console.log('Nothing is broken.')
  return broken.length === 0
}

async function campaign(): Promise<boolean> {
  const begun = performance.now()
  const counts: Counts = new Map()
  const failures: string[] = []
  let played = 0
  const workers = Number(options.workers)
  const onTold = (told: Message) => {
    if ('done' in told) return
    const key = 'passed' in told ? told.passed : told.failed
    const count = counts.get(key) ?? { passed: 0, failed: 0 }
    counts.set(key, count)
    if ('passed' in told) count.passed++
    else {
      count.failed++
      failures.push(told.text)
      if (failures.length <= 30) console.log(`\n${told.text}`)
    }
    if (++played % 5000 === 0)
      console.log(`${played} histories, ${failures.length} broken, ${seconds(begun)} s`)
  }
  await Promise.all(Array.from({ length: workers }, (_, part) => work(part, onTold)))
  console.log(summary(counts))
  console.log(
    `${played} histories in ${seconds(begun)} s by ${workers} workers, seed ${options.seed}: ${failures.length} broken`,
  )
  writeResults(counts)
  return failures.length === 0 && played > 0
}

function seconds(begun: number): string {
  return ((performance.now() - begun) / 1000).toFixed(0)
}

/** A process of its own, which tells what it has played some hundred at a time. */
function work(part: number, onTold: (told: Message) => void): Promise<void> {
  const args = [...process.argv.slice(2), '--part', String(part)]
  // Worlds are short-lived: room for the young spares the collector most of its work.
  const execArgv = [...process.execArgv, '--max-semi-space-size=64']
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), args, { execArgv })
  child.on('message', (told) => (told as Message[]).forEach(onTold))
  return new Promise((resolve, reject) =>
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`)))),
  )
}

/** For `.ci/run`, which adds up what all steps leave: one test for each story and kind of fault. */
function writeResults(counts: Counts): void {
  const directory = process.env['PORTCULLIS_RESULTS']
  if (directory === undefined) return
  const all = [...counts.values()]
  const results = {
    numPassedTests: all.filter(({ failed }) => failed === 0).length,
    numFailedTests: all.filter(({ failed }) => failed > 0).length,
    testResults: [],
  }
  writeFileSync(join(directory, `faults-${process.pid}.json`), JSON.stringify(results))
}

async function main(): Promise<boolean> {
  if (options.help) {
    console.log(help)
    return true
  }
  if (options.part !== undefined) {
    let batch: Message[] = []
    await play(Number(options.part), Number(options.workers), (told) => {
      batch.push(told)
      if (batch.length < 200 && !('done' in told)) return
      process.send?.(batch)
      batch = []
    })
    process.disconnect()
    return true
  }
  return options.step === undefined ? campaign() : playAgain()
}

process.exitCode = (await main()) ? 0 : 1
