import type { Schema } from '@portcullis/schema'
import type { Resource } from '../resource.ts'
import { configMap } from './config-map.ts'
import { deployment } from './deployment.ts'
import { endpointSlice } from './endpoint-slice.ts'
import { endpoints } from './endpoints.ts'
import { coreEvent, newEvent } from './event.ts'
import { ingress } from './ingress.ts'
import { ingressClass } from './ingress-class.ts'
import type { Kind } from './kind.ts'
import { lease } from './lease.ts'
import { namespace } from './namespace.ts'
import { networkPolicy } from './network-policy.ts'
import { node } from './node.ts'
import { pod } from './pod.ts'
import { podDisruptionBudget } from './pod-disruption-budget.ts'
import { clusterRole, clusterRoleBinding, role, roleBinding } from './rbac.ts'
import { replicaSet } from './replica-set.ts'
import { secret } from './secret.ts'
import { service } from './service.ts'
import { serviceAccount } from './service-account.ts'
import { validatingAdmissionPolicy } from './validating-admission-policy.ts'
import { validatingAdmissionPolicyBinding } from './validating-admission-policy-binding.ts'

const kinds: readonly Kind[] = [
  configMap,
  endpoints,
  coreEvent,
  namespace,
  node,
  pod,
  secret,
  serviceAccount,
  service,
  deployment,
  replicaSet,
  lease,
  endpointSlice,
  newEvent,
  ingressClass,
  ingress,
  networkPolicy,
  podDisruptionBudget,
  clusterRoleBinding,
  clusterRole,
  roleBinding,
  role,
  validatingAdmissionPolicy,
  validatingAdmissionPolicyBinding,
]

/** Every kind that the sandbox has without a CustomResourceDefinition. */
export function builtInResources(
  schemas: (group: string, version: string, kind: string) => Schema,
): readonly Resource[] {
  return kinds.map((kind) => ({ ...kind, schema: schemas(kind.group, kind.version, kind.kind) }))
}
