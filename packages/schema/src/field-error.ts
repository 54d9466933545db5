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
    /** Nothing that is told of a field: the request fails with these words alone. */
    | 'Unknown'
  /** `spec.ports[0].port`, `metadata.labels`, `spec.selector[app]` … */
  readonly field: string
  /** Everything behind the field: `Invalid value: 70000: must be between 1 and 65535, inclusive`. */
  readonly message: string
}
