import { type Baseline, baselineOf, batchesOf, type PlanSize, planOf } from './campaign.ts'
import { type HistoryResult, playPlanned } from './play-planned.ts'
import { stories } from './stories/stories.ts'
import type { PlanInNumbers } from './summary.ts'

/** What a campaign is to play. */
export interface Campaign {
  readonly stories: readonly string[]
  readonly size: PlanSize
  readonly seed: number
  readonly minutes: number | undefined
}

/** What a worker sends: the size of the plan, the result of a history, the time taken, or a request for a batch. */
export type Message = PlanInNumbers | HistoryResult | { readonly cpuMs: number } | typeof asksForBatch

const asksForBatch = { asks: 'for a batch' } as const

async function play(campaign: Campaign, send: (message: Message) => void): Promise<void> {
  const baselines: Baseline[] = []
  for (const story of stories)
    if (campaign.stories.includes(story.name)) baselines.push(await baselineOf(story))
  const begun = process.cpuUsage()
  const { minutes = Infinity } = campaign
  const end = performance.now() + minutes * 60_000
  const { histories, ...numbers } = planOf(baselines, campaign.size, campaign.seed)
  send(numbers)
  const batches = batchesOf([...histories])
  const isOver = () => performance.now() > end
  while (!isOver()) {
    const batch = batches[await nextBatch(send)]
    if (batch === undefined) break
    for (const planned of batch) if (!isOver()) send(await playPlanned(baselines, planned))
  }
  const { user, system } = process.cpuUsage(begun)
  send({ cpuMs: (user + system) / 1000 })
}

/** Requests the number of the next batch: a faster worker plays more. */
function nextBatch(send: (message: Message) => void): Promise<number> {
  send(asksForBatch)
  return new Promise((resolve) => process.once('message', (number) => resolve(number as number)))
}

/** Sends at least every few seconds, many at a time. */
const sendEveryMs = 2_000

let unsent: Message[] = []
let sentAt = performance.now()
function flush(): void {
  process.send?.(unsent)
  unsent = []
  sentAt = performance.now()
}
await play(JSON.parse(process.argv[2] ?? '') as Campaign, (message) => {
  unsent.push(message)
  if (performance.now() - sentAt > sendEveryMs || 'singles' in message || 'asks' in message) flush()
})
flush()
process.disconnect()
