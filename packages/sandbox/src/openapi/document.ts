import type { Resource } from '../resource.ts'
import { type BuiltInSchemas, shortNameOf } from './built-in-schemas.ts'
import { customSchemas } from './custom-schemas.ts'
import { customName, documentName, metaNames } from './definition-names.ts'
import type { KubernetesDescriptions } from './descriptions.ts'
import { kindsExtension, type OpenApiSchema, qualified, referenceTo, sortedByKey } from './openapi-schema.ts'
import { pathsOf, rootPath } from './paths.ts'

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: OpenApiSchema
  readonly paths: Record<string, OpenApiSchema>
  readonly components: {
    readonly schemas: Record<string, OpenApiSchema>
    readonly securitySchemes: OpenApiSchema
  }
}

export const info = { title: 'Kubernetes', version: '1.36' }

const bearerToken = {
  type: 'apiKey',
  description: 'Bearer Token authentication',
  name: 'authorization',
  in: 'header',
}

/** What every document describes, because every resource uses it. */
const shared = [
  'meta/v1.ListMeta',
  'meta/v1.ObjectMeta',
  'meta/v1.DeleteOptions',
  'meta/v1.Status',
  'meta/v1.Patch',
]

/** Describes the resources of one version of one group: `/openapi/v3/apis/GROUP/VERSION`. */
export function documentOf(
  resources: readonly Resource[],
  builtIn: BuiltInSchemas,
  descriptions: KubernetesDescriptions,
): OpenApiDocument {
  const [first] = resources
  if (first === undefined) throw new Error('A document without resources')
  const schemas: Record<string, OpenApiSchema> = {}
  const paths = rootPath(first.group, first.version)
  for (const short of shared) builtIn.add(short, schemas)
  const addKind = (name: string, kinds: OpenApiSchema) => {
    schemas[name] = { ...schemas[name], ...kinds }
  }
  const groups = new Set(['', first.group])
  const deleteOptions = [...groups].map((group) => ({
    group,
    version: group === '' ? 'v1' : first.version,
    kind: 'DeleteOptions',
  }))
  addKind(metaNames.deleteOptions, kindsExtension(...deleteOptions))
  addKind(metaNames.status, kindsExtension({ group: '', version: 'v1', kind: 'Status' }))
  for (const resource of resources) {
    const object = resource.isCustom ? customName(resource) : documentName(shortNameOf(resource) ?? '')
    const scale = documentName('autoscaling/v1.Scale')
    Object.assign(paths, pathsOf(resource, { object, list: `${object}List`, scale }))
    if (resource.subresources.includes('scale')) {
      builtIn.add('autoscaling/v1.Scale', schemas)
      addKind(scale, kindsExtension({ group: 'autoscaling', version: 'v1', kind: 'Scale' }))
    }
    if (resource.isCustom) {
      Object.assign(schemas, customSchemas(resource, descriptions))
      continue
    }
    const short = shortNameOf(resource)
    if (short === undefined) continue
    builtIn.add(short, schemas)
    addKind(object, kindsExtension(resource))
    schemas[`${object}List`] = listOf(resource, short, descriptions)
  }
  return {
    openapi: '3.0.0',
    info,
    paths: sortedByKey(paths),
    components: { schemas: sortedByKey(schemas), securitySchemes: { BearerToken: bearerToken } },
  }
}

function listOf(
  { group, version, kind }: Resource,
  short: string,
  descriptions: KubernetesDescriptions,
): OpenApiSchema {
  const text = (field?: string) => {
    const description = descriptions.of(`${short}List`, field)
    return description === undefined ? {} : { description }
  }
  const items = qualified(documentName(short), { default: {} })
  return {
    ...text(),
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: { ...text('apiVersion'), type: 'string' },
      items: { ...text('items'), type: 'array', items },
      kind: { ...text('kind'), type: 'string' },
      metadata: { ...text('metadata'), default: {}, allOf: [referenceTo(metaNames.listMeta)] },
    },
    ...kindsExtension({ group, version, kind: `${kind}List` }),
  }
}
