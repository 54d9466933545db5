import type { Baseline, Planned } from './campaign.ts'
import { faultText } from './faults.ts'
import { type History, historyText, type Played, playHistory } from './history.ts'
import type { Extent } from './summary.ts'

/** How a history ended, by its story and the kind of its faults: all held, or something broke. */
export type HistoryResult =
  | { readonly held: string; readonly happened: Extent }
  | { readonly broke: string; readonly happened: Extent; readonly text: string }

/** Plays a history of a campaign; the result of a broken one has the command that replays it. */
export async function playPlanned(
  baselines: readonly Baseline[],
  { story: index, history, kind }: Planned,
): Promise<HistoryResult> {
  const { story, steps } = baselines[index] as Baseline
  const { faults } = history
  const played = await playHistory(story, steps, history)
  const missed = played.missed.length
  const happened = missed === 0 ? 'all' : missed < faults.length ? 'some' : 'none'
  const broken = [...played.broken, ...absent(history, played)]
  const what = `${story.name}\t${kind}`
  if (broken.length === 0) return { held: what, happened }
  const again = `npm run faults -- --story '${story.name}' ${historyText(history)}`
  return { broke: what, happened, text: `${again}\n  ${broken.join('\n  ')}` }
}

/** A single fault is planned where the undisturbed story comes by. Of several, the first may keep the others away. */
export function absent({ faults }: History, { missed }: Played): string[] {
  if (faults.length > 1) return []
  return missed.map((fault) => `"${faultText(fault)}" has not happened`)
}
