import { setTimeout as pause } from 'node:timers/promises'
import { type Client, ConfigMap, isNotFound } from '@portcullis/kube'

export const objects = 3000
export const namespace = 'churn'

interface Churn {
  readonly changes: number
  stop(): Promise<void>
}

/** Changes, deletes and creates objects all the time, straight at the API server. */
export function startChurn(client: Client): Churn {
  const stopping = new AbortController()
  let changes = 0
  const change = async (turn: number) => {
    const ref = { namespace, name: `map-${(turn * 7919) % objects}` }
    if (turn % 10 === 3) await client.delete(ConfigMap, ref)
    else if (turn % 10 === 4) await client.create(ConfigMap, { metadata: { namespace, name: `new-${turn}` } })
    else await client.patch(ConfigMap, ref, { type: 'merge', body: { data: { turn: String(turn) } } })
    changes += 1
  }
  const worker = async (offset: number) => {
    for (let turn = offset; !stopping.signal.aborted; turn += 4) {
      await change(turn).catch((error: unknown) => {
        // Deleted a while ago; or the API server is down, as it is in some stories.
        return isNotFound(error) ? undefined : pause(50)
      })
    }
  }
  const workers = [worker(0), worker(1), worker(2), worker(3)]
  return {
    get changes() {
      return changes
    },
    stop: async () => {
      stopping.abort()
      await Promise.all(workers)
    },
  }
}
