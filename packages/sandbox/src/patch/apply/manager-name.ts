import { type FieldError, goQuote, isPrint } from '@portcullis/schema'

const mostBytes = 128

/** By which name a request owns fields: the one it gives, or what its user agent says before the first slash. */
export function managerName(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager !== undefined && fieldManager !== '') return fieldManager
  let name = ''
  for (const character of (userAgent ?? '').split('/', 1)[0] ?? '') {
    if (!isPrint(character)) continue
    if (Buffer.byteLength(name + character) > mostBytes) break
    name += character
  }
  return name === '' ? 'unknown' : name
}

/** What is wrong with the options of a patch; they make up an `Invalid` of PatchOptions.meta.k8s.io "". */
export function patchOptionErrors(options: {
  readonly isApply: boolean
  readonly fieldManager: string | undefined
  readonly force: boolean | undefined
}): FieldError[] {
  const { isApply, fieldManager = '', force } = options
  const errors: FieldError[] = []
  if (isApply && fieldManager === '') {
    errors.push({
      reason: 'FieldValueRequired',
      field: 'fieldManager',
      message: 'Required value: is required for apply patch',
    })
  }
  if (!isApply && force !== undefined) {
    errors.push({
      reason: 'FieldValueForbidden',
      field: 'force',
      message: 'Forbidden: may not be specified for non-apply patch',
    })
  }
  return [...errors, ...fieldManagerErrors(fieldManager)]
}

/** What is wrong with a field manager's name, in the options of any request. */
export function fieldManagerErrors(fieldManager: string): FieldError[] {
  const errors: FieldError[] = []
  if (Buffer.byteLength(fieldManager) > mostBytes) {
    const message = `Too long: may not be more than ${mostBytes} bytes`
    errors.push({ reason: 'FieldValueTooLong', field: 'fieldManager', message })
  }
  let position = 0
  for (const character of fieldManager) {
    if (!isPrint(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      const message = `Invalid value: ${goQuote(fieldManager)}: invalid character U+${code} (at position ${position})`
      errors.push({ reason: 'FieldValueInvalid', field: 'fieldManager', message })
    }
    position += Buffer.byteLength(character)
  }
  return errors
}
