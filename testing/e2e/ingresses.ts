import { Ingress, IngressClass, Namespace, type Persisted } from '@portcullis/kube'
import type { Ingress as IngressObject } from 'kubernetes-types/networking/v1'
import type { Cluster } from './cluster.ts'
import type { Router } from './router.ts'

/** The namespace of a story's Ingresses. */
export async function aNamespace({ client }: Cluster): Promise<string> {
  const { metadata } = await client.create(Namespace, { metadata: { generateName: 'apps-' } })
  return metadata.name
}

export const anIngress = (namespace: string, name: string, ingressClassName: string): IngressObject => ({
  metadata: { namespace, name },
  spec: { ingressClassName, defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
})

/** A class of the user's own that leads to a controller. */
export async function aClassOf({ client }: Cluster, router: Router, name: string): Promise<string> {
  const parameters = {
    apiGroup: 'operator.openshift.io',
    kind: 'IngressController',
    scope: 'Namespace',
    ...router.ref,
  }
  await client.create(IngressClass, {
    metadata: { name },
    spec: { controller: 'portcullis.dev/ingress', parameters },
  })
  return name
}

export const classOf = ({ name }: Router) => `portcullis-${name}`

export const addressOf = ({ status }: Persisted<IngressObject>) =>
  (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname).join(',')

/** Runs a story while every address that a watch shows of an Ingress is noted, in order; blank for none. */
export async function whileRecording(
  { client }: Cluster,
  namespace: string,
  run: (seen: ReadonlyMap<string, string[]>) => Promise<void>,
): Promise<void> {
  const { resourceVersion } = await client.list(Ingress, { namespace })
  const stop = new AbortController()
  const options = { namespace, resourceVersion, timeoutSeconds: 300, signal: stop.signal }
  const stream = await client.watchOnce(Ingress, options)
  const seen = new Map<string, string[]>()
  const recording = (async () => {
    for await (const events of stream) {
      for (const event of events) {
        if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue
        const { name } = event.object.metadata
        const before = seen.get(name) ?? []
        const address = addressOf(event.object)
        if (before.at(-1) !== address) seen.set(name, [...before, address])
      }
    }
  })().catch(() => {})
  try {
    await run(seen)
  } finally {
    stop.abort(new Error('the story is over'))
    await recording
  }
}
