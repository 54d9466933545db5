import {
  type Cached,
  type Change,
  enqueueFrom,
  enqueueOnStart,
  type Key,
  type KeySource,
  type KubeObject,
  keyOf,
  keyOfObject,
} from '@portcullis/kube'
import type { Pod as PodObject, Service as ServiceObject } from 'kubernetes-types/core/v1'
import type { AddressBook } from '../addresses/address-book.ts'
import { controllerServing, defaultController } from '../addresses/ingress-class.ts'
import type { IngressController as IngressControllerObject } from '../api/ingress-controller.ts'
import { waitsForDomainAlone } from './domains.ts'
import { controllersWanting, ingressClassName, ownerOf, routerLabel } from './names.ts'
import { contentChanged, type OwnStatusUpdates } from './own-status-updates.ts'
import { hostPortsIn } from './placement/port-holders.ts'
import type { Settings } from './settings.ts'
import type { Caches } from './watched-kinds.ts'

/** Which IngressControllers each change of the cluster enqueues. */
export function triggers(
  caches: Caches,
  { operatorNamespace, operandNamespace }: Settings,
  ownStatusUpdates: OwnStatusUpdates,
): KeySource[] {
  const keyOfName = (name: string) => keyOf({ namespace: operatorNamespace, name })
  const all = () => [...caches.controllers.values()].map(keyOfObject)
  const onHostPorts = () => [...caches.controllers.values()].filter(takesHostPorts).map(keyOfObject)
  const ownersOf = (object: Cached<KubeObject>) =>
    object.metadata.namespace === operandNamespace
      ? [...new Set([ownerOf(object) ?? [], controllersWanting(object.metadata.name)].flat())].map(keyOfName)
      : []
  return [
    // A controller that is created, changed or deleted may free a domain, or take one.
    enqueueFrom(caches.controllers, (controller) => [keyOfObject(controller), ...all()], {
      predicate: domainChanged,
    }),
    enqueueFrom(caches.controllers, keyOfObject, {
      predicate: (change) => !ownStatusUpdates.isOwnStatusUpdate(change),
    }),
    enqueueFrom(caches.infrastructures, all),
    enqueueFrom(caches.nodes, all, { predicate: contentChanged }),
    enqueueFrom(caches.deployments, ownersOf),
    enqueueFrom(
      caches.services,
      (service) => [...ownersOf(service), ...(hasNodePorts(service) ? onHostPorts() : [])],
      { predicate: contentChanged },
    ),
    enqueueFrom(caches.budgets, ownersOf),
    enqueueFrom(caches.ingressClasses, ({ metadata }) => keyOfOurClass(metadata.name, keyOfName)),
    // A controller may have been deleted while no operator led; then only classes still refer to it.
    enqueueFrom(caches.ingressClasses, (ingressClass) => {
      const serves = controllerServing(ingressClass, operatorNamespace)
      return typeof serves === 'object' ? keyOfName(serves.to) : undefined
    }),
    enqueueOnStart(keyOfName(defaultController)),
    enqueueFrom(
      caches.pods,
      (pod) => [
        ...controllersOfRouter(pod, operandNamespace).map(keyOfName),
        ...(hostPortsIn(pod).length > 0 ? onHostPorts() : []),
      ],
      { predicate: contentChanged },
    ),
    enqueueFrom(caches.cloudEvents, ({ involvedObject }) =>
      controllersWanting(involvedObject.name ?? '').map(keyOfName),
    ),
  ]
}

/** Enqueues the controller of an Ingress whose address another client begins or ceases to overwrite. */
export function statusConflicts(book: AddressBook, { operatorNamespace }: Settings): KeySource {
  return {
    subscribe: (listener) =>
      book.subscribeToConflicts((name) => listener.enqueue(keyOf({ namespace: operatorNamespace, name }))),
  }
}

/** Of one controller, only the domain that it asks for or holds concerns the others, and whether it waits for that alone. */
function domainChanged(change: Change<Cached<IngressControllerObject>>): boolean {
  if (change.type !== 'updated') return true
  const { object, previous } = change
  return (
    object.metadata.uid !== previous.metadata.uid ||
    object.spec?.domain !== previous.spec?.domain ||
    object.status?.domain !== previous.status?.domain ||
    waitsForDomainAlone(object) !== waitsForDomainAlone(previous)
  )
}

function keyOfOurClass(className: string, keyOfName: (name: string) => Key): Key | undefined {
  const prefix = ingressClassName('')
  return className.startsWith(prefix) ? keyOfName(className.slice(prefix.length)) : undefined
}

function controllersOfRouter({ metadata }: Cached<PodObject>, operandNamespace: string): string[] {
  const name = metadata.namespace === operandNamespace ? metadata.labels?.[routerLabel] : undefined
  return name === undefined ? [] : [name]
}

/** By its spec, or by what its routers still run with; and as long as neither shows it, it may. */
function takesHostPorts({ spec, status }: Cached<IngressControllerObject>): boolean {
  const types = [spec, status].flatMap((part) => part?.endpointPublishingStrategy?.type ?? [])
  return types.length === 0 || types.includes('HostNetwork')
}

function hasNodePorts({ spec }: Cached<ServiceObject>): boolean {
  return spec?.ports?.some(({ nodePort }) => nodePort) ?? false
}
