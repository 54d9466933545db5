import { crds } from '../api/crds.ts'
import { admissionPolicy } from './admission-policy.ts'
import { metricsAccess } from './metrics-access.ts'
import { monitoring } from './monitoring.ts'
import { namespaces } from './namespaces.ts'
import { networkPolicy } from './network-policy.ts'
import { operatorAccess } from './operator-access.ts'
import { operatorDeployment } from './operator-deployment.ts'
import type { Manifest, ManifestOptions } from './options.ts'
import { routerAccess } from './router-access.ts'

/** All that a cluster needs to run Portcullis, in an order in which it can be applied. */
export function manifests(options: ManifestOptions): Manifest[] {
  return [
    ...(options.openshift ? [] : ourKinds()),
    ...namespaces(options),
    // Before the rights that they bound.
    ...(options.admissionPolicy ? admissionPolicy(options) : []),
    ...operatorAccess(options),
    ...routerAccess(options),
    ...operatorDeployment(options),
    networkPolicy(options),
    ...metricsAccess(options),
    ...monitoring(options),
  ]
}

/**
 * Whether this must stay when the operator goes: with a kind its objects would go, with the namespaces controllers and
 * load balancers, and without their account and its rights routers would not start, or would not follow their routes.
 */
export function outlivesTheOperator(
  { kind, metadata: { namespace, name } }: Manifest,
  options: ManifestOptions,
): boolean {
  const staying = [...ourKinds(), ...namespaces(options), ...routerAccess(options)]
  return staying.some(
    ({ kind: stays, metadata }) =>
      stays === kind && metadata.name === name && metadata.namespace === namespace,
  )
}

function ourKinds(): Manifest[] {
  return crds.map((crd) => ({ ...crd }))
}
