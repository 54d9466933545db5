import { expect, test } from 'vitest'
import { MalformedResponseError } from '../client/errors.ts'
import { parseResponse } from './requester.ts'

const attempt = () => 'list Nodes'

test('of an answer that is no JSON the first hundred characters are shown', () => {
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

test('an answer that is JSON is what it says', () => {
  expect(parseResponse('{"kind":"NodeList"}', attempt, JSON.parse)).toEqual({ kind: 'NodeList' })
})
