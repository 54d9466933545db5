import type { Random } from '@portcullis/kube'

/** A version 4 UUID from the randomness that was passed in, so that a history can be played again to the letter. */
export function newUid(random: Random): string {
  const digits = Array.from({ length: 4 }, () => eightDigits(random)).join('')
  const variant = '89ab'[Math.floor(random() * 4)]
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20),
  ].join('-')
}

function eightDigits(random: Random): string {
  return Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0')
}
