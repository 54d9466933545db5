import { expect, test } from 'vitest'
import { ApiError } from './errors.ts'

test('an answer of a megabyte, such as a webhook may give, is cut to what an error has room for', () => {
  const long = ' '.repeat(1_000_000)
  const causes = Array.from({ length: 1000 }, () => ({ field: 'spec', message: long }))
  const error = new ApiError('create it', 422, { reason: long, message: long, details: { causes } })
  expect(error.message.length).toBeLessThan(5000)
  expect(error.causes.join('').length).toBeLessThan(250_000)
})

test('what the server says stays on its line', () => {
  expect(new ApiError('get it', 500, { reason: 'Odd', message: 'one \n  two\tthree' }).message).toBe(
    'Cannot get it: 500 Odd: one two three',
  )
})
