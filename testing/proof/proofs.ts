import { stripVTControlCharacters } from 'node:util'

/** One campaign, or suite that has a larger size, at full size, and the lines of its output that say what came of it. */
export interface Proof {
  readonly name: string
  readonly claim: string
  /** The npm script that plays it, with its arguments. */
  readonly script: string
  readonly arguments?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Of the lines that match each of these, the last one is a figure. */
  readonly figures: readonly RegExp[]
}

/** What Vitest says in the end: "Tests  12 passed (12)". */
const testsPassed = /^\s*Tests\s+(.* passed.*)$/

/** All that is played at full size, the quickest first. `.ci/run` plays a part of each. */
export const proofs: readonly Proof[] = [
  {
    name: 'mutations',
    claim: 'Every change of every field, alone and in sequences, on a simulated cluster',
    script: 'mutations',
    arguments: ['--sequences', '1000', '--seed', '1'],
    figures: [/^\d+ of \d+ plans with .*$/],
  },
  {
    name: 'faults',
    claim: 'Every single fault at every point of every story, and several at once between them',
    script: 'faults',
    arguments: ['--several', '27000', '--seed', '1'],
    figures: [/^.*\d+ histories with a single fault.*$/, /^\d+ histories in .*$/],
  },
  {
    name: 'sequences',
    claim: 'Sequences of changes on the real control plane end as if declared so from the beginning',
    script: 'test:control-plane',
    arguments: ['testing/mutations/cluster/sequences.test.ts'],
    environment: { PORTCULLIS_SEQUENCES: '900', PORTCULLIS_SEQUENCES_MS: '900000' },
    figures: [
      /^AWS: \d+ of \d+ sequences.*$/,
      /^Azure: \d+ of \d+ sequences.*$/,
      /^OpenStack: \d+ of \d+ sequences.*$/,
    ],
  },
  {
    name: 'differential',
    claim: 'The sandbox answers random requests as the real API server does',
    script: 'differential',
    figures: [/^\d+ of \d+ random requests are answered.*$/],
  },
  {
    name: 'fuzz',
    claim: 'Nothing that reads objects is stopped by hostile values in any field',
    script: 'fuzz',
    figures: [/^\d+ objects of each kind.*$/, testsPassed],
  },
  {
    name: 'large-objects',
    claim: 'A tenant with many objects of a megabyte each costs the operator next to no memory',
    script: 'test:control-plane',
    arguments: ['testing/security/large-objects.test.ts'],
    environment: { PORTCULLIS_LARGE_OBJECTS: '600' },
    figures: [/^Where the API server streams lists: .*$/, /^Where the API server has only pages: .*$/],
  },
  {
    name: 'nodes',
    claim: 'Requests get in on real nodes, through every change and failure',
    script: 'test:nodes',
    figures: [
      /^Every strategy becomes every other, .*$/,
      /^Each node is drained in turn: .*$/,
      /^The number of routers changes, then .*$/,
      /^A node dies: .*$/,
      /^The leader is cut off from the API server: .*$/,
      /^The leader is killed: .*$/,
      /^The pod of the leader is deleted: .*$/,
      /^Memory at rest: .*$/,
      testsPassed,
    ],
  },
  {
    name: 'mutants',
    claim: 'Unit tests notice small changes of the code that decides',
    script: 'mutants',
    figures: [/^in total .*%$/, /^\d+ survive: .*$/],
  },
  {
    name: 'endurance',
    claim: 'A full and busy cluster comes through restarts and killed leaders',
    script: 'endurance',
    figures: [
      /^from the start of the operators to rest: .*$/,
      /^changes: \d+$/,
      /^API server away .*$/,
      /^without a leader .*$/,
      /^from the last change to rest: .*$/,
      /^heap, last minute against third: .*$/,
      /^not as it should be: \d+$/,
    ],
  },
]

/** Whether Vitest skipped all of its tests, for want of what they need on this machine. */
export function wasSkipped(output: string): boolean {
  return /^\s*Tests\s+\d+ skipped \(\d+\)$/m.test(stripVTControlCharacters(output))
}

/** The figures in the output of a proof: of the lines that match each expression, the last one, without colours. */
export function figuresIn(output: string, { figures }: Pick<Proof, 'figures'>): readonly string[] {
  const lines = stripVTControlCharacters(output).split('\n')
  return figures.flatMap((expression) => {
    const match = lines.findLast((line) => expression.test(line))?.match(expression)
    return match === undefined || match === null
      ? []
      : [(match[1] ?? match[0]).replaceAll(/\s+/g, ' ').trim()]
  })
}
