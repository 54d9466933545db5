import { ApiError } from '@portcullis/kube'

/** The API server's own words, as Kubernetes' controllers quote them in events. */
export function statusMessage(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  const prefix = `Cannot ${error.attempt}: ${error.code} ${error.reason}: `
  return error.message.startsWith(prefix) ? error.message.slice(prefix.length) : error.message
}
