import { labelsOf, type Manifest, type ManifestOptions } from './options.ts'

const look = ['get', 'list', 'watch']

/**
 * What the routers may do. Every controller has a ServiceAccount for its routers, made when the controller is; so the
 * right goes to all accounts of their namespace, and the operator needs no right to hand out rights.
 */
export function routerAccess(options: ManifestOptions): Manifest[] {
  const metadata = { name: `${options.name}-router`, labels: labelsOf(options) }
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  return [
    { apiVersion, kind: 'ClusterRole', metadata, rules: routerRules(options) },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
      subjects: [
        {
          apiGroup: 'rbac.authorization.k8s.io',
          kind: 'Group',
          name: `system:serviceaccounts:${options.operandNamespace}`,
        },
      ],
    },
  ]
}

function routerRules({ openshift }: ManifestOptions) {
  return [
    { apiGroups: [''], resources: ['namespaces', 'services'], verbs: look },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: look },
    { apiGroups: ['route.openshift.io'], resources: ['routes'], verbs: look },
    { apiGroups: ['route.openshift.io'], resources: ['routes/status'], verbs: ['update'] },
    // Who asks for metrics has to show who they are.
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ...(openshift ? [useOfTheHostsNetwork] : []),
  ]
}

const useOfTheHostsNetwork = {
  apiGroups: ['security.openshift.io'],
  resources: ['securitycontextconstraints'],
  resourceNames: ['hostnetwork'],
  verbs: ['use'],
}
