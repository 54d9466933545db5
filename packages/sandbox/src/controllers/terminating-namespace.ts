import { ApiError } from '@portcullis/kube'

/** Whether a write was refused because its namespace is on its way out: then there is nothing left to do in it. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.code === 403 &&
    error.message.includes('because it is being terminated')
  )
}
