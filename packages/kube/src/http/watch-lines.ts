import type { WatchEvent } from '../client/api.ts'
import { type Attempt, MalformedResponseError } from '../client/errors.ts'
import type { KubeObject, Persisted } from '../objects/objects.ts'
import { fieldsDepth, readElided } from './elide-items.ts'
import { LineSplitter, LineTooLongError } from './lines.ts'
import type { ParseJson } from './requester.ts'

/** How the body of a watch is read. */
interface Reading {
  readonly attempt: () => Attempt
  readonly parseJson?: ParseJson
  /** Given, very long lists are cut short in objects for which it is false. */
  readonly isKeptWhole?: ((object: Persisted) => boolean) | undefined
  /** What to throw for an error of the stream itself; that error, unless given. */
  readonly asFailure?: (error: unknown) => unknown
}

/** At most so much is read at a time, and a line's beginning: the consumer has handled it before the next is parsed. */
const partBytes = 64 * 1024

/**
 * The events in the body of a watch, as many at a time as came together, but never many large ones. Everything before a
 * line that makes no sense, or before the place where the stream was cut, is given out; then it throws.
 */
export async function* watchEventsIn<T extends KubeObject>(
  body: AsyncIterable<Buffer>,
  { attempt, parseJson = JSON.parse, isKeptWhole, asFailure = (error) => error }: Reading,
): AsyncGenerator<WatchEvent<T>[]> {
  const splitter = new LineSplitter()
  const readLine = isKeptWhole === undefined ? parseJson : elidingReader(parseJson, isKeptWhole)
  try {
    for await (const chunk of body) {
      for (const part of partsOf(chunk)) {
        const { events, problem } = parseEvents<T>(splitter.push(part), attempt, readLine)
        if (events.length > 0) yield events
        if (problem !== undefined) throw problem
      }
    }
  } catch (error) {
    if (error instanceof LineTooLongError) throw new MalformedResponseError(attempt(), error.message)
    throw error instanceof MalformedResponseError ? error : asFailure(error)
  }
  if (splitter.isMidLine) {
    throw new MalformedResponseError(attempt(), 'the stream ended in the middle of a line')
  }
}

function elidingReader(parseJson: ParseJson, isKeptWhole: (object: Persisted) => boolean): ParseJson {
  const reading = {
    parseJson,
    fieldsDepth: fieldsDepth.watchEvent,
    isKeptWhole: (value: unknown) => {
      const event = value as Line | null
      return isEvent<KubeObject>(event) && isKeptWhole(event.object)
    },
  }
  return (line) => readElided(line, reading)
}

function partsOf(chunk: Buffer): Buffer[] {
  if (chunk.length <= partBytes) return [chunk]
  const count = Math.ceil(chunk.length / partBytes)
  return Array.from({ length: count }, (_, at) => chunk.subarray(at * partBytes, (at + 1) * partBytes))
}

function parseEvents<T extends KubeObject>(
  lines: readonly string[],
  attempt: () => Attempt,
  readLine: ParseJson,
) {
  const events: WatchEvent<T>[] = []
  for (const line of lines) {
    try {
      const event = readLine(line) as Line | null
      if (!isEvent<T>(event)) throw new TypeError('not a watch event')
      events.push(event)
    } catch (cause) {
      const problem = new MalformedResponseError(
        attempt(),
        `a line makes no sense: ${line.slice(0, 100)}`,
        cause,
      )
      return { events, problem }
    }
  }
  return { events }
}

interface Line {
  readonly type?: unknown
  readonly object?: { readonly metadata?: { readonly resourceVersion?: unknown } } | null
}

/** Whether a line has what it must: an event without a version leaves no place to resume at. */
function isEvent<T extends KubeObject>(line: Line | WatchEvent<T> | null): line is WatchEvent<T> {
  if (typeof line?.type !== 'string' || typeof line.object !== 'object' || line.object === null) return false
  if (line.type === 'ERROR') return true
  return 'metadata' in line.object && typeof line.object.metadata?.resourceVersion === 'string'
}
