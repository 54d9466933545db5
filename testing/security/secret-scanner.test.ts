import { expect, test } from 'vitest'
import { Confidences } from './secret-scanner.ts'

test('A secret is found however it is written', () => {
  const confidences = new Confidences()
  const secret = confidences.make('token')
  confidences.make('another')
  for (const text of [
    `Bearer ${secret}`,
    Buffer.from(`a${secret}b`).toString('base64'),
    JSON.stringify({ a: { b: secret } }),
    `${secret.slice(0, 40)}…`,
  ])
    expect(confidences.foundIn(text), text).toEqual(['token'])
  expect(confidences.foundIn('nothing')).toEqual([])
})
