import { type Planned, planOf, type Told } from './campaign.ts'
import { chaptersOf, historyText, playHistory } from './history.ts'
import { stories } from './stories.ts'

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
export type Message =
  | { readonly singles: number; readonly chosen: number }
  | { readonly held: string }
  | { readonly broke: string; readonly text: string }
  | { readonly cpuMs: number }

async function play(part: Part, tell: (message: Message) => void): Promise<void> {
  const told: Told[] = []
  for (const story of stories)
    if (part.stories.includes(story.name)) told.push({ story, chapters: await chaptersOf(story) })
  const begun = process.cpuUsage()
  const end = part.minutes === undefined ? Infinity : performance.now() + part.minutes * 60_000
  const { histories, singles, chosen } = planOf(told, part.histories, part.seed)
  tell({ singles, chosen })
  let number = 0
  for (const planned of histories) {
    if (performance.now() > end) break
    if (number++ % part.parts === part.part) tell(await playOne(told, planned))
  }
  const { user, system } = process.cpuUsage(begun)
  tell({ cpuMs: (user + system) / 1000 })
}

async function playOne(told: readonly Told[], { story: index, history, kind }: Planned): Promise<Message> {
  const { story, chapters } = told[index] as Told
  const { broken } = await playHistory(story, chapters, history)
  const what = `${story.name}\t${kind}`
  if (broken.length === 0) return { held: what }
  const again = `npm run faults -- --story '${story.name}' ${historyText(history)}`
  return { broke: what, text: `${again}\n  ${broken.join('\n  ')}` }
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
