import { expect, test } from 'vitest'
import { SecretScanner } from './secret-scanner.ts'

test('A secret is found however it is written', () => {
  const scanner = new SecretScanner()
  const secret = scanner.make('token')
  scanner.make('another')
  for (const text of [
    `Bearer ${secret}`,
    Buffer.from(`a${secret}b`).toString('base64'),
    JSON.stringify({ a: { b: secret } }),
    `${secret.slice(0, 40)}…`,
  ])
    expect(scanner.foundIn(text), text).toEqual(['token'])
  expect(scanner.foundIn('nothing')).toEqual([])
})
