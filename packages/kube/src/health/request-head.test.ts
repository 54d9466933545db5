import * as fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { parseRequestHead } from './request-head.ts'

it('A request head is parsed as far as it matters here', () => {
  expect(
    parseRequestHead('GET /metrics?x=1 HTTP/1.1\r\nHost: x\r\naUTHORIZATION:  Bearer abc \r\nAccept: */*'),
  ).toEqual({ method: 'GET', path: '/metrics', authorization: 'Bearer abc' })
  expect(parseRequestHead('HEAD / HTTP/1.0')).toEqual({ method: 'HEAD', path: '/' })
  expect(parseRequestHead('GET /a?b?c HTTP/1.1\r\nauthorization:Basic x')).toEqual({
    method: 'GET',
    path: '/a',
    authorization: 'Basic x',
  })
})

test.each([
  '',
  'GET',
  'GET /',
  'GET / HTTP/2',
  'get / HTTP/1.1',
  'GET x HTTP/1.1',
  'GET / HTTP/1.1 x',
  '1GET / HTTP/1.1',
  'GETs / HTTP/1.1',
  'GET / xHTTP/1.1',
  'GET / HTTP/1.10',
  '\u0016\u0003\u0001',
])('%j is not a request head', (text) => expect(parseRequestHead(text)).toBeUndefined())

it('No input makes the parser throw', () => {
  const pieces = fc.oneof(
    fc.constantFrom('GET ', '/', ' HTTP/1.1', '\r\n', 'authorization:', '?', '\0'),
    fc.string(),
  )
  fc.assert(fc.property(fc.array(pieces), (texts) => void parseRequestHead(texts.join(''))))
})
