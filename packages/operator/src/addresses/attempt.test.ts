import { expect, it } from 'vitest'
import { attemptOf } from './attempt.ts'

const version = (resourceVersion: string) => ({
  metadata: { name: 'web', namespace: 'ns', uid: 'u', resourceVersion },
})
const write = (...hostnames: string[]) => ({
  do: 'write' as const,
  addresses: hostnames.map((hostname) => ({ hostname })),
})

it('An attempt is remembered in a few bytes, however much was to be written', () => {
  const many = Array.from({ length: 10_000 }, (_, at) => `lb-${at}.example.com`)
  expect(attemptOf(version('1'), write(...many)).length).toBeLessThan(64)
})

it('Another version of the Ingress, and another address, make another attempt', () => {
  const attempt = attemptOf(version('1'), write('a.example'))
  expect(attemptOf(version('1'), write('a.example'))).toBe(attempt)
  expect(attemptOf(version('2'), write('a.example'))).not.toBe(attempt)
  expect(attemptOf(version('1'), write('b.example'))).not.toBe(attempt)
  expect(attemptOf(version('1'), { do: 'clear' })).not.toBe(attempt)
})
