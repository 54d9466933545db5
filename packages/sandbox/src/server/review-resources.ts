import { timestamp } from '@portcullis/kube'
import type { Schema } from '@portcullis/schema'
import type { Resource } from '../resource.ts'
import { badRequest } from './api-status.ts'

const asked = {
  version: 'v1',
  shortNames: [],
  categories: [],
  namespaced: false,
  subresources: [],
  columns: [],
  verbs: ['create'],
  behaviour: {},
}

const health = ['/healthz', '/livez', '/readyz', '/version', '/version/']
const documents = ['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez', '/openapi', '/openapi/*']

/** What a real cluster lists for its administrator: all, and what other users may do. */
const rulesOfAdmin = {
  resourceRules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    {
      verbs: ['create'],
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
    },
    { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
  ],
  nonResourceRules: [
    { verbs: ['*'], nonResourceURLs: ['*'] },
    { verbs: ['get'], nonResourceURLs: [...documents, '/readyz', '/version', '/version/'] },
    { verbs: ['get'], nonResourceURLs: health },
  ],
  incomplete: false,
}

/** What a client may ask about itself: its identity (`kubectl auth whoami`) and what it may do (here, everything). */
export function reviewResources(
  schemas: (group: string, version: string, kind: string) => Schema,
): Resource[] {
  return [
    {
      ...asked,
      group: 'authentication.k8s.io',
      kind: 'SelfSubjectReview',
      plural: 'selfsubjectreviews',
      singular: 'selfsubjectreview',
      schema: schemas('authentication.k8s.io', 'v1', 'SelfSubjectReview'),
      review: (object, { username, uid, groups, extra }, now) => ({
        ...object,
        metadata: { creationTimestamp: timestamp(now) },
        status: { userInfo: { username, uid, groups, ...(extra && { extra }) } },
      }),
    },
    {
      ...asked,
      group: 'authorization.k8s.io',
      kind: 'SelfSubjectAccessReview',
      plural: 'selfsubjectaccessreviews',
      singular: 'selfsubjectaccessreview',
      schema: schemas('authorization.k8s.io', 'v1', 'SelfSubjectAccessReview'),
      review: (object) => ({ ...object, status: { allowed: true } }),
    },
    {
      ...asked,
      group: 'authorization.k8s.io',
      kind: 'SelfSubjectRulesReview',
      plural: 'selfsubjectrulesreviews',
      singular: 'selfsubjectrulesreview',
      schema: schemas('authorization.k8s.io', 'v1', 'SelfSubjectRulesReview'),
      review: ({ apiVersion, kind, spec }) => {
        if (!(spec as { namespace?: string } | undefined)?.namespace)
          throw badRequest('no namespace on request')
        return { apiVersion, kind, metadata: {}, spec: {}, status: rulesOfAdmin }
      },
    },
  ]
}
