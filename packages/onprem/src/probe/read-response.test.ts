import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { open } from './connection.ts'

/** What is seen of a server that says this to whoever asks, and ends the connection if it is told to. */
async function answerOf(text: string, ends = false) {
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => (ends ? socket.end(text) : socket.write(text)))
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const to = { address: '127.0.0.1', port, isTls: false, name: undefined, path: '/' }
  const opened = await open(to, { from: undefined, timeoutMs: 2000, now: () => 0 })
  if (!('connection' in opened)) return opened.outcome
  try {
    return await opened.connection.ask()
  } finally {
    opened.connection.close()
  }
}

test.each([
  ['says so', 'HTTP/1.1 503 No\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno', false],
  ['is of old', 'HTTP/1.0 503 No\r\nContent-Length: 2\r\n\r\nno', false],
  ['has no other end', 'HTTP/1.1 503 No\r\n\r\nno', true],
])('A response ends its connection if it %s', async (_, text, ends) => {
  expect(await answerOf(text, ends)).toEqual({ kind: 'answered', status: 503, endsConnection: true })
})

test.each([
  ['in general', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'],
  ['if it is of old and says so', 'HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nok'],
])('More can be asked after a response %s', async (_, text) => {
  expect(await answerOf(text)).toEqual({ kind: 'answered', status: 200 })
})
