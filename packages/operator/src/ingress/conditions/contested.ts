import { sanitizeUntrusted } from '@portcullis/kube'
import type { Snapshot } from '../snapshot.ts'
import { type ConditionDraft, conditionDraft } from './condition-draft.ts'

/** Whether another controller keeps overwriting the addresses of Ingresses. */
export function addressesUncontested({ contestedIngresses }: Snapshot): ConditionDraft {
  const type = 'AddressesUncontested'
  if (contestedIngresses.size === 0) {
    return conditionDraft(
      type,
      'True',
      'NobodyElseWrites',
      'No other controller overwrites the addresses of Ingresses.',
    )
  }
  const who = writersText(contestedIngresses.values())
  const [first, ...others] = [...contestedIngresses.keys()].sort()
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return conditionDraft(
    type,
    'False',
    'Contested',
    `${who} writing other addresses to Ingress ${first}${more}: make sure that only one controller serves their class.`,
  )
}

/** @param managers empty ones are unknown; they come last */
function writersText(managers: Iterable<string>): string {
  const known = new Set(managers)
  const isAnyUnknown = known.delete('')
  if (known.size === 0) return 'Another client keeps'
  const writers = [...known].sort().map((manager) => `"${sanitizeUntrusted(manager)}"`)
  if (isAnyUnknown) writers.push('another client')
  return `${writers.join(' and ')} ${writers.length === 1 ? 'keeps' : 'keep'}`
}
