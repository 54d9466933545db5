import { ConfigMap, enqueueFrom, isConflict, isNotFound, keyOfObject, Namespace } from '@portcullis/kube'
import type { ControllerContext } from '../controller-context.ts'
import { isNamespaceTerminating } from '../terminating-namespace.ts'

export interface RootCertificateOptions extends ControllerContext {
  /** What signed the API server's certificate; PEM. */
  readonly ca: string
}

const name = 'kube-root-ca.crt'
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

/** Puts the cluster's root certificate into every namespace, where pods look for it. */
export function registerRootCertificates({ manager, caches, ca }: RootCertificateOptions): void {
  const { namespaces } = caches
  const published = manager.watch(ConfigMap, { selection: { fieldSelector: `metadata.name=${name}` } })

  manager.reconcile({
    name: 'root-certificates',
    kind: Namespace,
    sources: [
      enqueueFrom(namespaces, keyOfObject),
      enqueueFrom(published, ({ metadata }) => metadata.namespace),
    ],
    async reconcile(key, { client }) {
      const namespace = namespaces.get(key)
      if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return
      const before = published.get(`${key}/${name}`)
      if (before?.data?.['ca.crt'] === ca) return
      const annotations = { 'kubernetes.io/description': description }
      const metadata = { namespace: key, name, annotations }
      try {
        if (before === undefined) await client.create(ConfigMap, { metadata, data: { 'ca.crt': ca } })
        else await client.patch(ConfigMap, metadata, { type: 'merge', body: { data: { 'ca.crt': ca } } })
      } catch (error) {
        // A conflict, or one that exists, will show in the store.
        if (!isConflict(error) && !isNotFound(error) && !isNamespaceTerminating(error)) throw error
      }
    },
  })
}
