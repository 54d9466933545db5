// `npx tsx scripts/kubernetes-schemas.ts`: writes packages/schema/src/kubernetes.json, the structure of the built-in
// kinds. What a field may hold comes from the OpenAPI documents of a real kube-apiserver; how Go keeps it (pointer
// or value, left out when empty or not) from the struct tags in the source that the same server was built from.
// Needs Go, as the real control plane does; the same Kubernetes version gives the same file.
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Agent, request } from 'undici'
import { startControlPlane } from '../testing/clusters/control-plane.ts'
import { go } from '../testing/clusters/go-toolchain.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type JsonObject = { [key: string]: Json }

const output = fileURLToPath(new URL('../packages/schema/src/kubernetes.json', import.meta.url))
const goModule = fileURLToPath(new URL('../testing/clusters/go/kubernetes', import.meta.url))

const core = 'io.k8s.api.core.v1.'
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.'

type KindPlace = readonly [key: string, document: string, definition: string]

/** Kinds of one group, as its own document describes them. */
function served(group: string, types: string, names: readonly string[]): KindPlace[] {
  return names.map((name) => [
    `${group}/v1/${name}`,
    `apis/${group}/v1`,
    `io.k8s.${types.includes('.') ? types : `api.${types}`}.v1.${name}`,
  ])
}

/** Where each kind is described: `group/version/Kind`, the document, the name in it. */
const kinds: readonly KindPlace[] = [
  ...[
    'Namespace',
    'Node',
    'Pod',
    'Service',
    'Endpoints',
    'Event',
    'Secret',
    'ConfigMap',
    'ServiceAccount',
    'Binding',
  ].map((kind) => [`v1/${kind}`, 'api/v1', `${core}${kind}`] as const),
  ['policy/v1/Eviction', 'api/v1', 'io.k8s.api.policy.v1.Eviction'],
  ['authentication.k8s.io/v1/TokenRequest', 'api/v1', 'io.k8s.api.authentication.v1.TokenRequest'],
  ['v1/DeleteOptions', 'api/v1', `${meta}DeleteOptions`],
  ['v1/Status', 'api/v1', `${meta}Status`],
  ...served('discovery.k8s.io', 'discovery', ['EndpointSlice']),
  ...served('events.k8s.io', 'events', ['Event']),
  ...served('apps', 'apps', ['Deployment', 'ReplicaSet']),
  ['autoscaling/v1/Scale', 'apis/apps/v1', 'io.k8s.api.autoscaling.v1.Scale'],
  ...served('policy', 'policy', ['PodDisruptionBudget']),
  ...served('networking.k8s.io', 'networking', ['Ingress', 'IngressClass', 'NetworkPolicy']),
  ...served('admissionregistration.k8s.io', 'admissionregistration', [
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
  ]),
  ...served('coordination.k8s.io', 'coordination', ['Lease']),
  ...served('apiextensions.k8s.io', 'apiextensions-apiserver.pkg.apis.apiextensions', [
    'CustomResourceDefinition',
  ]),
  ...served('rbac.authorization.k8s.io', 'rbac', [
    'Role',
    'ClusterRole',
    'RoleBinding',
    'ClusterRoleBinding',
  ]),
  ...served('authorization.k8s.io', 'authorization', ['SelfSubjectAccessReview', 'SelfSubjectRulesReview']),
  ...served('authentication.k8s.io', 'authentication', ['SelfSubjectReview']),
]

/** Kept as one value by Go, whatever they look like from outside; written where they are used. */
const scalars: Readonly<Record<string, JsonObject>> = {
  'v1.Time': { type: 'string', format: 'date-time' },
  'v1.MicroTime': { type: 'string', format: 'date-time' },
  'v1.Duration': { type: 'string' },
  'resource.Quantity': { type: 'string' },
  'intstr.IntOrString': { 'x-kubernetes-int-or-string': true },
  'v1.FieldsV1': { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  'runtime.RawExtension': { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  'v1.JSON': { 'x-kubernetes-preserve-unknown-fields': true },
  'v1.JSONSchemaPropsOrArray': { anyOf: [{ $ref: 'apiextensions/v1.JSONSchemaProps' }] },
  'v1.JSONSchemaPropsOrBool': { anyOf: [{ $ref: 'apiextensions/v1.JSONSchemaProps' }] },
  'v1.JSONSchemaPropsOrStringArray': { anyOf: [{ $ref: 'apiextensions/v1.JSONSchemaProps' }] },
}

const copied = [
  'type',
  'format',
  'enum',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-patch-merge-key',
]

// --- Go -----------------------------------------------------------------------------------------------------------

interface GoField {
  readonly name: string
  readonly type: string
  /** The struct that is embedded and holds the field. */
  readonly embedded: readonly string[]
  readonly options: readonly string[]
  readonly file: GoFile
}

interface GoFile {
  readonly package: string
  /** Import path by the name it has in the file. */
  readonly imports: ReadonlyMap<string, string>
}

type GoType = { readonly file: GoFile } & (
  | { readonly struct: string; readonly alias?: never }
  | { readonly alias: string; readonly struct?: never }
)

const basic = new Set(['string', 'bool', 'int', 'int32', 'int64', 'float64', 'byte', 'uint8'])

/** The types that Go packages declare, read from their source with as little understanding as will do. */
class GoTypes {
  readonly #modules = new Map<string, string>()
  readonly #packages = new Map<string, Map<string, GoType>>()

  async type(path: string, name: string): Promise<GoType | undefined> {
    let types = this.#packages.get(path)
    if (types === undefined) {
      types = await this.#read(path)
      this.#packages.set(path, types)
    }
    return types.get(name)
  }

  /** The JSON fields of a struct, those of embedded structs in place. */
  async fields(path: string, name: string): Promise<GoField[]> {
    const type = await this.type(path, name)
    if (type?.struct === undefined) {
      if (type?.alias !== undefined) return this.fields(...this.#locate(type.alias, type.file))
      throw new Error(`${path} declares no struct ${name}`)
    }
    const fields: GoField[] = []
    for (const line of type.struct.split('\n')) {
      const match = /^\s*(?:(\w+)\s+)?([\w.*[\]]+)\s+`(?:[^`]*\s)?json:"([^"]*)"/.exec(line)
      if (match === null) continue
      const [, field, goType = '', tag = ''] = match
      const [json = '', ...options] = tag.split(',')
      if (json === '-') continue
      if (field === undefined && json === '') {
        const [embeddedPath, embeddedName] = this.#locate(goType.replace('*', ''), type.file)
        for (const inner of await this.fields(embeddedPath, embeddedName))
          fields.push({ ...inner, embedded: [embeddedName, ...inner.embedded] })
      } else fields.push({ name: json, type: goType, embedded: [], options, file: type.file })
    }
    return fields
  }

  /** What a type is once its names are followed to the end, and what `%T` would print for it. */
  async describe(type: string, file: GoFile): Promise<{ printed: string; underlying: string; file: GoFile }> {
    if (type.startsWith('*')) return this.describe(type.slice(1), file)
    if (type.startsWith('[]')) {
      const item = await this.describe(type.slice(2), file)
      const pointer = type.startsWith('[]*') ? '*' : ''
      return {
        printed: type === '[]byte' ? '[]uint8' : `[]${pointer}${item.printed}`,
        underlying: type,
        file,
      }
    }
    const map = /^map\[([\w.]+)\](.+)$/.exec(type)
    if (map !== null) {
      const [, key = '', value = ''] = map
      const [k, v] = [await this.describe(key, file), await this.describe(value, file)]
      return { printed: `map[${k.printed}]${v.printed}`, underlying: type, file }
    }
    if (basic.has(type)) return { printed: type, underlying: type, file }
    const [path, name] = this.#locate(type, file)
    const found = await this.type(path, name)
    if (found === undefined) throw new Error(`${path} declares no type ${name}`)
    const printed = `${path.split('/').at(-1)}.${name}`
    if (found.struct !== undefined) return { printed, underlying: 'struct', file: found.file }
    return { ...(await this.describe(found.alias, found.file)), printed }
  }

  #locate(type: string, file: GoFile): [path: string, name: string] {
    const dot = type.indexOf('.')
    if (dot < 0) return [file.package, type]
    const path = file.imports.get(type.slice(0, dot))
    if (path === undefined) throw new Error(`${file.package} does not import ${type.slice(0, dot)}`)
    return [path, type.slice(dot + 1)]
  }

  async #read(path: string): Promise<Map<string, GoType>> {
    const types = new Map<string, GoType>()
    const directory = await this.#directory(path)
    for (const name of (await readdir(directory)).toSorted()) {
      if (!name.endsWith('.go') || name.endsWith('_test.go') || name.startsWith('zz_')) continue
      const source = (await readFile(join(directory, name), 'utf8')).replaceAll(/^\s*\/\/.*$/gm, '')
      const imports = new Map<string, string>()
      for (const [, alias, imported = ''] of source.matchAll(/^(?:import)?\s+(?:(\w+)\s+)?"([\w./-]+)"$/gm))
        imports.set(alias ?? imported.split('/').at(-1) ?? '', imported)
      const file: GoFile = { package: path, imports }
      for (const [, type = '', struct = ''] of source.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms))
        types.set(type, { file, struct })
      for (const [, type = ''] of source.matchAll(/^type (\w+) struct ?\{\}$/gm))
        types.set(type, { file, struct: '' })
      for (const [, type = '', alias = ''] of source.matchAll(/^type (\w+) =? ?([\w.*[\]]+)$/gm))
        types.set(type, { file, alias })
      // Several types may be declared together.
      for (const [, group = ''] of source.matchAll(/^type \(\n(.*?)^\)/gms))
        for (const [, type = '', alias = ''] of group.matchAll(/^\s+(\w+) ([\w.*[\]]+)$/gm))
          types.set(type, { file, alias })
    }
    return types
  }

  async #directory(path: string): Promise<string> {
    const module = path.split('/').slice(0, 2).join('/')
    let directory = this.#modules.get(module)
    if (directory === undefined) {
      directory = await go(['list', '-m', '-f', '{{.Dir}}', module], { module: goModule })
      this.#modules.set(module, directory)
    }
    return join(directory, path.slice(module.length))
  }
}

// --- Schemas ------------------------------------------------------------------------------------------------------

/** `io.k8s.api.core.v1.Pod` in OpenAPI is `Pod` of the package `k8s.io/api/core/v1`. */
function goName(definition: string): [path: string, name: string] {
  const parts = definition.split('.')
  const name = parts.pop() ?? ''
  const [, , module = '', ...rest] = parts
  return [`k8s.io/${module}/${rest.join('/')}`, name]
}

/** Short, unique, and ending in what Go prints: `core/v1.Pod`. */
function shortName(definition: string): string {
  return definition.split('.').slice(-3).join('.').replace('.', '/')
}

const goTypes = new GoTypes()

class Builder {
  readonly definitions: JsonObject = {}
  readonly #documents: Readonly<Record<string, JsonObject>>

  constructor(documents: Readonly<Record<string, JsonObject>>) {
    this.#documents = documents
  }

  async define(document: string, definition: string): Promise<string> {
    const short = shortName(definition)
    if (this.definitions[short] !== undefined) return short
    const schema = this.#documents[document]?.[definition] as JsonObject | undefined
    if (schema === undefined) throw new Error(`${document} does not describe ${definition}`)
    const properties: JsonObject = {}
    this.definitions[short] = {
      type: 'object',
      ...(schema['required'] === undefined ? {} : { required: schema['required'] }),
      ...this.#copy(schema),
      properties,
    }
    const described = (schema['properties'] ?? {}) as Record<string, JsonObject>
    const fields = await goTypes.fields(...goName(definition))
    for (const field of fields) {
      const property = described[field.name]
      if (property === undefined)
        throw new Error(`${definition} has no ${field.name} in the OpenAPI of ${document}`)
      properties[field.name] = await this.#property(document, property, field)
    }
    const missing = Object.keys(described).filter((name) => properties[name] === undefined)
    if (missing.length > 0) throw new Error(`${definition}: no field of Go's for ${missing.join(', ')}`)
    return short
  }

  async #property(document: string, schema: JsonObject, field: GoField): Promise<JsonObject> {
    const node = await this.#node(document, schema, field.type, field.file)
    const omit = await omission(field)
    const details = (node['x-go'] ?? {}) as JsonObject
    const how = {
      ...details,
      ...(field.type.startsWith('*') ? { pointer: true } : {}),
      ...(omit === undefined ? {} : { omit }),
      ...(field.embedded.length === 0 || field.embedded.at(-1) === 'TypeMeta'
        ? {}
        : { embedded: field.embedded.join('.') }),
    }
    const { 'x-go': _, ...rest } = node
    return Object.keys(how).length === 0 ? rest : { ...rest, 'x-go': how }
  }

  async #node(document: string, schema: JsonObject, type: string, file: GoFile): Promise<JsonObject> {
    const { printed, underlying, file: home } = await goTypes.describe(type, file)
    const scalar = scalars[printed]
    if (scalar !== undefined) return { ...scalar, ...this.#extras(schema), 'x-go': { type: printed } }
    const reference =
      schema['$ref'] ?? (schema['allOf'] as JsonObject[] | undefined)?.map(({ $ref }) => $ref)[0]
    if (typeof reference === 'string') {
      const name = await this.define(document, reference.slice(reference.lastIndexOf('/') + 1))
      return { $ref: name, ...this.#extras(schema) }
    }
    const node: JsonObject = { ...this.#copy(schema), ...this.#extras(schema) }
    const named = printed !== underlying
    if (schema['type'] === 'array') {
      const items = await this.#node(document, schema['items'] as JsonObject, underlying.slice(2), home)
      const pointer = underlying.startsWith('[]*')
      node['items'] = pointer ? { ...items, 'x-go': { ...(items['x-go'] as JsonObject), pointer } } : items
      return printed.startsWith('[]') ? node : { ...node, 'x-go': { type: printed } }
    }
    if (schema['additionalProperties'] !== undefined) {
      const [, key = ''] = /^map\[(.+?)\]/.exec(underlying) ?? []
      node['additionalProperties'] = await this.#node(
        document,
        schema['additionalProperties'] as JsonObject,
        underlying.replace(/^map\[.+?\]/, ''),
        home,
      )
      return printed.startsWith('map[') && key === 'string' ? node : { ...node, 'x-go': { type: printed } }
    }
    if (schema['format'] === 'byte') return node
    const plain =
      schema['type'] === 'integer'
        ? (schema['format'] ?? 'int64')
        : schema['type'] === 'boolean'
          ? 'bool'
          : ''
    return named || (schema['type'] === 'integer' && printed !== plain)
      ? { ...node, 'x-go': { type: printed } }
      : node
  }

  #copy(schema: JsonObject): JsonObject {
    return Object.fromEntries(
      copied.flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]])),
    )
  }

  /** A default that is Go's zero value says nothing. */
  #extras(schema: JsonObject): JsonObject {
    const given = schema['default']
    const extras = this.#copy({ ...schema, type: null })
    delete extras['type']
    const zero =
      given === undefined || given === '' || given === 0 || given === false || JSON.stringify(given) === '{}'
    return zero ? extras : { ...extras, default: given }
  }
}

/** A struct is never empty to `omitempty`; everything else that is zero is empty too. */
async function omission({ options, type, file }: GoField): Promise<'empty' | 'zero' | undefined> {
  const { underlying } = await goTypes.describe(type, file)
  const isStruct = underlying === 'struct' && !type.startsWith('*')
  if (options.includes('omitzero') && (isStruct || !options.includes('omitempty'))) return 'zero'
  return options.includes('omitempty') && !isStruct ? 'empty' : undefined
}

/** The definitions in the OpenAPI documents of a real API server, by the path of the document. */
async function readDocuments(): Promise<Record<string, JsonObject>> {
  const plane = await startControlPlane({ parts: 'etcd+apiserver' })
  const agent = new Agent({ connect: { ca: plane.ca } })
  try {
    const documents: Record<string, JsonObject> = {}
    for (const path of new Set(kinds.map(([, document]) => document))) {
      const { statusCode, body } = await request(`${plane.server}/openapi/v3/${path}`, {
        dispatcher: agent,
        headers: { authorization: `Bearer ${plane.adminToken}`, accept: 'application/json' },
      })
      if (statusCode !== 200) throw new Error(`/openapi/v3/${path}: ${statusCode} ${await body.text()}`)
      const document = (await body.json()) as { components: { schemas: JsonObject } }
      documents[path] = document.components.schemas
    }
    return documents
  } finally {
    await agent.close()
    await plane.stop()
  }
}

const builder = new Builder(await readDocuments())
const names: JsonObject = {}
for (const [key, document, definition] of kinds) names[key] = await builder.define(document, definition)
const sorted = Object.fromEntries(
  Object.keys(builder.definitions)
    .toSorted()
    .map((name) => [name, builder.definitions[name] ?? {}]),
)
await writeFile(output, `${JSON.stringify({ kinds: names, definitions: sorted })}\n`)
await promisify(execFile)('npx', ['biome', 'format', '--write', output])
console.log(`wrote ${output}`)
