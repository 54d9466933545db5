import { z } from 'zod'

const mebibytesPer: Readonly<Record<string, number>> = { Mi: 1, Gi: 1024, Ti: 1024 ** 2 }

/** As the API server writes it: 2048Mi would come back as 2Gi. */
export const memory = z
  .string()
  .regex(/^[1-9]\d{0,5}(Mi|Gi)$/, 'must be an amount of memory such as 1536Mi or 2Gi')
  .transform((text) => {
    const mebibytes = mebibytesIn(text)
    if (mebibytes % 1024 !== 0) return `${mebibytes}Mi`
    return mebibytes % 1024 ** 2 === 0 ? `${mebibytes / 1024 ** 2}Ti` : `${mebibytes / 1024}Gi`
  })

/** As the API server writes it: 2000m would come back as 2. */
export const cpu = z
  .string()
  .regex(/^[1-9]\d{0,5}m?$/, 'must be an amount of CPU such as 250m or 2')
  .transform((text) => (text.endsWith('000m') ? text.slice(0, -'000m'.length) : text))

export function mebibytesIn(amount: string): number {
  return Number.parseInt(amount, 10) * (mebibytesPer[amount.slice(-2)] ?? Number.NaN)
}
