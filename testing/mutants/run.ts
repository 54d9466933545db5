import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { compare, grouped, oneLine, readAccepted } from './accepted.ts'
import { rejectedByCompiler } from './compiler.ts'
import { isDecisionCode } from './decision-code.ts'
import { type Mutant, mutantsOf } from './mutate.ts'
import { scores } from './score.ts'
import { Session } from './session.ts'
import { distanceOf, testsOf } from './test-files.ts'

/** Of a hundred mutants of decision code so many must be killed. */
const leastScore = 90

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    since: { type: 'string' },
    tries: { type: 'string', default: '100' },
    slow: { type: 'string', default: '1000' },
    jobs: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const help = `npm run mutants -- [FILE or FOLDER…] [--since REVISION] [--tries N] [--slow MS] [--jobs N] [--json]
  changes the code in small ways, each alone, and runs the unit tests that reach the place; a mutant that no test notices
  survives, and must be listed with a reason in testing/mutants/accepted. The command fails if one is not, or if fewer
  than ${leastScore} % are killed.

  FILE or FOLDER…   what to mutate (packages/operator/src/ingress packages/operator/src/addresses packages/kube/src); of folders only the files that decide, and neither
                    wait nor speak with the network, the disk or other processes
  --since REVISION  only files that have changed since then
  --tries N         a mutant is tried on the N nearest tests that reach it (100)
  --slow MS         and on none that takes longer than this (1000): the score is a lower bound
  --jobs N          how many processes try mutants at a time (2)
  --json            prints unlisted survivors as entries for the list, for which a reason is to be given`

const mutatedFolders = [
  'packages/operator/src/ingress',
  'packages/operator/src/addresses',
  'packages/kube/src',
]
const acceptedFolder = 'testing/mutants/accepted'
/** Mutants of what is computed while modules are loaded need a run each: by the nearest test files alone. */
const mostTestFiles = 3
/** Of many mutants each job tries several parts, since some parts take far longer than others. */
const manyMutants = 1000
const partsPerJob = 3

function filesIn(path: string): string[] {
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => `${path}/${name}`)
}

function isTest(file: string): boolean {
  return file.endsWith('.test.ts')
}

/** A file that is named is mutated, whether or not it is decision code. */
function decisionsIn(path: string): string[] {
  if (statSync(path).isFile()) return [path]
  return filesIn(path).filter(
    (file) => file.endsWith('.ts') && !isTest(file) && isDecisionCode(file, readFileSync(file, 'utf8')),
  )
}

function targets(): string[] {
  const files = (positionals.length > 0 ? positionals : mutatedFolders).flatMap(decisionsIn).toSorted()
  if (options.since === undefined) return files
  const changed = execFileSync('git', ['diff', '--name-only', options.since], { encoding: 'utf8' })
  return files.filter((file) => changed.split('\n').includes(file))
}

function progress(text: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${text}`)
}

interface TrialResult {
  readonly killed: ReadonlySet<number>
  readonly reached: ReadonlySet<number>
  /** Why the outcome cannot be believed. */
  readonly troubles: readonly string[]
  /** Tests whose results do not count: what they would have killed counts as alive. */
  readonly doubts: readonly string[]
}

/** Nearby files are tried by the same tests: they stand in one part. */
function partsOf(mutants: readonly Mutant[], count: number): Mutant[][] {
  const files = [...new Set(mutants.map(({ file }) => file))]
  const partOf = new Map<string, number>()
  let before = 0
  for (const file of files) {
    partOf.set(file, Math.floor((before / mutants.length) * count))
    before += mutants.filter((mutant) => mutant.file === file).length
  }
  const parts = Array.from({ length: count }, (_, part) =>
    mutants.filter(({ file }) => partOf.get(file) === part),
  )
  return parts.filter((part) => part.length > 0)
}

async function tryAll(mutants: readonly Mutant[], name: string): Promise<TrialResult> {
  const files = [...new Set(mutants.map(({ file }) => file))]
  const fileOf = new Map(mutants.map(({ id, file }) => [id, file]))
  const session = await Session.of(mutants)
  const all = mutatedFolders.concat('packages/operator/src/plan').flatMap(filesIn).filter(isTest)
  const testsOfFile = new Map(files.map((file) => [file, testsOf([file], all)]))
  const mostTries = Number(options.tries)
  const tries = new Map<number, number>()
  const killed = new Set<number>()
  const reached = new Set<number>()
  const loading = new Map<number, string[]>()
  const troubles: string[] = []
  const doubts: string[] = []
  const slowMs = Number(options.slow)
  const tests = testsOf(files, all)
  for (const [index, test] of tests.entries()) {
    const alive = mutants.filter(
      ({ id, file }) =>
        !killed.has(id) &&
        // The tests of its own folder are always tried, however many others came before them.
        ((tries.get(id) ?? 0) < mostTries || distanceOf(test, file) <= 1) &&
        testsOfFile.get(file)?.includes(test),
    )
    if (alive.length === 0) continue
    const result = await session.run([test], { alive: alive.map(({ id }) => id), slowMs })
    for (const id of result.killed) killed.add(id)
    for (const [id, times] of result.tried) tries.set(id, (tries.get(id) ?? 0) + times)
    for (const id of [...result.reached, ...result.reachedByLoading]) reached.add(id)
    for (const id of result.reachedByLoading)
      if (testsOfFile.get(fileOf.get(id) ?? '')?.includes(test))
        loading.set(id, [...(loading.get(id) ?? []), test])
    troubles.push(...result.failed.map((title) => `${test}: fails as it is: ${title}`))
    doubts.push(
      ...result.spoilt.map((title) => `${test}: fails after mutants, and is not believed: ${title}`),
    )
    progress(`${name}${index + 1}/${tests.length} ${test}: ${killed.size} of ${mutants.length} are killed`)
  }
  const toLoad = [...loading].filter(([id]) => !killed.has(id))
  progress(`${name}${toLoad.length} mutants have their effect when modules are loaded`)
  for (const [index, [id, itsTests]] of toLoad.entries()) {
    const nearest = testsOf([fileOf.get(id) ?? ''], itsTests).slice(0, mostTestFiles)
    const result = await session.run(nearest, { alive: [], slowMs, always: id })
    if (result.failed.length > 0) killed.add(id)
    if (index % 25 === 24)
      progress(`${name}${index + 1}/${toLoad.length}: ${killed.size} of ${mutants.length} are killed`)
  }
  await session.close()
  return { killed, reached, troubles, doubts }
}

function describe(
  { file, line, original, replacement }: Mutant,
  reached: ReadonlySet<number>,
  id: number,
): string {
  const [before, after] = [original, replacement].map(oneLine)
  return `${file}:${line}${reached.has(id) ? '' : ' (reached by no test)'}\n    - ${before}\n    + ${after}`
}

async function main(): Promise<boolean> {
  const files = targets()
  if (files.length === 0) {
    console.log('There is nothing to mutate.')
    return true
  }
  const written: Mutant[] = []
  for (const file of files) written.push(...mutantsOf(file, readFileSync(file, 'utf8'), written.length))
  progress(`${written.length} mutants of ${files.length} files; the compiler looks at them first`)
  const away = rejectedByCompiler(written)
  const mutants = written.filter(({ id }) => !away.has(id))
  progress(`${away.size} do not compile, and count nowhere; the tests try the other ${mutants.length}`)
  const jobs = Number(options.jobs)
  const parts = partsOf(mutants, mutants.length < manyMutants ? jobs : partsPerJob * jobs)
  const outcomes: TrialResult[] = []
  const waiting = parts.entries()
  const work = async () => {
    for (const [index, part] of waiting) outcomes.push(await tryAll(part, `${index + 1}/${parts.length}: `))
  }
  await Promise.all(Array.from({ length: jobs }, work))
  const killed = new Set(outcomes.flatMap((outcome) => [...outcome.killed]))
  const reached = new Set(outcomes.flatMap((outcome) => [...outcome.reached]))
  const troubles = outcomes.flatMap((outcome) => outcome.troubles)
  const survivors = mutants.filter(({ id }) => !killed.has(id))
  const { unlisted, listed, stale } = compare(
    survivors,
    filesIn(acceptedFolder).flatMap((file) => readAccepted(readFileSync(file, 'utf8'))),
    files,
  )
  for (const { file, code, reason } of stale) console.log(`Not needed any more: ${file}: ${code}: ${reason}`)
  for (const { doubts } of outcomes) for (const doubt of doubts) console.log(doubt)
  for (const trouble of troubles) console.log(trouble)
  for (const mutant of unlisted) console.log(describe(mutant, reached, mutant.id))
  if (options.json) console.log(JSON.stringify(grouped(unlisted), undefined, 2))
  console.log(scores(mutants, killed).join('\n'))
  console.log(
    `${survivors.length} survive: ${listed.length} are listed with a reason in ${acceptedFolder}, ${unlisted.length} are not.`,
  )
  const isEnough = killed.size * 100 >= mutants.length * leastScore
  if (!isEnough) console.log(`Fewer than ${leastScore} % are killed.`)
  return isEnough && unlisted.length === 0 && troubles.length === 0
}

if (options.help) console.log(help)
else process.exitCode = (await main()) ? 0 : 1
