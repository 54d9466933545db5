import type { Measurement, Task } from '../measured-process.ts'
import { median } from '../table.ts'

/** A measured process writes an address to all Ingresses after its start, and then others, one after another. */
export interface PhasesResult {
  readonly cold: Phase
  readonly changes: readonly Phase[]
  /** At the end, in MB. */
  readonly residentMb: number
}

export interface Phase extends Omit<Measurement, 'residentMb'> {
  /** Until the first Ingress had the address; `seconds` is until the last had. */
  readonly firstSeconds: number
  readonly writes: number
}

/**
 * Measures all phases, and prints the result. No two of them write the same, so that every PATCH is a
 * real write.
 *
 * @param write writes the address to all Ingresses, and calls back for every write
 */
export async function measurePhases(
  write: (ip: string, wrote: () => void) => Promise<void>,
  { round, changes: count = 1 }: Pick<Task, 'round' | 'changes'>,
): Promise<void> {
  const cold = await measure((wrote) => write(coldAddress(round), wrote))
  const changes: Phase[] = []
  for (let change = 1; change <= count; change++) {
    changes.push(await measure((wrote) => write(`10.200.${round}.${change}`, wrote)))
  }
  const residentMb = process.memoryUsage.rss() / 1e6
  console.log(JSON.stringify({ cold, changes, residentMb } satisfies PhasesResult))
}

const coldAddress = (round: number) => `10.200.${round}.0`

async function measure(write: (wrote: () => void) => Promise<void>): Promise<Phase> {
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  const elapsed = () => (performance.now() - start) / 1000
  let writes = 0
  let firstSeconds = Number.NaN
  await write(() => {
    if (writes === 0) firstSeconds = elapsed()
    writes += 1
  })
  const seconds = elapsed()
  const { user, system } = process.cpuUsage(cpuBefore)
  return { seconds, cpuSeconds: (user + system) / 1e6, firstSeconds, writes }
}

/** The middle one of several. */
export function typical(phases: readonly Phase[]): Pick<Phase, 'seconds' | 'firstSeconds'> {
  const middle = (field: 'seconds' | 'firstSeconds') => median(phases.map((phase) => phase[field]))
  return { seconds: middle('seconds'), firstSeconds: middle('firstSeconds') }
}
