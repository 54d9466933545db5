import type { Ingress as IngressObject } from 'kubernetes-types/networking/v1'
import { onTestFinished } from 'vitest'
import type { Client } from '../../src/kube/client.ts'
import { Ingress } from '../../src/kube/kinds.ts'
import type { Live } from '../../src/kube/objects.ts'

const addressOf = ({ status }: Live<IngressObject>) => status?.loadBalancer?.ingress?.[0]?.ip ?? ''

/** Every version of every Ingress: by name, the address that it had. */
export async function recordVersions(client: Client, namespace: string): Promise<Map<string, string[]>> {
  const { resourceVersion } = await client.list(Ingress, { namespace })
  const stop = new AbortController()
  const stream = await client.watchOnce(Ingress, {
    namespace,
    resourceVersion,
    timeoutSeconds: 900,
    signal: stop.signal,
  })
  const versions = new Map<string, string[]>()
  const recording = (async () => {
    for await (const events of stream) {
      for (const event of events) {
        if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue
        const { name } = event.object.metadata
        versions.set(name, [...(versions.get(name) ?? []), addressOf(event.object)])
      }
    }
  })().catch(() => {})
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
