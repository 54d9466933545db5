import {
  type Cached,
  type Change,
  EndpointSlice,
  Endpoints,
  enqueueFrom,
  isConflict,
  isNotFound,
  isSameJson,
  type Key,
  type KubeApi,
  keyOfObject,
  type RequeueAfter,
  refOf,
  requeueAfter,
  Service,
  timestamp,
  waitForCache,
} from '@portcullis/kube'
import type { Pod as CorePod, Service as CoreService } from 'kubernetes-types/core/v1'
import type { ControllerContext } from '../controller-context.ts'
import { isNamespaceTerminating } from '../terminating-namespace.ts'
import { type EndpointGroup, groupsOf, isSelecting, selects } from './service-endpoints.ts'
import { decideSlices, managedByLabel, serviceNameLabel, sliceManager } from './slices.ts'
import { subsetsOf } from './subsets.ts'

const triggerTime = 'endpoints.kubernetes.io/last-change-trigger-time'
const endpointsManager = { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' }

/** Publishes which pods are behind each Service with a selector: as EndpointSlices, and as Endpoints. */
export function registerEndpoints({ manager, caches, clock }: ControllerContext): void {
  const { services, pods, nodes, endpointSlices, endpoints } = caches

  manager.reconcile({
    name: 'endpoints',
    kind: Service,
    sources: [
      enqueueFrom(services, keyOfObject),
      enqueueFrom(pods, servicesOf, { predicate: podMatters }),
      enqueueFrom(endpointSlices, ({ metadata }) => {
        const name = metadata.labels?.[serviceNameLabel]
        return name === undefined ? undefined : `${metadata.namespace}/${name}`
      }),
      enqueueFrom(endpoints, keyOfObject),
    ],
    async reconcile(key, { client }): Promise<RequeueAfter | void> {
      try {
        await sync(client, key)
        return undefined
      } catch (error) {
        if (isConflict(error)) return requeueAfter(20)
        if (isNotFound(error) || isNamespaceTerminating(error)) return undefined
        throw error
      }
    },
  })

  function* servicesOf(pod: Cached<CorePod>): Iterable<Key> {
    for (const service of services.by('namespace', pod.metadata.namespace ?? '')) {
      if (isSelecting(service) && selects(service, pod)) yield keyOfObject(service)
    }
  }

  async function sync(client: KubeApi, key: Key): Promise<void> {
    const service = services.get(key)
    if (service === undefined) return forget(client, key)
    if (!isSelecting(service) || service.metadata.deletionTimestamp !== undefined) return
    const namespace = service.metadata.namespace ?? ''
    const groups = groupsOf(service, pods.by('namespace', namespace), (name) => nodes.get(name))
    await writeSlices(client, service, groups)
    await writeEndpoints(client, service, groups)
  }

  async function writeSlices(
    client: KubeApi,
    service: Cached<CoreService>,
    groups: readonly EndpointGroup[],
  ): Promise<void> {
    const existing = [...endpointSlices.by('service', keyOfObject(service))].filter(
      ({ metadata }) => metadata.labels?.[managedByLabel] === sliceManager,
    )
    const { create, update, remove } = decideSlices(service, groups, existing)
    const annotations = { [triggerTime]: timestamp(clock.now()) }
    for (const slice of create) {
      const annotated = { ...slice, metadata: { ...slice.metadata, annotations } }
      await waitForCache(endpointSlices, await client.create(EndpointSlice, annotated), clock)
    }
    for (const { slice, to } of update) {
      const { resourceVersion } = slice.metadata
      const body = {
        metadata: { resourceVersion, labels: to.metadata?.labels, annotations },
        endpoints: to.endpoints,
        ports: to.ports,
      }
      const written = await client.patch(EndpointSlice, slice.metadata, { type: 'merge', body })
      await waitForCache(endpointSlices, written, clock)
    }
    for (const { metadata } of remove) await client.delete(EndpointSlice, metadata)
  }

  async function writeEndpoints(
    client: KubeApi,
    service: Cached<CoreService>,
    groups: readonly EndpointGroup[],
  ): Promise<void> {
    const subsets = subsetsOf(groups)
    const { namespace = '', name } = service.metadata
    const labels = {
      ...service.metadata.labels,
      ...endpointsManager,
      ...(service.spec?.clusterIP === 'None' && { 'service.kubernetes.io/headless': '' }),
    }
    const before = endpoints.get(keyOfObject(service))
    const annotations = { [triggerTime]: timestamp(clock.now()) }
    const metadata = { namespace, name, labels, annotations }
    const wanted = { metadata, ...(subsets.length > 0 && { subsets }) }
    if (before === undefined) {
      await waitForCache(endpoints, await client.create(Endpoints, wanted), clock)
      return
    }
    if (isSameJson(before.subsets ?? [], subsets) && isSameJson(before.metadata.labels, labels)) return
    const body = {
      metadata: { resourceVersion: before.metadata.resourceVersion, labels, annotations },
      subsets: subsets.length > 0 ? subsets : null,
    }
    await waitForCache(
      endpoints,
      await client.patch(Endpoints, before.metadata, { type: 'merge', body }),
      clock,
    )
  }

  /** Slices go with their owner; Endpoints have none. */
  async function forget(client: KubeApi, key: Key): Promise<void> {
    const left = endpoints.get(key)
    const isOurs = left?.metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller'
    if (isOurs) await client.delete(Endpoints, refOf(key))
  }
}

function podMatters(change: Change<Cached<CorePod>>): boolean {
  if (change.type !== 'updated') return true
  const view = ({ metadata, spec, status }: Cached<CorePod>) => [
    metadata.labels,
    metadata.deletionTimestamp,
    spec?.nodeName,
    status?.podIP,
    status?.phase,
    status?.conditions?.find(({ type }) => type === 'Ready')?.status,
  ]
  return !isSameJson(view(change.object), view(change.previous))
}
