import { crds } from '../api/crds.ts'
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
    ...operatorAccess(options),
    ...routerAccess(options),
    ...operatorDeployment(options),
    networkPolicy(options),
    ...monitoring(options),
  ]
}

function ourKinds(): Manifest[] {
  return crds.map((crd) => ({ ...crd }))
}
