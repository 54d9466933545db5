import type { OpenApiSchema } from './openapi-schema.ts'

const machinery = 'io.k8s.apimachinery.pkg'

/** `core/v1.Pod` is `io.k8s.api.core.v1.Pod` in the documents of a real server. */
export function documentName(short: string): string {
  const dotted = short.replace('/', '.')
  if (short.startsWith('meta/')) return `${machinery}.apis.${dotted}`
  if (short.startsWith('apiextensions/')) return `io.k8s.apiextensions-apiserver.pkg.apis.${dotted}`
  return scalars[short]?.name ?? `io.k8s.api.${dotted}`
}

/** `example.com/v1 Octopus` is `com.example.v1.Octopus`. */
export function customName({
  group,
  version,
  kind,
}: {
  group: string
  version: string
  kind: string
}): string {
  return [...group.split('.').toReversed(), version, kind].join('.')
}

export const metaNames = {
  objectMeta: documentName('meta/v1.ObjectMeta'),
  listMeta: documentName('meta/v1.ListMeta'),
  deleteOptions: documentName('meta/v1.DeleteOptions'),
  status: documentName('meta/v1.Status'),
  patch: documentName('meta/v1.Patch'),
}

/** Types that are one value in JSON and a definition of their own in OpenAPI, by what Go calls them. */
export const goScalars: Readonly<Record<string, string>> = {
  'v1.Time': 'meta/v1.Time',
  'v1.MicroTime': 'meta/v1.MicroTime',
  'v1.Duration': 'meta/v1.Duration',
  'v1.FieldsV1': 'meta/v1.FieldsV1',
  'resource.Quantity': 'api/resource.Quantity',
  'intstr.IntOrString': 'util/intstr.IntOrString',
  'runtime.RawExtension': 'pkg/runtime.RawExtension',
  'v1.JSON': 'apiextensions/v1.JSON',
  'v1.JSONSchemaPropsOrArray': 'apiextensions/v1.JSONSchemaPropsOrArray',
  'v1.JSONSchemaPropsOrBool': 'apiextensions/v1.JSONSchemaPropsOrBool',
  'v1.JSONSchemaPropsOrStringArray': 'apiextensions/v1.JSONSchemaPropsOrStringArray',
}

interface Scalar {
  readonly name?: string
  readonly schema: OpenApiSchema
}

export const scalars: Readonly<Record<string, Scalar>> = {
  'meta/v1.Time': { schema: { type: 'string', format: 'date-time' } },
  'meta/v1.MicroTime': { schema: { type: 'string', format: 'date-time' } },
  'meta/v1.Duration': { schema: { type: 'string' } },
  'meta/v1.FieldsV1': { schema: { type: 'object' } },
  'meta/v1.Patch': { schema: { type: 'object' } },
  'api/resource.Quantity': {
    name: `${machinery}.api.resource.Quantity`,
    schema: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  },
  'util/intstr.IntOrString': {
    name: `${machinery}.util.intstr.IntOrString`,
    schema: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  },
  'pkg/runtime.RawExtension': { name: `${machinery}.runtime.RawExtension`, schema: { type: 'object' } },
  'apiextensions/v1.JSON': { schema: {} },
  'apiextensions/v1.JSONSchemaPropsOrArray': { schema: {} },
  'apiextensions/v1.JSONSchemaPropsOrBool': { schema: {} },
  'apiextensions/v1.JSONSchemaPropsOrStringArray': { schema: {} },
}
