// The limit: pages and lines parsed as they come, and thrown away.
import { Pool } from 'undici'
import { measure, taskFromArguments } from '../measured-process.ts'

const { server, ca, token, fromVersion = '', events: expected = 0, count } = taskFromArguments()
const pool = new Pool(server, { connect: { ca }, bodyTimeout: 0 })
const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
const path = '/apis/networking.k8s.io/v1/ingresses'

async function list(): Promise<number> {
  let listed = 0
  let next: string | undefined = ''
  do {
    const query: string = `limit=500${next ? `&continue=${encodeURIComponent(next)}` : ''}`
    const { body } = await pool.request({ method: 'GET', path: `${path}?${query}`, headers })
    const page = (await body.json()) as { items: unknown[]; metadata: { continue?: string } }
    listed += page.items.length
    next = page.metadata.continue
  } while (next)
  return listed
}

async function watch(): Promise<void> {
  const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${fromVersion}`
  const { body, statusCode } = await pool.request({ method: 'GET', path: `${path}?${query}`, headers })
  if (statusCode !== 200) throw new Error(await body.text())
  let seen = 0
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      const event = JSON.parse(bytes.toString('utf8', start, end)) as { type: string }
      if (event.type === 'ERROR') throw new Error(JSON.stringify(event))
      if (event.type !== 'BOOKMARK') seen += 1
      start = end + 1
    }
    rest = bytes.subarray(start)
    if (seen >= expected) return
  }
  throw new Error(`The watch ended after ${seen} of ${expected} events`)
}

await measure(async () => {
  const listed = await list()
  if (listed !== count) throw new Error(`${listed} objects were listed instead of ${count}`)
  await watch()
})
await pool.destroy()
