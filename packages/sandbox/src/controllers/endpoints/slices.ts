import { type Cached, isSameJson, ownerReference } from '@portcullis/kube'
import type { Service } from 'kubernetes-types/core/v1'
import type { EndpointSlice } from 'kubernetes-types/discovery/v1'
import { type EndpointGroup, targetRef } from './service-endpoints.ts'

export const sliceManager = 'endpointslice-controller.k8s.io'
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by'
export const serviceNameLabel = 'kubernetes.io/service-name'

const mostEndpoints = 100

export interface SliceChanges {
  readonly create: readonly EndpointSlice[]
  readonly update: readonly { readonly slice: Cached<EndpointSlice>; readonly to: EndpointSlice }[]
  readonly remove: readonly Cached<EndpointSlice>[]
}

/** What turns the slices that a Service has into those that it should have. */
export function decideSlices(
  service: Cached<Service>,
  groups: readonly EndpointGroup[],
  existing: readonly Cached<EndpointSlice>[],
): SliceChanges {
  const wanted = slicesFor(service, groups)
  const free = [...existing].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  const create: EndpointSlice[] = []
  const update: { slice: Cached<EndpointSlice>; to: EndpointSlice }[] = []
  for (const to of wanted) {
    const slice = takeFitting(free, to)
    if (slice === undefined) create.push(to)
    else if (differs(slice, to)) update.push({ slice, to })
  }
  return { create, update, remove: free }
}

/** One with the same ports if there is one, or else any. */
function takeFitting(
  free: Cached<EndpointSlice>[],
  { ports }: EndpointSlice,
): Cached<EndpointSlice> | undefined {
  const samePorts = free.findIndex((slice) => isSameJson(slice.ports ?? [], ports ?? []))
  return free.splice(Math.max(0, samePorts), 1)[0]
}

function differs(slice: Cached<EndpointSlice>, to: EndpointSlice): boolean {
  return !(
    isSameJson(slice.endpoints ?? [], to.endpoints) &&
    isSameJson(slice.ports ?? [], to.ports ?? []) &&
    isSameJson(slice.metadata.labels ?? {}, to.metadata?.labels)
  )
}

function slicesFor(service: Cached<Service>, groups: readonly EndpointGroup[]): EndpointSlice[] {
  // Without any pod there is an empty one, which shows that the Service was reconciled.
  if (groups.length === 0) return [sliceOf(service, { ports: [], endpoints: [] })]
  return groups.flatMap(({ ports, endpoints }) =>
    Array.from({ length: Math.ceil(endpoints.length / mostEndpoints) }, (_, index) =>
      sliceOf(service, {
        ports,
        endpoints: endpoints.slice(index * mostEndpoints, (index + 1) * mostEndpoints),
      }),
    ),
  )
}

function sliceOf(service: Cached<Service>, { ports, endpoints }: EndpointGroup): EndpointSlice {
  const { namespace = '', name, uid, labels = {} } = service.metadata
  const owner = { apiVersion: 'v1', kind: 'Service', metadata: { namespace, name, uid } }
  return {
    metadata: {
      namespace,
      generateName: `${name}-`,
      labels: {
        ...labels,
        [managedByLabel]: sliceManager,
        [serviceNameLabel]: name,
        ...(service.spec?.clusterIP === 'None' && { 'service.kubernetes.io/headless': '' }),
      },
      ownerReferences: [ownerReference(owner, { controller: true, blockOwnerDeletion: true })],
    },
    addressType: service.spec?.ipFamilies?.[0] === 'IPv6' ? 'IPv6' : 'IPv4',
    endpoints: endpoints.map(({ ip, ready, serving, terminating, nodeName, zone, pod }) => ({
      addresses: [ip],
      conditions: { ready, serving, terminating },
      ...(nodeName !== undefined && { nodeName }),
      targetRef: targetRef(pod),
      ...(zone !== undefined && { zone }),
    })),
    ports: ports.map((port) => ({ ...port })),
  }
}
