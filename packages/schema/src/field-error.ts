/** One thing wrong with a field, in the words that the API server uses; what `Invalid` errors are made of. */
export interface FieldError {
  /** Kubernetes' own names: they end up in `details.causes[].reason`. */
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueDuplicate'
    | 'FieldValueNotFound'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueTypeInvalid'
    | 'InternalError'
    /** An error that is not about a field: the request fails with this message alone. */
    | 'Unknown'
  /** `spec.ports[0].port`, `metadata.labels`, `spec.selector[app]` … */
  readonly field: string
  /** Everything behind the field: `Invalid value: 70000: must be between 1 and 65535, inclusive`. */
  readonly message: string
}
