import type { PolicyRule } from 'kubernetes-types/rbac/v1'
import { labelsOf, leaseName, type Manifest, type ManifestOptions } from './options.ts'

type AccessOptions = Pick<ManifestOptions, 'name' | 'operatorNamespace' | 'operandNamespace' | 'openshift'>

type Verbs = readonly ('get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete')[]

const look: Verbs = ['list', 'watch']
/** Objects that the operator makes, mends and removes; patched, never replaced. */
const keep: Verbs = ['create', 'patch', 'delete']
/** Whether they are gone is asked by name, before a controller is let go. */
const find: Verbs = ['get']

/** Everywhere: what is looked at, and what belongs to no namespace or to everybody's. */
const clusterRules: readonly PolicyRule[] = [
  rule('', ['namespaces', 'nodes', 'pods', 'services'], look),
  rule('config.openshift.io', ['infrastructures'], look),
  rule('networking.k8s.io', ['ingresses'], look),
  rule('networking.k8s.io', ['ingresses/status'], ['patch']),
  rule('networking.k8s.io', ['ingressclasses'], [...find, ...look, ...keep]),
  rule('events.k8s.io', ['events'], ['create', 'patch']),
]

/** An OpenShift cluster knows its version: so messages name `oc`. */
const openshiftRules: readonly PolicyRule[] = [
  only('version', rule('config.openshift.io', ['clusterversions'], ['get'])),
]

/** Where IngressControllers and the lease are. */
const operatorNamespaceRules: readonly PolicyRule[] = [
  rule('operator.openshift.io', ['ingresscontrollers'], ['get', ...look, 'patch']),
  rule('operator.openshift.io', ['ingresscontrollers/status'], ['patch']),
  only(leaseName, rule('coordination.k8s.io', ['leases'], ['get', 'update'])),
  // Who creates cannot be held to a name.
  rule('coordination.k8s.io', ['leases'], ['create']),
]

/** Where routers are. */
const operandNamespaceRules: readonly PolicyRule[] = [
  rule('', ['services'], [...find, ...keep]),
  rule('', ['events'], look),
  rule('apps', ['deployments'], [...find, ...look, ...keep]),
  rule('policy', ['poddisruptionbudgets'], [...find, ...look, ...keep]),
]

/**
 * Who the operator is, and all that it may do: read no Secret, hand out no right. Deployments alone would let it run anything
 * on any node; the admission policies hold it to routers.
 */
export function operatorAccess(options: AccessOptions): Manifest[] {
  const { operatorNamespace, operandNamespace } = options
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata(options, operatorNamespace) }
  return [
    account,
    ...granted(options, undefined, [...clusterRules, ...(options.openshift ? openshiftRules : [])]),
    ...granted(options, operatorNamespace, operatorNamespaceRules),
    ...granted(options, operandNamespace, operandNamespaceRules),
  ]
}

/** A role with these rules, in a namespace or in the whole cluster, and the operator bound to it. */
function granted(
  options: AccessOptions,
  namespace: string | undefined,
  rules: readonly PolicyRule[],
): Manifest[] {
  const prefix = namespace === undefined ? 'Cluster' : ''
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  return [
    { apiVersion, kind: `${prefix}Role`, metadata: metadata(options, namespace), rules },
    {
      apiVersion,
      kind: `${prefix}RoleBinding`,
      metadata: metadata(options, namespace),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: `${prefix}Role`, name: options.name },
      subjects: [{ kind: 'ServiceAccount', namespace: options.operatorNamespace, name: options.name }],
    },
  ]
}

function metadata(options: AccessOptions, namespace: string | undefined): Manifest['metadata'] {
  return { name: options.name, ...(namespace !== undefined && { namespace }), labels: labelsOf(options) }
}

function rule(apiGroup: string, resources: readonly string[], verbs: Verbs): PolicyRule {
  return { apiGroups: [apiGroup], resources: [...resources], verbs: [...verbs] }
}

function only(resourceName: string, rule: PolicyRule): PolicyRule {
  return { ...rule, resourceNames: [resourceName] }
}
