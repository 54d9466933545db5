import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { messagesOfParent, sendToParent } from '../child-messages.ts'
import { type HttpReply, sendRequest } from './http-request.ts'
import type { LoadProgress, LoadSettings, LoadTarget, RequestResult } from './load-messages.ts'

const reportEveryMs = 100
const longestLine = 300
/** Above this a request is not sent before an answer has come, so that nothing grows without bound. */
const mostInFlight = 500

/** The program of the load generator: settings come in, progress goes out, until the input ends. */
async function main(): Promise<void> {
  const messages = messagesOfParent<LoadSettings>()
  const { value: settings } = await messages.next()
  if (settings === undefined) return
  const stop = new AbortController()
  const finished = generate(settings, stop.signal)
  await Promise.race([messages.next(), finished])
  stop.abort()
  await finished
}

async function generate(settings: LoadSettings, signal: AbortSignal): Promise<void> {
  const { targets, ratePerSecond, timeoutMs, connection, connections, maxRequests, maxMs } = settings
  const agentOf = new Map(
    targets.map((target) => [
      target,
      connection === 'new' ? () => false as const : agentsFor(target, connections),
    ]),
  )
  const sent = new Map(targets.map(({ name }) => [name, 0]))
  const inFlight = new Set<Promise<void>>()
  const start = now()
  let results: RequestResult[] = []
  let lateMs = 0

  const report = (end?: { readonly endedAt: number }) => {
    const progress = { startedAt: start, sent: Object.fromEntries(sent), results, lateMs, ...end }
    sendToParent(progress satisfies LoadProgress)
    results = []
  }
  const send = (target: LoadTarget) => {
    const sentAt = now()
    sent.set(target.name, (sent.get(target.name) ?? 0) + 1)
    const asking = sendRequest({ ...target, timeoutMs }, agentOf.get(target)?.()).then((reply) => {
      results.push(resultOf(target, sentAt, now() - sentAt, reply))
      inFlight.delete(asking)
    })
    inFlight.add(asking)
  }

  const reporting = setInterval(report, reportEveryMs)
  for (let turn = 0; turn < maxRequests && !signal.aborted; turn++) {
    const due = start + (turn * 1000) / ratePerSecond
    if (due - start > maxMs) break
    if (due > now()) await pause(due - now(), signal)
    if (signal.aborted) break
    lateMs = Math.max(lateMs, now() - due)
    while (inFlight.size > mostInFlight) await Promise.race(inFlight)
    targets.forEach(send)
  }
  const endedAt = now()
  await Promise.all(inFlight)
  clearInterval(reporting)
  report({ endedAt })
}

/** Agents in turn, each with its connection: one alone would use the same connection for all. */
function agentsFor(target: LoadTarget, connections: number): () => HttpAgent {
  const agents = Array.from({ length: connections }, () =>
    target.url.startsWith('https:')
      ? new HttpsAgent({ keepAlive: true })
      : new HttpAgent({ keepAlive: true }),
  )
  let turn = 0
  return () => agents[turn++ % agents.length] as HttpAgent
}

function resultOf({ name }: LoadTarget, sentAt: number, tookMs: number, reply: HttpReply): RequestResult {
  const common = { target: name, sentAt: Math.round(sentAt), tookMs: Math.round(tookMs * 10) / 10 }
  if (reply.error !== undefined) return { ...common, error: reply.error }
  const line = reply.body.slice(0, longestLine).split('\n', 1)[0] ?? ''
  const closing = reply.headers['connection'] === 'close'
  return { ...common, status: reply.status, line, ...(closing && { closing }) }
}

function now(): number {
  return performance.timeOrigin + performance.now()
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms)
    function end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    signal.addEventListener('abort', end)
  })
}

await main()
// Connections that are kept alive would keep the process.
process.exit()
