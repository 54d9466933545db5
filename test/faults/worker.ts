import { likeAfterLike, planOf, type Told, tellUndisturbed } from './campaign.ts'
import { type HowItEnded, playPlanned } from './play-planned.ts'
import { stories } from './stories.ts'
import type { PlanInNumbers } from './summary.ts'

/** What part of a campaign a worker plays. */
export interface Part {
  readonly part: number
  readonly parts: number
  readonly stories: readonly string[]
  readonly histories: number
  readonly seed: number
  readonly minutes: number | undefined
}

/** What a worker tells: what there is to play, how one history ended, and what it all took. */
export type Message = PlanInNumbers | HowItEnded | { readonly cpuMs: number }

async function play(part: Part, tell: (message: Message) => void): Promise<void> {
  const told: Told[] = []
  for (const story of stories) if (part.stories.includes(story.name)) told.push(await tellUndisturbed(story))
  const begun = process.cpuUsage()
  const end = part.minutes === undefined ? Infinity : performance.now() + part.minutes * 60_000
  const { histories, ...numbers } = planOf(told, part.histories, part.seed)
  tell(numbers)
  const mine = [...histories].filter((_, number) => number % part.parts === part.part)
  for (const planned of likeAfterLike(mine)) {
    if (performance.now() > end) break
    tell(await playPlanned(told, planned))
  }
  const { user, system } = process.cpuUsage(begun)
  tell({ cpuMs: (user + system) / 1000 })
}

/** Tells at least every few seconds, many at a time. */
const tellEveryMs = 2_000

let batch: Message[] = []
let told = performance.now()
function flush(): void {
  process.send?.(batch)
  batch = []
  told = performance.now()
}
await play(JSON.parse(process.argv[2] ?? '') as Part, (message) => {
  batch.push(message)
  if (performance.now() - told > tellEveryMs || 'singles' in message) flush()
})
flush()
process.disconnect()
