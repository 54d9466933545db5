import { expect, test } from 'vitest'
import { maxUntrustedBytes } from '../text/sanitize-untrusted.ts'
import {
  ApiError,
  ConnectionError,
  isAlreadyExists,
  isConflict,
  isGone,
  isNotFound,
  MalformedResponseError,
  ResponseTooLargeError,
  WriteRefusedError,
} from './errors.ts'

test('A response of a megabyte, such as a webhook may give, is cut to what an error has room for', () => {
  const long = ' '.repeat(1_000_000)
  const causes = Array.from({ length: 1000 }, () => ({ field: 'spec', message: long }))
  const error = new ApiError('create it', 422, { reason: long, message: long, details: { causes } })
  expect(error.message.length).toBeLessThan(5000)
  expect(error.causes.join('').length).toBeLessThan(250_000)
})

test('The message of the server stays on one line', () => {
  expect(new ApiError('get it', 500, { reason: 'Odd', message: 'one \n  two\tthree' }).message).toBe(
    'Cannot get it: 500 Odd: one two three',
  )
})

test('An API error keeps what was tried, the HTTP status, the reason and Retry-After', () => {
  const error = new ApiError('get it', 429, { reason: 'TooManyRequests', message: 'slowly' }, 1500)
  const { attempt, code, reason, retryAfterMs, name } = error
  expect({ attempt, code, reason, retryAfterMs, name }).toEqual({
    attempt: 'get it',
    code: 429,
    reason: 'TooManyRequests',
    retryAfterMs: 1500,
    name: 'ApiError',
  })
  expect(error.message).toBe('Cannot get it: 429 TooManyRequests: slowly')
})

test('A response without reason and details is an error of reason Unknown, without causes', () => {
  const { reason, causes, namesObject, retryAfterMs } = new ApiError('get it', 500, {})
  expect({ reason, causes, namesObject, retryAfterMs }).toEqual({
    reason: 'Unknown',
    causes: [],
    namesObject: false,
    retryAfterMs: undefined,
  })
})

test('An error about a named object differs from one about the path', () => {
  expect(new ApiError('get it', 404, { details: { name: 'web' } }).namesObject).toBe(true)
  expect(new ApiError('get it', 404, { details: { retryAfterSeconds: 1 } }).namesObject).toBe(false)
})

test('A cause names the invalid field, where there is one', () => {
  const causes = [{ field: 'spec.replicas', message: 'is negative' }, { message: 'is odd' }]
  expect(new ApiError('create it', 422, { details: { causes } }).causes).toEqual([
    'spec.replicas: is negative',
    'is odd',
  ])
})

test('An error keeps the first hundred causes, each cut to a fixed length', () => {
  const causes = Array.from({ length: 101 }, (_, index) => ({ message: `${index} ${'x'.repeat(5000)}` }))
  const kept = new ApiError('create it', 422, { details: { causes } }).causes
  expect(kept).toHaveLength(100)
  expect(kept[99]).toMatch(/^99 x+…$/)
  expect(new Set(kept.map((cause) => Buffer.byteLength(cause)))).toEqual(new Set([maxUntrustedBytes]))
})

test.each([
  { name: 'ConnectionError', failure: ConnectionError },
  { name: 'MalformedResponseError', failure: MalformedResponseError },
])('$name says what was tried, what went wrong, and by what cause', ({ name, failure }) => {
  const error = new failure('get it', 'it broke', 'the cause')
  expect(error).toMatchObject({ name, message: 'Cannot get it: it broke', cause: 'the cause' })
})

test('A response that is too large, and a write that is held back, are errors of their own names', () => {
  const errors = [new ResponseTooLargeError('get it', 'it is long'), new WriteRefusedError('Not now')]
  expect(errors.map(String)).toEqual([
    'ResponseTooLargeError: Cannot get it: it is long',
    'WriteRefusedError: Not now',
  ])
})

test('A connection error says what was tried', () => {
  expect(new ConnectionError('get it', 'it broke').attempt).toBe('get it')
})

test.each([
  { code: 404, reason: 'NotFound', is: ['not found'] },
  { code: 409, reason: 'Conflict', is: ['conflict'] },
  { code: 409, reason: 'AlreadyExists', is: ['conflict', 'already exists'] },
  { code: 410, reason: 'Expired', is: ['gone'] },
  { code: 500, reason: 'InternalError', is: [] },
])('A response $code $reason counts as: $is', ({ code, reason, is }) => {
  expect(takenFor(new ApiError('get it', code, { reason }))).toEqual(is)
  expect(takenFor({ code, reason })).toEqual([])
})

function takenFor(error: unknown): string[] {
  const questions = {
    'not found': isNotFound,
    conflict: isConflict,
    'already exists': isAlreadyExists,
    gone: isGone,
  }
  return Object.entries(questions).flatMap(([name, holds]) => (holds(error) ? [name] : []))
}
