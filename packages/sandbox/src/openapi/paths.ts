import type { Resource } from '../resource.ts'
import { metaNames } from './definition-names.ts'
import { type OpenApiSchema, referenceTo } from './openapi-schema.ts'
import { inPath, parametersOf, parametersOfCustom, pretty } from './parameters.ts'

type Action = keyof typeof parametersOf

export interface NamesOfKind {
  readonly object: string
  readonly list: string
  readonly scale: string
}

const patchTypes = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
]

const answers = ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml']
const answersOfCustom = ['application/json', 'application/yaml']
const streams = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch']

/** Codes with which each action succeeds. */
const codes = {
  get: [200],
  list: [200],
  post: [200, 201, 202],
  put: [200, 201],
  patch: [200, 201],
  delete: [200, 202],
  deletecollection: [200],
} as const satisfies Record<Action, readonly number[]>

/** A patch never creates a custom resource, so they say; an apply does. */
function codesOf(action: Action, isCustom = false): readonly number[] {
  return isCustom && action === 'patch' ? [200] : codes[action]
}

const meanings: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }

/** How the id of an operation begins. */
const operations = {
  get: 'read',
  list: 'list',
  post: 'create',
  put: 'replace',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'delete',
} as const satisfies Record<Action, string>

/** The paths of one resource, with everything that may be done there. */
export function pathsOf(resource: Resource, names: NamesOfKind): Record<string, OpenApiSchema> {
  const { group, version, plural, namespaced, verbs } = resource
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const may = (verb: string) => verbs === undefined || verbs.includes(verb)
  const operate = (action: Action, subject: Partial<Subject> = {}) =>
    operation(action, { resource, answer: names.object, body: names.object, suffix: '', ...subject })
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`
  const inNamespace = namespaced ? [inPath('namespace', 'the namespace that the object is in')] : []
  const ofObject = [inPath('name', `name of the ${resource.kind}`), ...inNamespace, pretty]
  const paths: Record<string, OpenApiSchema> = {
    [collection]: {
      ...(may('list') && { get: operate('list', { answer: names.list }) }),
      ...(may('create') && { post: operate('post') }),
      ...(may('deletecollection') && {
        delete: operate('deletecollection', { answer: metaNames.status, body: metaNames.deleteOptions }),
      }),
      parameters: [...inNamespace, pretty],
    },
  }
  if (namespaced && may('list')) {
    paths[`${root}/${plural}`] = {
      get: operate('list', { answer: names.list, suffix: 'ForAllNamespaces' }),
      parameters: [...parametersOf.list, pretty].sort((one, other) => (one.name < other.name ? -1 : 1)),
    }
  }
  if (may('get')) {
    // A Namespace is answered too, but its document has never said so.
    const returnsObject = resource.behaviour.returnsDeleted && resource.kind !== 'Namespace'
    const answer = returnsObject ? names.object : metaNames.status
    paths[`${collection}/{name}`] = {
      get: operate('get'),
      ...(may('update') && { put: operate('put') }),
      ...(may('delete') && { delete: operate('delete', { answer, body: metaNames.deleteOptions }) }),
      ...(may('patch') && { patch: operate('patch') }),
      parameters: ofObject,
    }
  }
  for (const subresource of resource.subresources.filter((name) => name === 'status' || name === 'scale')) {
    const shown = subresource === 'scale' ? names.scale : names.object
    const subject = { answer: shown, body: shown, suffix: capitalized(subresource) }
    paths[`${collection}/{name}/${subresource}`] = {
      get: operate('get', subject),
      put: operate('put', subject),
      patch: operate('patch', subject),
      parameters: ofObject,
    }
  }
  return paths
}

/** The path that lists what there is in a version. */
export function rootPath(group: string, version: string): Record<string, OpenApiSchema> {
  const path = group === '' ? `/api/${version}/` : `/apis/${group}/${version}/`
  const { tag, id } = labelsOf(group, version)
  const responses = { 200: { description: 'OK' }, 401: { description: 'Unauthorized' } }
  const get = {
    tags: [tag],
    description: 'get available resources',
    operationId: `get${id}APIResources`,
    responses,
  }
  return { [path]: { get } }
}

interface Subject {
  readonly resource: Resource
  /** Names of the schemas of what is answered and of what is sent. */
  readonly answer: string
  readonly body: string
  readonly suffix: string
}

function operation(action: Action, { resource, answer, body, suffix }: Subject): OpenApiSchema {
  const { group, version, kind, namespaced, isCustom } = resource
  const { tag, id } = labelsOf(group, version)
  const parameters = (isCustom && parametersOfCustom[action]) || parametersOf[action]
  const isForAll = suffix === 'ForAllNamespaces'
  const scope = namespaced && !isForAll ? 'Namespaced' : ''
  const start = action === 'deletecollection' ? `delete${id}Collection` : `${operations[action]}${id}`
  const types = isCustom ? answersOfCustom : action === 'list' ? [...answers, ...streams] : answers
  const content = Object.fromEntries([...types].sort().map((type) => [type, { schema: referenceTo(answer) }]))
  const responses = Object.fromEntries(
    codesOf(action, isCustom).map((code) => [code, { description: meanings[code], content }] as const),
  )
  return {
    tags: [tag],
    description: purposes[action](kind, suffix),
    operationId: `${start}${scope}${kind}${suffix}`,
    ...(!isForAll && parameters.length > 0 && { parameters }),
    ...requestBody(action, body, isCustom),
    responses: { ...responses, 401: { description: 'Unauthorized' } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': suffix === 'Scale' ? scaleKind : { group, version, kind },
  }
}

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' }

function requestBody(action: Action, body: string, isCustom = false): OpenApiSchema {
  if (action === 'get' || action === 'list' || (isCustom && action === 'deletecollection')) return {}
  if (action === 'patch') {
    const types = isCustom ? patchTypes.slice(0, 3) : patchTypes
    const content = Object.fromEntries(types.map((type) => [type, { schema: referenceTo(metaNames.patch) }]))
    return { requestBody: { content, required: true } }
  }
  const isOptional = action === 'delete' || action === 'deletecollection'
  const types = isCustom ? answersOfCustom : ['*/*']
  const content = Object.fromEntries(types.map((type) => [type, { schema: referenceTo(body) }]))
  return { requestBody: { content, ...(!isOptional && { required: true }) } }
}

const part = (suffix: string) =>
  suffix === '' || suffix === 'ForAllNamespaces' ? '' : `${suffix.toLowerCase()} of the `

const purposes = {
  get: (kind, suffix) => `read ${part(suffix) || 'the '}specified ${kind}`,
  list: (kind) => `list or watch objects of kind ${kind}`,
  post: (kind) => `create ${article(kind)} ${kind}`,
  put: (kind, suffix) => `replace ${part(suffix) || 'the '}specified ${kind}`,
  patch: (kind, suffix) => `partially update ${part(suffix) || 'the '}specified ${kind}`,
  delete: (kind) => `delete ${article(kind)} ${kind}`,
  deletecollection: (kind) => `delete collection of ${kind}`,
} as const satisfies Record<Action, (kind: string, suffix: string) => string>

const article = (kind: string) => (/^[AEIOU]/.test(kind) ? 'an' : 'a')

/** `rbac.authorization.k8s.io/v1` is tagged `rbacAuthorization_v1`, and in ids it is `RbacAuthorizationV1`. */
function labelsOf(group: string, version: string): { tag: string; id: string } {
  const words = (group === '' ? 'core' : group.replace(/\.k8s\.io$/, '')).split(/[.-]/)
  const name = words.map(capitalized).join('')
  return {
    tag: `${name.charAt(0).toLowerCase()}${name.slice(1)}_${version}`,
    id: `${name}${capitalized(version)}`,
  }
}

function capitalized(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`
}
