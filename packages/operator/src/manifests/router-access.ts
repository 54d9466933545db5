import { routerAccount } from '../ingress/names.ts'
import { labelsOf, type Manifest, type ManifestOptions } from './options.ts'

const look = ['get', 'list', 'watch']

/**
 * Who the routers are, and what they may do. All of them share one account, and no other account of their namespace has its
 * rights; as it is made here, the operator needs no right to make accounts or to hand out rights.
 */
export function routerAccess(options: ManifestOptions): Manifest[] {
  const metadata = { name: `${options.name}-router`, labels: labelsOf(options) }
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  return [
    routerServiceAccount(options),
    { apiVersion, kind: 'ClusterRole', metadata, rules: routerRules(options) },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', namespace: options.operandNamespace, name: routerAccount }],
    },
  ]
}

export function routerServiceAccount(options: Pick<ManifestOptions, 'name' | 'operandNamespace'>) {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: routerAccount, namespace: options.operandNamespace, labels: labelsOf(options) },
    // Who needs its token asks for it.
    automountServiceAccountToken: false,
  } as const satisfies Manifest
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
    ...(openshift ? [useOfConstraints] : []),
  ]
}

/** Those that routers name; `restricted` is no longer granted to all users since 4.11. */
const useOfConstraints = {
  apiGroups: ['security.openshift.io'],
  resources: ['securitycontextconstraints'],
  resourceNames: ['hostnetwork', 'restricted'],
  verbs: ['use'],
}
