import { PatchRefused } from '../patch/patch-refused.ts'
import { StatusError } from './api-status.ts'

/** Does the work; a refused patch becomes the error that the client gets. */
export function refusing<R>(work: () => R): R {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof PatchRefused)) throw error
    const { code, reason = '', message, details } = error.refusal
    throw new StatusError(code, reason, message, details)
  }
}
