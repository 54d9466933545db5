import {
  type Cached,
  enqueueFrom,
  enqueueOnStart,
  type Key,
  keyOfObject,
  type Manager,
  refOf,
  Service,
  watchedKind,
} from '@portcullis/kube'
import type { Service as ServiceObject } from 'kubernetes-types/core/v1'
import { type AddressBook, publishedService } from './address-book.ts'
import { serviceAddresses } from './service-addresses.ts'

/** Notes the addresses of one Service in the address book, for as long as the operator leads. */
export function followService(
  { manager, book }: { manager: Pick<Manager, 'watchAll' | 'reconcile'>; book: AddressBook },
  key: Key,
  { clusterIps }: { readonly clusterIps: boolean },
): void {
  const { namespace, name } = refOf(key)
  const { services } = manager.watchAll({
    services: watchedKind(Service, {
      name: 'published Service',
      selection: { namespace, fieldSelector: `metadata.name=${name}` },
    }),
  })
  const setAddresses = (service: Cached<ServiceObject> | undefined) => {
    const addresses = service === undefined ? [] : serviceAddresses(service, { clusterIps })
    book.set(publishedService, { addresses })
  }
  manager.reconcile({
    name: 'published-service',
    kind: Service,
    workers: 1,
    sources: [
      enqueueFrom(services, keyOfObject),
      // That there is no such Service has to be known as well.
      enqueueOnStart(key),
    ],
    reconcile: async () => setAddresses(services.get(key)),
  })
}
