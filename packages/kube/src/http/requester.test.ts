import { expect, test } from 'vitest'
import { MalformedResponseError } from '../client/errors.ts'
import { parseResponse } from './requester.ts'

const attempt = () => 'list Nodes'

test('The error of a response that is not JSON shows its first hundred characters', () => {
  const start = `<html>${'a'.repeat(93)}z`
  let thrown: unknown
  try {
    parseResponse(`${start}more`, attempt, JSON.parse)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(MalformedResponseError)
  expect((thrown as Error).message).toBe(`Cannot list Nodes: the answer is not JSON: ${start}`)
})

test('A response that is JSON is parsed', () => {
  expect(parseResponse('{"kind":"NodeList"}', attempt, JSON.parse)).toEqual({ kind: 'NodeList' })
})
