import { cutToBytes } from '@portcullis/kube'
import type { ConditionReason } from '../reasons/reasons.ts'

/** A condition without its transition time, which depends on the previous status. */
export interface ConditionDraft {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: ConditionReason
  readonly message: string
}

/** As `metav1.Condition` has it. Twenty such fit into an object, however much there is to complain about. */
const mostBytes = 32_768

export function conditionDraft(
  type: string,
  status: ConditionDraft['status'],
  reason: ConditionReason,
  message: string,
): ConditionDraft {
  return { type, status, reason, message: cutToBytes(message, mostBytes) }
}
