import type { Random } from '../../kube/backoff.ts'

/** A version 4 UUID from the randomness that was passed in, so that a history can be played again to the letter. */
export function newUid(random: Random): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16))
  digits[12] = '4'
  digits[16] = '89ab'[Math.floor(random() * 4)] ?? '8'
  const text = digits.join('')
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join(
    '-',
  )
}
