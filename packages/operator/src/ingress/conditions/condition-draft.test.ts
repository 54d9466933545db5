import { expect, test } from 'vitest'
import { conditionDraft } from './condition-draft.ts'

test.each([
  [32_767, 32_767],
  [32_768, 32_768],
  [32_769, 32_768],
  [1_000_000, 32_768],
])('A condition cuts a message of %i bytes to %i, the limit of the API server', (length, bytes) => {
  const { message } = conditionDraft('Admitted', 'False', 'Invalid', 'x'.repeat(length))
  expect(Buffer.byteLength(message)).toBe(bytes)
})
