import { ApiError, KindNotServedError } from '@portcullis/kube'
import { expect, test } from 'vitest'
import { findCommandLine } from './command-line.ts'

const answering = (answer: () => unknown) => ({ get: async () => answer() as never })
const failing = (error: unknown) =>
  answering(() => {
    throw error
  })
/** The error without its story. */
const apiError = (code: number) => Object.assign(Object.create(ApiError.prototype) as ApiError, { code })

test('a cluster that knows its OpenShift version has users with oc', async () => {
  expect(await findCommandLine(answering(() => ({})))).toBe('oc')
})

test('also one that does not let us look', async () => {
  expect(await findCommandLine(failing(apiError(403)))).toBe('oc')
})

test('elsewhere it is kubectl', async () => {
  expect(await findCommandLine(failing(Object.create(KindNotServedError.prototype)))).toBe('kubectl')
  expect(await findCommandLine(failing(apiError(404)))).toBe('kubectl')
})

test.each([401, 429, 500, 503])('an API server that says %i has not answered', async (code) => {
  const refusal = apiError(code)
  await expect(findCommandLine(failing(refusal))).rejects.toBe(refusal)
})

test('a cluster that cannot be reached is no answer', async () => {
  await expect(findCommandLine(failing(new Error('no route')))).rejects.toThrow('no route')
})
