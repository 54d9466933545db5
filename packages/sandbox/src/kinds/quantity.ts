/** Amounts of resources as Kubernetes writes them: `500m`, `1Gi`, `2`. Kept in units of 10⁻⁹. */

const nano = 1_000_000_000n
const milli = 1_000_000n
const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const
const decimal: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}

interface Quantity {
  readonly nanos: bigint
  readonly format: 'binary' | 'decimal' | 'exponent'
}

/** The one way to write this amount, rounded up to thousandths; what is no amount comes back as it is. */
export function canonicalQuantity(value: string | number): string {
  const parsed = parseQuantity(String(value))
  if (parsed === undefined) return String(value)
  return written({ ...parsed, nanos: roundedUp(parsed.nanos) })
}

/** Undefined where the text is no amount. */
export function parseQuantity(text: string): Quantity | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d+|[KMGTPE]i|[numkMGTPE])?$/.exec(text)
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match
  if (whole === '' && fraction === '') return undefined
  const digits = BigInt(`${whole}${fraction}`)
  const signed = sign === '-' ? -digits : digits
  const power = binary.findIndex((one) => one !== '' && one === suffix)
  if (power > 0)
    return {
      nanos: (signed * nano * 1024n ** BigInt(power)) / 10n ** BigInt(fraction.length),
      format: 'binary',
    }
  const exponent = /^[eE]/.test(suffix) && suffix.length > 1
  const tens = (exponent ? Number(suffix.slice(1)) : (decimal[suffix] ?? 0)) + 9 - fraction.length
  const nanos = tens >= 0 ? signed * 10n ** BigInt(tens) : signed / 10n ** BigInt(-tens)
  return { nanos, format: exponent ? 'exponent' : 'decimal' }
}

export function isNegative(value: string): boolean {
  return (parseQuantity(value)?.nanos ?? 0n) < 0n
}

export function compareQuantities(a: string, b: string): number {
  const difference = (parseQuantity(a)?.nanos ?? 0n) - (parseQuantity(b)?.nanos ?? 0n)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

export function isZeroQuantity(value: string): boolean {
  return (parseQuantity(value)?.nanos ?? 0n) === 0n
}

/** Amounts of every resource, each in its canonical form. */
export function canonicalList(list: Record<string, string> | undefined): void {
  for (const [name, value] of Object.entries(list ?? {}))
    if (list !== undefined) list[name] = canonicalQuantity(value)
}

function roundedUp(nanos: bigint): bigint {
  const rest = nanos % milli
  if (rest === 0n) return nanos
  return nanos > 0n ? nanos - rest + milli : nanos - rest
}

function written({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0'
  const small = nanos > -1024n * nano && nanos < 1024n * nano
  if (format === 'binary' && !small) {
    let units = nanos % nano === 0n ? nanos / nano : nanos / nano + 1n
    let power = 0
    while (units % 1024n === 0n && power < binary.length - 1) {
      units /= 1024n
      power++
    }
    return `${units}${binary[power]}`
  }
  let mantissa = nanos
  let tens = -9
  while (mantissa % 10n === 0n) {
    mantissa /= 10n
    tens++
  }
  while (tens % 3 !== 0 || tens > 18) {
    mantissa *= 10n
    tens--
  }
  if (format === 'exponent') return tens === 0 ? String(mantissa) : `${mantissa}e${tens}`
  const suffix = Object.entries(decimal).find(([, power]) => power === tens)?.[0] ?? ''
  return `${mantissa}${suffix}`
}
