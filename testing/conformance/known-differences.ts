import type { ApiRequest } from './api-server.ts'
import type { Difference } from './comparison.ts'

/** Where the sandbox answers otherwise than the real server, and why that must be so for now. */
export interface KnownDifference {
  readonly reason: string
  /** Whether a difference that was found is this one. */
  matches(difference: Difference): boolean
  /** Requests of which one shows it; when none does any more, the entry is to be removed. */
  readonly example?: (namespace: string) => readonly ApiRequest[]
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    reason: 'the real server lets a Service be made by way of its status, and gives it no address then',
    matches: ({ asked, real }) =>
      /^(?:PUT|PATCH) \S+\/services\/[a-z]\/status\b/.test(asked) && (real as { code?: number }).code === 201,
    example: (namespace) => [
      {
        method: 'PUT',
        path: `/api/v1/namespaces/${namespace}/services/a/status`,
        body: { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } },
      },
    ],
  },
]

export function isKnown(difference: Difference): boolean {
  return knownDifferences.some((known) => known.matches(difference))
}
