import {
  enqueueFrom,
  isAlreadyExists,
  isNotFound,
  keyOfObject,
  Namespace,
  ServiceAccount,
} from '@portcullis/kube'
import type { ControllerContext } from '../controller-context.ts'
import { isNamespaceTerminating } from '../terminating-namespace.ts'

/** Gives each namespace its service account `default`, again if it is deleted. */
export function registerServiceAccounts({ manager, caches }: ControllerContext): void {
  const { namespaces, serviceAccounts } = caches

  manager.reconcile({
    name: 'service-accounts',
    kind: Namespace,
    sources: [
      enqueueFrom(namespaces, keyOfObject),
      enqueueFrom(serviceAccounts, ({ metadata }) => metadata.namespace, {
        predicate: ({ type }) => type === 'deleted',
      }),
    ],
    async reconcile(key, { client }) {
      const namespace = namespaces.get(key)
      if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return
      if (namespace.status?.phase === 'Terminating' || serviceAccounts.get(`${key}/default`) !== undefined)
        return
      try {
        await client.create(ServiceAccount, { metadata: { namespace: key, name: 'default' } })
      } catch (error) {
        if (!isAlreadyExists(error) && !isNotFound(error) && !isNamespaceTerminating(error)) throw error
      }
    },
  })
}
