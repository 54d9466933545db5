// The limit: a loop around an undici pool that knows its paths and parses the answers, and nothing else.
import { Pool } from 'undici'
import { inParallel, nameOf, namespace, statusOf } from '../ingresses.ts'
import { measure, taskFromArguments } from '../measured-process.ts'

const { server, ca, token, count, concurrency, round } = taskFromArguments()
const pool = new Pool(server, { connections: concurrency, connect: { ca } })
const headers = {
  authorization: `Bearer ${token}`,
  accept: 'application/json',
  'content-type': 'application/merge-patch+json',
}

async function patch(at: number, body: object): Promise<void> {
  const path = `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses/${nameOf(at)}/status`
  const response = await pool.request({ method: 'PATCH', path, headers, body: JSON.stringify(body) })
  const object = await response.body.json()
  if (response.statusCode !== 200) throw new Error(JSON.stringify(object))
}

await inParallel(concurrency, concurrency, (at) => patch(at, statusOf(at, round + 100)))
await measure(() => inParallel(count, concurrency, (at) => patch(at, statusOf(at, round))))
await pool.close()
