import { ChildProgram } from '../child-program.ts'
import { Deferred } from '../faults/deferred.ts'
import type { Inside } from '../inside.ts'
import type { HttpReply, HttpRequest } from './http-request.ts'
import type { LoadProgress, LoadSettings, LoadTarget, RequestResult } from './load-messages.ts'
import { type LoadReport, reportOf } from './report.ts'

const graceMs = 5_000

export interface LoadOptions extends Pick<LoadSettings, 'ratePerSecond' | 'timeoutMs' | 'connection'> {
  /** From where requests are sent. */
  readonly inside: Inside
  readonly targets: readonly LoadTarget[]
  /** With keep-alive, the connections to each target that are used in turn; 4 unless given. */
  readonly connections?: number
  /** To each target; 100,000 unless given. */
  readonly maxRequests?: number
  /** A quarter of an hour unless given. */
  readonly maxMs?: number
  readonly signal?: AbortSignal | undefined
}

/** A load generator at work. */
export interface Load {
  /** What became of the requests so far, a tenth of a second behind. */
  snapshot(): LoadReport
  /** Waits for the answers to what has been sent, and ends. */
  stop(): Promise<LoadReport>
}

/** Sends requests at a steady rate, whatever becomes of them. Resolves when the first one has been answered or has failed. */
export async function startLoad(options: LoadOptions): Promise<Load> {
  const { inside, targets, ratePerSecond, timeoutMs, connection, signal } = options
  const { connections = 4, maxRequests = 100_000, maxMs = 900_000 } = options
  signal?.throwIfAborted()
  const results: RequestResult[] = []
  const first = new Deferred()
  let progress: LoadProgress = { startedAt: Date.now(), sent: {}, results: [], lateMs: 0 }
  const child = await ChildProgram.start<LoadSettings, LoadProgress>({
    inside,
    entry: new URL('generator.ts', import.meta.url),
    receive(message) {
      progress = message
      results.push(...message.results)
      if (results.length > 0) first.resolve()
    },
  })
  const end = () => child.stop(timeoutMs + graceMs)
  const abort = () => void end()
  signal?.addEventListener('abort', abort, { once: true })
  void child.ended.then(() => signal?.removeEventListener('abort', abort))

  const snapshot = (): LoadReport => {
    return reportOf({ targets, endedAt: Date.now(), ...progress, results })
  }
  const stop = async () => {
    const problem = await end()
    if (problem !== undefined) throw new Error(`The load generator ended by itself: ${problem}`)
    return snapshot()
  }

  child.send({ targets, ratePerSecond, timeoutMs, connection, connections, maxRequests, maxMs })
  await Promise.race([first.promise, child.ended])
  if (results.length === 0) await stop()
  return { snapshot, stop }
}

export interface RequestOptions extends Omit<HttpRequest, 'timeoutMs'> {
  readonly inside: Inside
  /** 5 seconds unless given. */
  readonly timeoutMs?: number
}

/** Sends one request on a connection of its own. What goes wrong with it is a reply, too. */
export async function request({
  inside,
  timeoutMs = 5_000,
  ...httpRequest
}: RequestOptions): Promise<HttpReply> {
  let reply: HttpReply | undefined
  const child = await ChildProgram.start<HttpRequest, HttpReply>({
    inside,
    entry: new URL('send-one-request.ts', import.meta.url),
    receive(message) {
      reply = message
    },
  })
  child.send({ ...httpRequest, timeoutMs })
  const problem = await child.stop(timeoutMs + graceMs)
  if (reply === undefined) throw new Error(`No request could be sent to ${httpRequest.url}: ${problem}`)
  return reply
}
