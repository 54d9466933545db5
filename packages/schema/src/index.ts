// What an API server does to an object: what other packages may use.

export { type AnyObject } from './any-object.ts'
export { type AdmissionExpression, problemOfAdmissionExpression } from './cel/admission-expression.ts'
export { isCelIdentifier } from './cel/source.ts'
export { validateCrdSchema } from './crd-schema.ts'
export {
  admitCustomResource,
  type DecodedCustomResource,
  decodeCustomResource,
  validateType,
} from './custom-resource.ts'
export { type DecodedRequest, decode, decodeRequest, scheme, strictProblem } from './decode.ts'
export { applyDefaults } from './defaults.ts'
export { type FieldError } from './field-error.ts'
export {
  duplicate,
  forbidden,
  goJson,
  immutable,
  invalid,
  invalids,
  nonNegative,
  notFound,
  notSupported,
  required,
  sortedMap,
  tooLong,
  tooMany,
} from './field-errors.ts'
export { goQuote, isPrint } from './go-quote.ts'
export { holdsGivenEmpty, wasGivenEmpty, withNullBytes } from './go-value.ts'
export { cloneJson } from './json.ts'
export { parseJson, toValue } from './json-text.ts'
export { type KubernetesSchemas, loadKubernetesSchemas } from './kubernetes.ts'
export {
  problemsOfConfigKey,
  problemsOfDomainPath,
  problemsOfEnvironmentName,
  problemsOfHttpHeader,
  problemsOfLabel,
  problemsOfLabelValue,
  problemsOfPathSegment,
  problemsOfPercent,
  problemsOfQualifiedName,
  problemsOfSubdomain,
  problemsOfWildcard,
} from './names.ts'
export {
  validateAnnotations,
  validateBasicMeta,
  validateBasicMetaUpdate,
  validateCommonCreate,
  validateCommonUpdate,
  validateKnownFinalizer,
  validateLabels,
  validateMeta,
  validateMetaUpdate,
} from './object-meta.ts'
export { compareQuantities, nanosOf, roundedUpQuantity } from './quantity.ts'
export { type GoDetails, type Schema } from './schema.ts'
export { validateCustomResource } from './validate-custom-resource.ts'
