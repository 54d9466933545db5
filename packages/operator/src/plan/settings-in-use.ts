import { type Cached, Deployment } from '@portcullis/kube'
import type { Deployment as DeploymentObject } from 'kubernetes-types/apps/v1'
import type { IngressController as Controller } from '../api/ingress-controller.ts'
import { IngressController } from '../ingress/kinds.ts'
import { ownerOf } from '../ingress/names.ts'
import type { Settings } from '../ingress/settings.ts'
import type { ListedObjects } from './listed-objects.ts'

/** The settings of the operator that runs in a cluster, as far as its work gives them away. */
export function settingsInUse(settings: Settings, objects: ListedObjects): Settings {
  const { routerImage, routerCpuRequest, routerMemoryRequest, routerMemoryLimit, defaultDomain } = settings
  const router = routerInUse(objects, settings)
  const { requests = {}, limits = {} } = router?.resources ?? {}
  return {
    ...settings,
    routerImage: router?.image ?? routerImage,
    routerCpuRequest: requests['cpu'] ?? routerCpuRequest,
    routerMemoryRequest: requests['memory'] ?? routerMemoryRequest,
    routerMemoryLimit: limits['memory'] ?? routerMemoryLimit,
    defaultDomain: defaultDomain ?? domainInUse(objects),
  }
}

function routerInUse(objects: ListedObjects, { operandNamespace }: Settings) {
  const deployments = (objects[Deployment.kind] ?? []) as readonly Cached<DeploymentObject>[]
  const ours = deployments.filter(
    (each) => ownerOf(each) !== undefined && each.metadata.namespace === operandNamespace,
  )
  return ours
    .flatMap(({ spec }) => spec?.template.spec?.containers ?? [])
    .find(({ name }) => name === 'router')
}

/** A controller that names no domain has got the default one. */
function domainInUse(objects: ListedObjects): string | undefined {
  const controllers = (objects[IngressController.kind] ?? []) as readonly Cached<Controller>[]
  return controllers.find(({ spec, status }) => !spec?.domain && status?.domain)?.status?.domain
}
