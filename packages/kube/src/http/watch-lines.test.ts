import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { MalformedResponseError } from '../client/errors.ts'
import { watchEventsIn } from './watch-lines.ts'

async function* bytes(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

async function read(text: string): Promise<{ events: string[]; error: unknown }> {
  const events: string[] = []
  try {
    for await (const batch of watchEventsIn(bytes(text), { attempt: () => 'watch ConfigMap' })) {
      events.push(...batch.map(({ type }) => type))
    }
    return { events, error: undefined }
  } catch (error) {
    return { events, error }
  }
}

const good = '{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"5"}}}\n'

test('An ERROR event needs no resourceVersion', async () => {
  const text = `${good}{"type":"ERROR","object":{"code":410}}\n`
  expect(await read(text)).toEqual({ events: ['ADDED', 'ERROR'], error: undefined })
})

test.each([
  'null',
  '[]',
  '{"object":{}}',
  '{"type":"ADDED","object":null}',
  '{"type":"ADDED","object":{}}',
  '{"type":"BOOKMARK","object":{"metadata":{}}}',
  '{"type":"ADD',
])('Events before a malformed line are yielded, then it throws: %s', async (line) => {
  const { events, error } = await read(`${good}${line}\n${good}`)
  expect(events).toEqual(['ADDED'])
  expect(error).toBeInstanceOf(MalformedResponseError)
})

test('A stream that ends in the middle of a line is an error that says so', async () => {
  const { events, error } = await read(`${good}{"type":`)
  expect(events).toEqual(['ADDED'])
  expect(error).toMatchObject({
    message: 'Cannot watch ConfigMap: the stream ended in the middle of a line',
  })
})

test('A broken stream throws what asFailure makes of the error', async () => {
  async function* broken() {
    yield Buffer.from(good)
    throw new Error('read ECONNRESET')
  }
  const asFailure = (error: unknown) => new Error(`lost: ${(error as Error).message}`)
  const events = watchEventsIn(broken(), { attempt: () => 'watch ConfigMap', asFailure })
  expect((await events.next()).value).toMatchObject([{ type: 'ADDED' }])
  await expect(events.next()).rejects.toThrow('lost: read ECONNRESET')
  const senseless = watchEventsIn(bytes('[]\n'), { attempt: () => 'watch ConfigMap', asFailure })
  await expect(senseless.next()).rejects.toBeInstanceOf(MalformedResponseError)
})

test('Of many large events that come at once, no more is parsed than the consumer has handled', async () => {
  const bulk = 'x'.repeat(100_000)
  const line = `{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"5"},"data":"${bulk}"}}\n`
  const read: string[] = []
  const parseJson = (text: string) => {
    read.push(text)
    return JSON.parse(text) as unknown
  }
  const batches: number[] = []
  for await (const batch of watchEventsIn(bytes(line.repeat(5)), { attempt: () => 'watch', parseJson })) {
    batches.push(batch.length)
    expect(read).toHaveLength(batches.length)
  }
  expect(batches).toEqual([1, 1, 1, 1, 1])
})

test('A line without end is given up as malformed', async () => {
  async function* endless() {
    yield Buffer.from(good)
    for (;;) yield Buffer.alloc(1024 * 1024, 'x')
  }
  const events = watchEventsIn(endless(), { attempt: () => 'watch ConfigMap' })
  expect((await events.next()).value).toMatchObject([{ type: 'ADDED' }])
  const failure = events.next()
  await expect(failure).rejects.toBeInstanceOf(MalformedResponseError)
  await expect(failure).rejects.toThrow('Cannot watch ConfigMap: a line is longer than 32768 KiB')
})

test('A kept part of an event does not keep the rest of its line in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  async function* largeLines() {
    for (let at = 0; at < 40; at++) {
      const object = {
        // Longer than what V8 copies anyway.
        metadata: { name: `a-name-that-is-kept-${at}`, resourceVersion: '5' },
        data: 'x'.repeat(1_000_000),
      }
      yield Buffer.from(`${JSON.stringify({ type: 'ADDED', object })}\n`)
    }
  }
  collectGarbage()
  const before = process.memoryUsage()
  const names: string[] = []
  for await (const batch of watchEventsIn(largeLines(), { attempt: () => 'watch' })) {
    for (const event of batch) if (event.type !== 'ERROR') names.push(event.object.metadata.name)
  }
  collectGarbage()
  const after = process.memoryUsage()
  expect(names).toHaveLength(40)
  const grown = after.heapUsed + after.external - before.heapUsed - before.external
  expect(grown).toBeLessThan(10_000_000)
})

const longLine = (type: string) =>
  `{"type":"${type}","object":{"metadata":{"name":"a","resourceVersion":"5"},"spec":{"tls":[${'{},'.repeat(60_000)}{}]}}}\n`

async function itemsRead(
  type: string,
  isKeptWhole?: (object: { metadata: { name: string } }) => boolean,
): Promise<number[]> {
  const items: number[] = []
  const reading = { attempt: () => 'watch Ingress', isKeptWhole }
  for await (const batch of watchEventsIn(bytes(longLine(type)), reading)) {
    for (const { object } of batch) items.push((object as { spec: { tls: unknown[] } }).spec.tls.length)
  }
  return items
}

test('A very long list in an object is cut short where isKeptWhole is false', async () => {
  expect(await itemsRead('ADDED', () => false)).toEqual([50_000])
})

test('An object is read whole where isKeptWhole is true, or not given', async () => {
  expect(await itemsRead('ADDED', ({ metadata }) => metadata.name === 'a')).toEqual([60_001])
  expect(await itemsRead('ADDED')).toEqual([60_001])
})

test('The callback isKeptWhole is not called for a line that is not an event', async () => {
  const never = () => {
    throw new Error('asked')
  }
  const events = watchEventsIn(bytes(longLine('ADDED').replace('"resourceVersion"', '"version"')), {
    attempt: () => 'watch Ingress',
    isKeptWhole: never,
  })
  await expect(events.next()).rejects.toMatchObject({ cause: { message: 'not a watch event' } })
})
