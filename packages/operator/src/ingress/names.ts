/** How the objects of a controller are called and marked: as the API's users know them. */

/** On everything that belongs to a controller; the value is its name. By this label, not by name, an object is ours. */
export const ownerLabel = 'ingresscontroller.operator.openshift.io/owning-ingresscontroller'
/** On the routers themselves. */
export const routerLabel = 'ingresscontroller.operator.openshift.io/deployment-ingresscontroller'
export const templateHashLabel = 'ingresscontroller.operator.openshift.io/hash'
export const finalizer = 'ingresscontroller.operator.openshift.io/finalizer-ingresscontroller'
/** On an IngressController: its load balancer may be deleted when a change of the spec needs that. */
export const autoDeleteAnnotation = 'ingress.operator.openshift.io/auto-delete-load-balancer'
/** On the Service: what its load balancer was made as. Only a new Service changes that, whatever else is edited. */
export const provenanceAnnotation = 'portcullis.dev/load-balancer-made-as'
/** On the Deployment: source ranges that a user set on the Service, so that a new Service has them too. */
export const keptSourceRangesAnnotation = 'portcullis.dev/kept-source-ranges'
/** On the Deployment and the internal Service: what of the spec that was last admitted is not in the status. */
export const admittedSpecAnnotation = 'portcullis.dev/admitted-spec'

/** Under this name the API server keeps account of what we wrote. */
export const fieldManager = 'portcullis'

/** Whom all routers are, for the API server: the one ServiceAccount that has their rights. The manifests make it. */
export const routerAccount = 'router'

/** The Deployment, the Service of the load balancer and the PodDisruptionBudget of a controller. */
export const routerName = (controller: string) => `router-${controller}`
export const nodePortServiceName = (controller: string) => `router-nodeport-${controller}`
export const ingressClassName = (controller: string) => `portcullis-${controller}`
export const internalServiceName = (controller: string) => `router-internal-${controller}`

/** All Services that a controller may have. */
export const serviceNames = (controller: string) => [
  routerName(controller),
  internalServiceName(controller),
  nodePortServiceName(controller),
]

/** The longest of the names above must be the name of a Service: 63 characters at most, without dots. */
export const longestControllerName = 63 - internalServiceName('').length

interface Labelled {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> }
}

export function ownerOf({ metadata }: Labelled): string | undefined {
  return metadata?.labels?.[ownerLabel]
}

/** The controllers that want an object of this name, whichever owner it has. */
export function controllersWanting(name: string): string[] {
  return [internalServiceName(''), nodePortServiceName(''), routerName('')].flatMap((prefix) =>
    name.startsWith(prefix) ? [name.slice(prefix.length)] : [],
  )
}
