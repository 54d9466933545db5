// The limit: a loop around an undici pool that sends a PATCH to each Ingress, knows their names beforehand, reads the
// answers as any client does, and does nothing else. Like ours it has one connection when the clock starts; it opens the
// others as it goes.
import { Pool } from 'undici'
import { inParallel, nameOf, namespace } from '../ingresses.ts'
import { taskFromArguments } from '../measured-process.ts'
import { measurePhases } from './phases.ts'

const task = taskFromArguments()
const { server, ca, token, count, concurrency } = task
const pool = new Pool(server, { connections: concurrency, connect: { ca } })
const headers = {
  authorization: `Bearer ${token}`,
  accept: 'application/json',
  'content-type': 'application/merge-patch+json',
}

async function patch(at: number, ip: string): Promise<void> {
  const path = `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses/${nameOf(at)}/status`
  const body = JSON.stringify({ status: { loadBalancer: { ingress: [{ ip }] } } })
  const response = await pool.request({ method: 'PATCH', path, headers, body })
  const object = await response.body.json()
  if (response.statusCode !== 200) throw new Error(JSON.stringify(object))
}

const greeting = await pool.request({ method: 'GET', path: '/version', headers })
await greeting.body.dump()
await measurePhases(async (ip, wrote) => {
  await inParallel(count, concurrency, async (at) => {
    await patch(at, ip)
    wrote()
  })
}, task)
await pool.close()
