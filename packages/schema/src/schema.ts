/**
 * The schema of a kind, or of a part of it: OpenAPI as Kubernetes writes it. The schemas of built-in kinds are
 * generated; those of custom resources come from their CustomResourceDefinition.
 */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  readonly format?: string
  readonly nullable?: boolean
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly description?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: boolean
  readonly exclusiveMaximum?: boolean
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly uniqueItems?: boolean
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly not?: Schema
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular'
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-patch-merge-key'?: string
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
  /** For built-in kinds: how Go keeps the field, and so what survives of an empty value. */
  readonly 'x-go'?: GoDetails
}

/** What Go knows of a value and OpenAPI does not say. */
export interface GoDetails {
  /** What Go prints for the type, where the schema alone does not say it: `v1.ServiceSpec`, `resource.Quantity`. */
  readonly type?: string
  readonly pointer?: true
  /** `zero` only leaves out what is absent; `empty` empty lists and maps too. */
  readonly omit?: 'empty' | 'zero'
  /** The embedded structs that the field is in, joined by dots: error messages name them. */
  readonly embedded?: string
}

export interface ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}
