import { expect, test } from 'vitest'
import { MalformedAnswerError } from '../errors.ts'
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

test('an error in the stream needs no version', async () => {
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
])('what comes before a line that makes no sense is given out, then it throws: %s', async (line) => {
  const { events, error } = await read(`${good}${line}\n${good}`)
  expect(events).toEqual(['ADDED'])
  expect(error).toBeInstanceOf(MalformedAnswerError)
})

test('a stream that ends in the middle of a line says so', async () => {
  const { events, error } = await read(`${good}{"type":`)
  expect(events).toEqual(['ADDED'])
  expect(error).toMatchObject({
    message: 'Cannot watch ConfigMap: the stream ended in the middle of a line',
  })
})

test('what breaks the stream is told in the words of whoever reads it', async () => {
  async function* broken() {
    yield Buffer.from(good)
    throw new Error('read ECONNRESET')
  }
  const asFailure = (error: unknown) => new Error(`lost: ${(error as Error).message}`)
  const events = watchEventsIn(broken(), { attempt: () => 'watch ConfigMap', asFailure })
  expect((await events.next()).value).toMatchObject([{ type: 'ADDED' }])
  await expect(events.next()).rejects.toThrow('lost: read ECONNRESET')
  const senseless = watchEventsIn(bytes('[]\n'), { attempt: () => 'watch ConfigMap', asFailure })
  await expect(senseless.next()).rejects.toBeInstanceOf(MalformedAnswerError)
})
