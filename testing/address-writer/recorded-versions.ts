import { type Client, Ingress, type Persisted } from '@portcullis/kube'
import type { Ingress as IngressObject } from 'kubernetes-types/networking/v1'
import { onTestFinished } from 'vitest'

const addressOf = ({ status }: Persisted<IngressObject>) => status?.loadBalancer?.ingress?.[0]?.ip ?? ''

/**
 * Every version of every Ingress: by name, the address that it had. The server ends a watch whose reader is slow, as one
 * on a busy machine is; it goes on from the last version seen, so that none is missed.
 */
export async function recordVersions(client: Client, namespace: string): Promise<Map<string, string[]>> {
  let { resourceVersion } = await client.list(Ingress, { namespace })
  const stop = new AbortController()
  const versions = new Map<string, string[]>()
  const readOnce = async () => {
    const options = { namespace, resourceVersion, timeoutSeconds: 300, signal: stop.signal }
    for await (const events of await client.watchOnce(Ingress, options)) {
      for (const event of events) {
        if (event.type === 'ERROR') throw new Error(`Versions were missed: ${JSON.stringify(event.object)}`)
        ;({ resourceVersion } = event.object.metadata)
        if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue
        const { name } = event.object.metadata
        versions.set(name, [...(versions.get(name) ?? []), addressOf(event.object)])
      }
    }
  }
  const recording = (async () => {
    while (!stop.signal.aborted) await readOnce()
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) versions.set(String(error), [])
  })
  onTestFinished(async () => {
    stop.abort(new Error('the test is over'))
    await recording
  })
  return versions
}

export async function createIngresses(
  client: Client,
  {
    namespace,
    className,
    count,
  }: { readonly namespace: string; readonly className: string; readonly count: number },
): Promise<void> {
  const backend = { service: { name: 'web', port: { number: 80 } } }
  await Promise.all(
    Array.from({ length: count }, (_, number) =>
      client.create(Ingress, {
        metadata: { namespace, name: `app-${number}` },
        spec: { ingressClassName: className, defaultBackend: backend },
      }),
    ),
  )
}
