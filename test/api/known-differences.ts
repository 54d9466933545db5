import type { Ask } from './bed.ts'
import type { Difference } from './comparison.ts'

/** Where the sandbox answers otherwise than the real server, and why that must be so for now. */
export interface KnownDifference {
  readonly reason: string
  /** Whether a difference that was found is this one. */
  matches(difference: Difference): boolean
  /** Requests of which one shows it; when none does any more, the entry is to be removed. */
  readonly example: (namespace: string) => readonly Ask[]
}

const converter =
  /cannot unmarshal |cannot restore |cannot convert |unrecognized type: |error decoding from json: |parsing time /
const strategic = { 'content-type': 'application/strategic-merge-patch+json' }

export const knownDifferences: readonly KnownDifference[] = [
  {
    reason:
      'where several values do not fit, Go complains of the first in the order of its structs, which no schema tells',
    matches: ({ real, sandbox }) => [real, sandbox].every((answer) => converter.test(messageIn(answer))),
    example: (namespace) => [
      {
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/configmaps`,
        body: { metadata: { name: 'a' } },
      },
      {
        method: 'PATCH',
        path: `/api/v1/namespaces/${namespace}/configmaps/a`,
        body: { metadata: { finalizers: 'x', labels: 'x' } },
        headers: strategic,
      },
    ],
  },
  {
    reason:
      'an empty list is not kept apart from none, so that a complaint about it shows null instead of []',
    matches: ({ real, sandbox }) => emptied(real) === emptied(sandbox),
    example: (namespace) => [
      {
        method: 'POST',
        path: `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`,
        body: { metadata: { name: 'a' }, spec: { rules: [] } },
      },
    ],
  },
  {
    reason:
      'the real server lets a Service be made by way of its status, without an address, and then refuses it for that',
    matches: ({ asked }) =>
      /^(?:PUT|PATCH) \S+\/services\/[a-z]\/status\b/.test(asked) && !asked.includes('merge-patch'),
    example: (namespace) => [
      {
        method: 'PUT',
        path: `/api/v1/namespaces/${namespace}/services/a/status`,
        body: { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } },
      },
    ],
  },
  {
    reason:
      'in an update of a Service the real server looks at its IP families first, and tells nothing else then',
    matches: ({ asked, real }) => asked.includes('/services') && /spec\.ipFamil/.test(JSON.stringify(real)),
    example: (namespace) => [
      {
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/services`,
        body: { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } },
      },
      {
        method: 'PATCH',
        path: `/api/v1/namespaces/${namespace}/services/a`,
        body: { metadata: { labels: { 'a b': 'c' } }, spec: { ipFamilies: ['IPv5'] } },
        headers: { 'content-type': 'application/merge-patch+json' },
      },
    ],
  },
]

function emptied(answer: unknown): string {
  return JSON.stringify(answer).replaceAll('Invalid value: []: either', 'Invalid value: null: either')
}

function messageIn(answer: unknown): string {
  const { body } = answer as { body?: { message?: unknown } }
  return typeof body?.message === 'string' ? body.message : ''
}

export function isKnown(difference: Difference): boolean {
  return knownDifferences.some((known) => known.matches(difference))
}
