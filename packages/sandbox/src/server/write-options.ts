import type { FieldError } from '@portcullis/schema'
import { invalid } from './api-status.ts'

/** What a create, an update or a patch asks for beside the object, checked. */
export interface WriteOptions {
  readonly dryRun: boolean
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore'
  /** The field manager of the written fields. */
  readonly manager: string
  readonly force: boolean
}

const longestManager = 128
const validations = ['Ignore', 'Strict', 'Warn'] as const

/** @param kind how the server calls the options of this verb: `CreateOptions`, … */
export function readWriteOptions(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  { userAgent, isApply }: { userAgent: string | undefined; isApply: boolean },
): WriteOptions {
  const dryRun = query.getAll('dryRun').filter((value) => value !== '')
  const fieldManager = query.get('fieldManager') ?? ''
  const fieldValidation = query.get('fieldValidation') ?? ''
  const force = query.get('force')
  const errors: FieldError[] = []
  const refuse = (reason: FieldError['reason'], field: string, message: string) =>
    errors.push({ reason, field, message })
  if (kind === 'PatchOptions' && isApply && fieldManager === '') {
    refuse('FieldValueRequired', 'fieldManager', 'Required value: is required for apply patch')
  }
  if (kind === 'PatchOptions' && !isApply && force !== null) {
    refuse('FieldValueForbidden', 'force', 'Forbidden: may not be specified for non-apply patch')
  }
  if (Buffer.byteLength(fieldManager) > longestManager) {
    refuse('FieldValueTooLong', 'fieldManager', `Too long: may not be more than ${longestManager} bytes`)
  }
  if (dryRun.some((value) => value !== 'All')) {
    const message = `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`
    refuse('FieldValueNotSupported', 'dryRun', message)
  }
  if (fieldValidation !== '' && !validations.some((value) => value === fieldValidation)) {
    const message = `Unsupported value: ${JSON.stringify(fieldValidation)}: supported values: "", "Ignore", "Strict", "Warn"`
    refuse('FieldValueNotSupported', 'fieldValidation', message)
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', plural: '', kind }, '', errors)
  return {
    dryRun: dryRun.length > 0,
    fieldValidation: (fieldValidation || 'Warn') as WriteOptions['fieldValidation'],
    manager: fieldManager || managerOf(userAgent),
    force: force === 'true' || force === '1',
  }
}

/** Without a fieldManager the name of the client program is used. */
function managerOf(userAgent: string | undefined): string {
  return (userAgent ?? '').split('/')[0]?.slice(0, longestManager) || 'unknown'
}
