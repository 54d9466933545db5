import { PatchRefused } from '../patch/patch-refused.ts'
import { StatusError } from './api-status.ts'

/** Does the work; a patch that it refuses becomes what the client is told. */
export function refusing<R>(work: () => R): R {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof PatchRefused)) throw error
    const { code, reason = '', message, details } = error.refusal
    throw new StatusError(code, reason, message, details)
  }
}
