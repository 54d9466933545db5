/** What `npm audit --json` came to. */
export type Audit =
  | { readonly outcome: 'clean' }
  | { readonly outcome: 'vulnerable'; readonly problems: readonly string[] }
  /** Not every registry knows what is wrong with its packages, and not every machine has a network. */
  | { readonly outcome: 'unknown'; readonly why: string }

interface AuditResponse {
  readonly vulnerabilities?: Readonly<Record<string, Vulnerability>>
  readonly metadata?: object
  readonly statusCode?: number
  readonly error?: { readonly code?: string; readonly summary?: string }
  readonly message?: string
}

interface Vulnerability {
  readonly severity: string
  readonly range?: string
  readonly via: readonly (string | { readonly title?: string })[]
  readonly fixAvailable?: unknown
}

export function auditOf(printed: string): Audit {
  const answer = parsed(printed)
  if (answer?.vulnerabilities === undefined || answer.metadata === undefined) {
    const why =
      answer?.statusCode ?? answer?.error?.code ?? (printed.trim() === '' ? 'no answer' : 'no audit')
    return { outcome: 'unknown', why: String(why) }
  }
  const problems = Object.entries(answer.vulnerabilities)
    .filter(([, { severity }]) => severity === 'high' || severity === 'critical')
    .map(([name, { severity, range = '', via }]) => {
      const titles = via.flatMap((each) =>
        typeof each === 'string' ? `by way of ${each}` : (each.title ?? []),
      )
      return `${name} ${range} (${severity}): ${titles.join('; ')}`
    })
  return problems.length === 0 ? { outcome: 'clean' } : { outcome: 'vulnerable', problems }
}

function parsed(text: string): AuditResponse | undefined {
  try {
    return JSON.parse(text) as AuditResponse
  } catch {
    return undefined
  }
}
