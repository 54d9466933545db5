import type { Body } from './body.ts'
import type { Exchange } from './exchange.ts'
import type { Fault } from './faults.ts'
import type { Headers } from './headers.ts'

/** What the server answered; its body is still coming in. */
export interface UpstreamResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

/** Passes the server's answer on to the client, with what the fault does to it on the way. */
export async function forwardResponse(
  exchange: Exchange,
  { status, headers, body }: UpstreamResponse,
  fault: Fault | undefined,
  lifted: Promise<void>,
): Promise<void> {
  if (fault?.type === 'reset' && fault.at === 'answer') {
    for await (const _ of body.rest()); // To the end, so that the server has surely done what it was asked.
    await exchange.resetAfterReading()
    return
  }
  if (fault?.type === 'stall' && fault.at === 'answer') exchange.holdUntil(lifted)
  await exchange.sendHead(status, headOf(headers, fault))
  const ending = await forwardBody(exchange, body, fault, lifted)
  if (ending === 'end') await exchange.end()
  else await exchange.resetAfterReading()
}

async function forwardBody(
  exchange: Exchange,
  body: Body,
  fault: Fault | undefined,
  lifted: Promise<void>,
): Promise<'end' | 'reset'> {
  switch (fault?.type) {
    case 'reset':
      if (typeof fault.at === 'object') await exchange.sendAll(body.upTo(fault.at))
      return 'reset'
    case 'truncate':
      await exchange.sendAll(body.upTo({ lines: fault.line - 1 }))
      await exchange.send(firstHalf(await body.line()))
      return fault.ending
    case 'replace':
      await exchange.sendAll(body.upTo({ lines: fault.line - 1 }))
      await body.line()
      await exchange.send(fault.by)
      break
    case 'stall':
      if (typeof fault.at === 'object') {
        await exchange.sendAll(body.upTo(fault.at))
        exchange.holdUntil(lifted)
      }
      break
    case 'delay':
    case 'respond':
    case undefined:
  }
  await exchange.sendAll(body.rest())
  return 'end'
}

/** A body that is made shorter or longer must not be announced with its old length. */
function headOf(headers: Headers, fault: Fault | undefined): Headers {
  if (fault?.type !== 'truncate' && fault?.type !== 'replace') return headers
  const { 'content-length': _, ...others } = headers
  return others
}

function firstHalf(line: Buffer): Buffer {
  return line.subarray(0, Math.floor(line.length / 2))
}
