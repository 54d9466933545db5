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
  const rivals = [...new Set(contestedIngresses.values())]
    .sort()
    .map((rival) => `"${sanitizeUntrusted(rival)}"`)
  const [first, ...others] = [...contestedIngresses.keys()].sort()
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return conditionDraft(
    type,
    'False',
    'Contested',
    `${rivals.join(' and ')} keeps writing other addresses to Ingress ${first}${more}: make sure that only one controller serves their class.`,
  )
}
