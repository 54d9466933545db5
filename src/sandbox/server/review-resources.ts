import type { Resource } from '../resource.ts'
import type { Schema } from '../schema/schema.ts'
import { timestamp } from './registry.ts'

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

/** What a client may ask about itself: who it is (`kubectl auth whoami`) and what it may do (here, everything). */
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
      review: (object, { username, uid, groups }, now) => ({
        ...object,
        metadata: { creationTimestamp: timestamp(now) },
        status: { userInfo: { username, uid, groups } },
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
  ]
}
