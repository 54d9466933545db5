import { isObject } from '@portcullis/kube'
import type { IngressControllerSpec } from './ingress-controller.ts'

type Fields<T> = T extends object ? { readonly [P in keyof T]?: true | Fields<T[P]> } : never

/** What the operator acts on. Whatever else stands in a spec it keeps and does not follow. */
const actedUpon = {
  domain: true,
  replicas: true,
  endpointPublishingStrategy: {
    type: true,
    loadBalancer: {
      scope: true,
      allowedSourceRanges: true,
      // Unmanaged is obeyed: the operator does not manage DNS. Managed is not, but the schema writes it into every controller, so
      // that it says nothing about what its user wants. Who keeps the DNS records is for a condition to say.
      dnsManagementPolicy: true,
      providerParameters: { type: true, aws: { type: true }, gcp: { clientAccess: true } },
    },
    hostNetwork: { httpPort: true, httpsPort: true, statsPort: true, protocol: true },
    nodePort: { protocol: true },
    private: { protocol: true },
  },
  defaultCertificate: { name: true },
  namespaceSelector: true,
  routeSelector: true,
  nodePlacement: { nodeSelector: { matchLabels: true }, tolerations: true },
  httpHeaders: { forwardedHeaderPolicy: true },
} as const satisfies Fields<IngressControllerSpec>

/** What OpenShift itself writes into controllers whose users said nothing: it asks for what happens anyway. */
const saysNothing: Readonly<Record<string, unknown>> = {
  'spec.closedClientConnectionPolicy': 'Continue',
  'spec.httpEmptyRequestsPolicy': 'Respond',
  'spec.idleConnectionTerminationPolicy': 'Immediate',
  'spec.tuningOptions.reloadInterval': '0s',
}

interface Table {
  readonly [field: string]: true | Table
}

/**
 * The fields that are set in a spec and that the operator does not act on, sorted. Of an object of which nothing is
 * acted on only the object itself is named: `spec.tuningOptions`, but `spec.httpHeaders.uniqueId`.
 */
export function ignoredFields(spec: object | undefined): string[] {
  const found: string[] = []
  for (const field of ignoredIn(spec, actedUpon, 'spec')) {
    found.push(field)
    if (found.length === mostFields) break
  }
  return found.sort()
}

/** More than a user reads; an object of a megabyte has more. */
const mostFields = 1000

function* ignoredIn(value: unknown, table: Table, path: string): Iterable<string> {
  if (!isObject(value)) return
  for (const [field, child] of Object.entries(value)) {
    const known = Object.hasOwn(table, field) ? table[field] : undefined
    const childPath = `${path}.${field}`
    if (known === undefined && isSet(child, childPath)) yield childPath
    if (typeof known === 'object') yield* ignoredIn(child, known, childPath)
  }
}

/** Null, empty text, an empty list and an object with nothing set in it ask for nothing. */
function isSet(value: unknown, path: string, depth = 0): boolean {
  if (value === undefined || value === null || value === '' || value === saysNothing[path]) return false
  if (Array.isArray(value)) return value.length > 0
  if (!isObject(value) || depth === mostDepth) return true
  return Object.entries(value).some(([field, child]) => isSet(child, `${path}.${field}`, depth + 1))
}

/** No API nests deeper; the server lets people nest ten thousand levels. */
const mostDepth = 50
