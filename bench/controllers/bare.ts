// The limit: a loop around an undici pool that creates the same objects, whose bodies it is given, and nothing else.
import { readFile } from 'node:fs/promises'
import { Pool } from 'undici'
import { inParallel } from '../ingresses.ts'
import { measure, taskFromArguments } from '../measured-process.ts'
import type { BareObject } from './bare-object.ts'

const { server, ca, token, count, concurrency, file = '' } = taskFromArguments()
const objects = JSON.parse(await readFile(file, 'utf8')) as BareObject[]
const pool = new Pool(server, { connections: concurrency, connect: { ca } })
const headers = {
  authorization: `Bearer ${token}`,
  accept: 'application/json',
  'content-type': 'application/json',
}

await measure(() =>
  inParallel(count, concurrency, async (at) => {
    const { path = '', body = '' } = objects[at] ?? {}
    const response = await pool.request({ method: 'POST', path, headers, body })
    const answer = await response.body.text()
    if (response.statusCode !== 201) throw new Error(`${path}: ${answer}`)
  }),
)
await pool.close()
