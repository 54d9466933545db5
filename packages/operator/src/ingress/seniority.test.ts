import { expect, test } from 'vitest'
import { bySeniority } from './seniority.ts'

const made = (uid: string, creationTimestamp?: string) => ({
  metadata: { name: uid, uid, resourceVersion: '1', ...(creationTimestamp && { creationTimestamp }) },
})

test('The controller that was created first comes first, whatever its uid', () => {
  const elder = made('z', '2026-01-01T00:00:00Z')
  const younger = made('a', '2026-01-01T00:00:01Z')
  expect([younger, elder].toSorted(bySeniority)).toEqual([elder, younger])
  expect([elder, younger].toSorted(bySeniority)).toEqual([elder, younger])
})

test('Of controllers created in the same second, the one with the lower uid comes first', () => {
  const [low, high] = [made('a', '2026-01-01T00:00:00Z'), made('b', '2026-01-01T00:00:00Z')]
  expect(bySeniority(low, high)).toBe(-1)
  expect(bySeniority(high, low)).toBe(1)
})

test('A controller without a time of creation counts as the oldest there can be', () => {
  expect(bySeniority(made('b'), made('a', '1970-01-01T00:00:00Z'))).toBe(1)
  expect(bySeniority(made('a'), made('b', '1970-01-01T00:00:00Z'))).toBe(-1)
})
