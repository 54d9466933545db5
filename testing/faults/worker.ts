import { type Baseline, baselineOf, batchesOf, planOf } from './campaign.ts'
import { type HistoryResult, playPlanned } from './play-planned.ts'
import { stories } from './stories.ts'
import type { PlanInNumbers } from './summary.ts'

/** What a campaign is to play. */
export interface Campaign {
  readonly stories: readonly string[]
  readonly histories: number
  readonly seed: number
  readonly minutes: number | undefined
}

/** What a worker sends: the size of the plan, the result of a history, the time taken, or a request for a batch. */
export type Message = PlanInNumbers | HistoryResult | { readonly cpuMs: number } | typeof asksForBatch

const asksForBatch = { asks: 'for a batch' } as const

async function play(campaign: Campaign, tell: (message: Message) => void): Promise<void> {
  const told: Baseline[] = []
  for (const story of stories) if (campaign.stories.includes(story.name)) told.push(await baselineOf(story))
  const begun = process.cpuUsage()
  const { minutes = Infinity } = campaign
  const end = performance.now() + minutes * 60_000
  const { histories, ...numbers } = planOf(told, campaign.histories, campaign.seed)
  tell(numbers)
  const batches = batchesOf([...histories])
  const isOver = () => performance.now() > end
  while (!isOver()) {
    const batch = batches[await nextBatch(tell)]
    if (batch === undefined) break
    for (const planned of batch) if (!isOver()) tell(await playPlanned(told, planned))
  }
  const { user, system } = process.cpuUsage(begun)
  tell({ cpuMs: (user + system) / 1000 })
}

/** Requests the number of the next batch: a faster worker plays more. */
function nextBatch(tell: (message: Message) => void): Promise<number> {
  tell(asksForBatch)
  return new Promise((resolve) => process.once('message', (number) => resolve(number as number)))
}

/** Tells at least every few seconds, many at a time. */
const tellEveryMs = 2_000

let untold: Message[] = []
let told = performance.now()
function flush(): void {
  process.send?.(untold)
  untold = []
  told = performance.now()
}
await play(JSON.parse(process.argv[2] ?? '') as Campaign, (message) => {
  untold.push(message)
  if (performance.now() - told > tellEveryMs || 'singles' in message || 'asks' in message) flush()
})
flush()
process.disconnect()
