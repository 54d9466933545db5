import { readFile } from 'node:fs/promises'
import type { PolicyRule } from 'kubernetes-types/rbac/v1'

/** A request, as the audit log of the API server has it; only what matters here. */
export interface AuditedRequest {
  readonly user: { readonly username: string }
  readonly verb: string
  readonly requestURI: string
  readonly objectRef?: {
    readonly apiGroup?: string
    readonly resource: string
    readonly subresource?: string
  }
  readonly responseStatus?: { readonly code: number }
}

/** What operators asked, whose ServiceAccounts are called `portcullis` or `portcullis-…`. */
export async function requestsOfOperators(auditLog: string): Promise<AuditedRequest[]> {
  // The file is there from the first request on.
  const text = await readFile(auditLog, 'utf8').catch(() => '')
  const lines = text.split('\n').filter((line) => line !== '')
  return lines
    .map((line) => JSON.parse(line) as AuditedRequest)
    .filter(({ user }) => /^system:serviceaccount:[^:]+:portcullis(-|$)/.test(user.username))
}

/**
 * `patch networking.k8s.io/ingresses/status`: what has to be granted for a request; discovery is everybody's. A watch that
 * begins with a list needs the right to list as well: a server that does not stream lists is asked for one.
 */
export function needsOf({ verb, requestURI, objectRef }: AuditedRequest): string[] {
  if (objectRef === undefined) return []
  const { apiGroup = '', resource, subresource } = objectRef
  const verbs = requestURI.includes('sendInitialEvents=true') ? [verb, 'list'] : [verb]
  const place = `${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`}`
  return verbs.map((each) => `${each} ${place}`)
}

/** Each single thing that a rule grants, in the same words. */
export function grantsOf({ apiGroups = [], resources = [], verbs }: PolicyRule): string[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`)),
  )
}
