import { expect, it } from 'vitest'
import { microTime } from './micro-time.ts'

it('a MicroTime has six digits, the last three as given', () => {
  const date = new Date('2026-01-01T00:00:00.120Z')
  expect(microTime(date)).toBe('2026-01-01T00:00:00.120000Z')
  expect(microTime(date, 7)).toBe('2026-01-01T00:00:00.120007Z')
})
