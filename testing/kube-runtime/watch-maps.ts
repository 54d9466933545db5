import { type Client, ConfigMap } from '@portcullis/kube'
import { onTestFinished } from 'vitest'

/** One watch of the ConfigMaps in a namespace, from now on. It ends with the test. */
export async function watchMaps(client: Client, namespace: string) {
  const { resourceVersion } = await client.list(ConfigMap, { namespace })
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(10_000)])
  const stream = await client.watchOnce(ConfigMap, { namespace, resourceVersion, timeoutSeconds: 60, signal })
  const batches = stream[Symbol.asyncIterator]()
  return {
    /** What happens next to the object of that name. */
    next: async (name: string): Promise<string> => {
      for (let batch = await batches.next(); batch.done !== true; batch = await batches.next()) {
        const event = batch.value.find(
          ({ type, object }) => type !== 'ERROR' && object.metadata.name === name,
        )
        if (event !== undefined) return event.type
      }
      return 'the watch ended'
    },
  }
}
