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

test('The command line is oc on a cluster with a ClusterVersion', async () => {
  expect(await findCommandLine(answering(() => ({})))).toBe('oc')
})

test('The command line is oc if reading the ClusterVersion is forbidden', async () => {
  expect(await findCommandLine(failing(apiError(403)))).toBe('oc')
})

test('The command line is kubectl on any other cluster', async () => {
  expect(await findCommandLine(failing(Object.create(KindNotServedError.prototype)))).toBe('kubectl')
  expect(await findCommandLine(failing(apiError(404)))).toBe('kubectl')
})

test.each([401, 429, 500, 503])(
  'Finding the command line fails if the API server responds with %i',
  async (code) => {
    const refusal = apiError(code)
    await expect(findCommandLine(failing(refusal))).rejects.toBe(refusal)
  },
)

test('Finding the command line fails if the cluster cannot be reached', async () => {
  await expect(findCommandLine(failing(new Error('no route')))).rejects.toThrow('no route')
})
