import { expect, test } from 'vitest'
import { MalformedAnswerError } from '../client/errors.ts'
import { parsed } from './parsed.ts'

const attempt = () => 'list Nodes'

test('of an answer that is no JSON the first hundred characters are shown', () => {
  const start = `<html>${'a'.repeat(93)}z`
  let thrown: unknown
  try {
    parsed(`${start}more`, attempt, JSON.parse)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(MalformedAnswerError)
  expect((thrown as Error).message).toBe(`Cannot list Nodes: the answer is not JSON: ${start}`)
})

test('an answer that is JSON is what it says', () => {
  expect(parsed('{"kind":"NodeList"}', attempt, JSON.parse)).toEqual({ kind: 'NodeList' })
})
