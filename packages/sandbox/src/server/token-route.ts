import { timestamp } from '@portcullis/kube'
import { type AnyObject, invalid as invalidField, type Schema } from '@portcullis/schema'
import type { ClusterView, Resource } from '../resource.ts'
import type { Route } from './api-server.ts'
import { badRequest, invalid, methodNotAllowed, notFound } from './api-status.ts'
import type { BodyReader } from './body-reader.ts'
import type { FieldManagement } from './field-management.ts'
import { parseResourcePath } from './request-info.ts'
import { ownAudience, type ServiceAccountTokens, type TokenWanted } from './service-account-tokens.ts'
import { newUid } from './uid.ts'
import { readWriteOptions } from './write-options.ts'

interface TokenSpec {
  audiences?: string[] | null
  expirationSeconds: number
  boundObjectRef?: { kind?: string; apiVersion?: string; name?: string } | null
}

export interface TokenRouteParts {
  readonly cluster: ClusterView
  readonly bodies: BodyReader
  readonly fields: FieldManagement
  readonly tokens: ServiceAccountTokens
  /** Of TokenRequest. */
  readonly schema: Schema
}

const about = { group: 'authentication.k8s.io', plural: 'tokenrequests', kind: 'TokenRequest' }
const accounts = { group: '', plural: 'serviceaccounts', kind: 'ServiceAccount' }
/** What a token can be bound to, and the names of their collections. */
const boundKinds: Readonly<Record<string, string>> = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' }

const shortest = 10 * 60
const longest = 2 ** 32
const usual = 60 * 60

/** `kubectl create token`: the subresource `token` of service accounts. */
export function tokenRoute({ cluster, bodies, fields, tokens, schema }: TokenRouteParts): Route {
  const resource = tokenRequests(schema)
  return (request) => {
    const path = parseResourcePath(request.path)
    if (path?.group !== '' || path.plural !== 'serviceaccounts' || path.subresource !== 'token')
      return undefined
    if (request.method !== 'POST') throw methodNotAllowed()
    const { namespace = '', name = '' } = path
    const userAgent = request.headers['user-agent']
    const options = readWriteOptions(request.query, 'CreateOptions', { userAgent, isApply: false })
    const { object } = bodies.read(request, resource, options)
    fields.track({ object, old: undefined, resource, subresource: 'token', options })
    refuseOtherName(object, name)
    const account = cluster.get(accounts, { namespace, name })
    if (account === undefined) throw notFound(accounts, name)
    const spec = object['spec'] as TokenSpec
    refuseDuration(spec.expirationSeconds)
    const now = cluster.now()
    const audiences = spec.audiences?.length ? spec.audiences : [ownAudience]
    const { token, expires } = tokens.issue({
      account,
      audiences,
      expirationSeconds: spec.expirationSeconds,
      ...boundTo(spec, namespace, cluster),
      id: newUid(() => cluster.random()),
      now,
    })
    const { uid } = account.metadata
    const metadata = { ...object.metadata, name, namespace, uid, creationTimestamp: timestamp(now) }
    const status = { token, expirationTimestamp: timestamp(expires) }
    const body = {
      ...object,
      metadata,
      spec: { boundObjectRef: null, ...spec, audiences },
      status,
    }
    return { code: 201, body }
  }
}

function tokenRequests(schema: Schema): Resource {
  return {
    ...about,
    version: 'v1',
    singular: 'tokenrequest',
    shortNames: [],
    categories: [],
    namespaced: true,
    subresources: [],
    columns: [],
    schema,
    behaviour: {
      defaults(object) {
        const spec = (object['spec'] ??= {}) as Partial<TokenSpec>
        spec.expirationSeconds ??= usual
      },
    },
  }
}

function refuseOtherName({ metadata }: AnyObject, name: string): void {
  if (!metadata.name || metadata.name === name) return
  const problem = 'must match the service account name if specified'
  throw invalid(about, name, [invalidField('metadata.name', metadata.name, problem)])
}

function refuseDuration(seconds: number): void {
  const refuse = (problem: string) =>
    invalid(about, '', [invalidField('spec.expirationSeconds', seconds, problem)])
  if (seconds < shortest) throw refuse('may not specify a duration less than 10 minutes')
  if (seconds > longest) throw refuse('may not specify a duration larger than 2^32 seconds')
}

function boundTo(
  { boundObjectRef }: TokenSpec,
  namespace: string,
  cluster: ClusterView,
): Pick<TokenWanted, 'bound'> {
  if (!boundObjectRef) return {}
  const { kind = '', apiVersion = '', name = '' } = boundObjectRef
  const plural = apiVersion === 'v1' ? boundKinds[kind] : undefined
  if (plural === undefined) {
    const type = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
    throw badRequest(`cannot bind token to object of type ${type}, Kind=${kind}`)
  }
  const found = cluster.get({ group: '', plural }, { name, ...(kind !== 'Node' && { namespace }) })
  if (found === undefined) throw notFound({ group: '', plural, kind }, name)
  return { bound: { kind, name, uid: found.metadata.uid ?? '' } }
}
