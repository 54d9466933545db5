import type { FieldError } from '@portcullis/schema'
import { badRequest, invalid } from './api-status.ts'
import type { DeleteOptions } from './registry.ts'

interface GivenOptions extends DeleteOptions {
  readonly orphanDependents?: boolean
  readonly dryRun?: readonly string[]
}

const policies = ['Foreground', 'Background', 'Orphan'] as const

/** What a DELETE asks for: in its body if it has one, else in its query. */
export function readDeleteOptions(
  query: URLSearchParams,
  body: string,
): DeleteOptions & { readonly dryRun: boolean; readonly orphanDependents?: boolean | undefined } {
  const given = body === '' ? fromQuery(query) : fromBody(body)
  const {
    propagationPolicy: policy,
    orphanDependents,
    preconditions,
    gracePeriodSeconds,
    dryRun = [],
  } = given
  const errors: FieldError[] = []
  if (policy !== undefined && orphanDependents !== undefined) {
    const message = `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`
    errors.push({ reason: 'FieldValueInvalid', field: 'propagationPolicy', message })
  }
  if (policy !== undefined && !policies.includes(policy)) {
    const message = `Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`
    errors.push({ reason: 'FieldValueNotSupported', field: 'propagationPolicy', message })
  }
  if (dryRun.some((value) => value !== 'All')) {
    const message = `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`
    errors.push({ reason: 'FieldValueNotSupported', field: 'dryRun', message })
  }
  if (errors.length > 0)
    throw invalid({ group: 'meta.k8s.io', plural: '', kind: 'DeleteOptions' }, '', errors)
  const wanted =
    policy ?? (orphanDependents === undefined ? undefined : orphanDependents ? 'Orphan' : 'Background')
  return {
    dryRun: dryRun.length > 0,
    orphanDependents,
    ...(preconditions !== undefined && { preconditions }),
    ...(wanted !== undefined && { propagationPolicy: wanted }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
  }
}

function fromQuery(query: URLSearchParams): GivenOptions {
  const policy = query.get('propagationPolicy')
  const grace = query.get('gracePeriodSeconds')
  const dryRun = query.getAll('dryRun')
  return {
    ...(policy !== null && { propagationPolicy: policy as (typeof policies)[number] }),
    ...(grace !== null && { gracePeriodSeconds: Number(grace) }),
    dryRun,
  }
}

function fromBody(body: string): GivenOptions {
  try {
    return JSON.parse(body) as GivenOptions
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${String(error)}`)
  }
}
