import { labelsOf, type Manifest, type ManifestOptions } from './options.ts'

const apiVersion = 'rbac.authorization.k8s.io/v1'
const apiGroup = 'rbac.authorization.k8s.io'

/** What it takes that scrapers show who they are: the operator may ask, and there is a role for those who may scrape. */
export function metricsAccess(options: ManifestOptions): Manifest[] {
  if (!options.metricsAuthentication) return []
  const metadata = (what: string) => ({ name: `${options.name}-${what}`, labels: labelsOf(options) })
  return [
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: metadata('auth-delegator'),
      // Every cluster has this role: to create TokenReviews and SubjectAccessReviews, and nothing else.
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'system:auth-delegator' },
      subjects: [{ kind: 'ServiceAccount', namespace: options.operatorNamespace, name: options.name }],
    },
    {
      apiVersion,
      kind: 'ClusterRole',
      metadata: metadata('metrics-reader'),
      rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
    },
  ]
}
