/** An amount with a unit, such as `500m` or `1Gi`: exact, in billionths, and how it likes to be written. */
export interface Quantity {
  readonly nanos: bigint
  readonly format: 'decimal' | 'exponent' | 'binary'
  /** As it was given, where that already is the canonical form. */
  readonly given?: string
}

export class QuantityError extends Error {}

const wrongFormat =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const unitOf = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 } as const
const binaryUnits = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const nano = 1_000_000_000n
const milli = 1_000_000n
const largest = (1n << 63n) - 1n

/** Throws a QuantityError in the server's words. */
export function parseQuantity(text: string): Quantity {
  if (text === '') throw new QuantityError(wrongFormat)
  if (text === '0') return { nanos: 0n, format: 'decimal', given: '0' }
  const match = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/.exec(text)
  if (match === null) throw new QuantityError(wrongFormat)
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match
  const unit = interpret(suffix)
  if (unit === undefined) throw new QuantityError("unable to parse quantity's suffix")
  const digits = BigInt(`${whole}${fraction}` === '' ? 0 : `${whole}${fraction}`)
  const { format, base, exponent } = unit
  let nanos: bigint
  if (base === 2) nanos = roundUp(digits * (1n << BigInt(exponent)) * nano, 10n ** BigInt(fraction.length))
  else {
    const shift = exponent - fraction.length + 9
    nanos = shift >= 0 ? digits * 10n ** BigInt(shift) : roundUp(digits, 10n ** BigInt(-shift))
  }
  const isCapped = format === 'binary' && nanos > largest * nano
  if (isCapped) nanos = largest * nano
  if (sign === '-') nanos = -nanos
  const isSmall = format === 'binary' && nanos > 0n && nanos < nano
  const amount = { nanos, format: isSmall ? ('decimal' as const) : format }
  // The server keeps the text where it takes it for canonical; leading zeros and a plus sign escape it.
  const shifted = `${whole.replace(/^0+/, '') || '0'}${fraction}`
  const scale = exponent - fraction.length
  const looksCanonical =
    base === 2
      ? fraction === '' && (digits & 7n) !== 0n
      : scale % 3 === 0 && scale >= -9 && !shifted.endsWith('000') && !shifted.startsWith('0')
  return looksCanonical && !isCapped && shifted.length <= 18 ? { ...amount, given: text } : amount
}

/** Small binary amounts are written as plain numbers. */
function isBare(format: Quantity['format'], nanos: bigint): boolean {
  return format === 'binary' && nanos < 1024n * nano && nanos > -1024n * nano
}

/** The one way to write the amount: `1000m` is `1`, `1024Mi` is `1Gi`. */
export function formatQuantity({ nanos, format, given }: Quantity): string {
  if (given !== undefined) return given
  if (nanos === 0n) return '0'
  if (format === 'binary' && !isBare(format, nanos) && nanos % nano === 0n) {
    let amount = nanos / nano
    let unit = 0
    while (amount % 1024n === 0n && unit < binaryUnits.length - 1) {
      amount /= 1024n
      unit += 1
    }
    return `${amount}${binaryUnits[unit]}`
  }
  let amount = nanos
  let exponent = -9
  while (amount % 1000n === 0n) {
    amount /= 1000n
    exponent += 3
  }
  if (format === 'exponent') return exponent === 0 ? `${amount}` : `${amount}e${exponent}`
  // Beyond exa there is no unit, and the server prints none.
  const [unit = ''] = Object.entries(unitOf).find(([, power]) => power === exponent) ?? []
  return `${amount}${unit}`
}

export function canonicalQuantity(text: string): string {
  return formatQuantity(parseQuantity(text))
}

/** As lists of resources keep it (`SetDefaults_ResourceList`): rounded up to thousandths. */
export function roundedUpQuantity(text: string): string {
  const quantity = parseQuantity(text)
  const rest = quantity.nanos % milli
  if (rest === 0n) return formatQuantity(quantity)
  const nanos = quantity.nanos > 0n ? quantity.nanos - rest + milli : quantity.nanos - rest
  return formatQuantity({ nanos, format: quantity.format })
}

/** The amount in billionths; what is missing or no quantity counts nothing. */
export function nanosOf(text: string | number | undefined): bigint {
  if (text === undefined) return 0n
  try {
    return parseQuantity(String(text)).nanos
  } catch (error) {
    if (error instanceof QuantityError) return 0n
    throw error
  }
}

export function compareQuantities(one: string, other: string): number {
  const difference = nanosOf(one) - nanosOf(other)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

function interpret(
  suffix: string,
): { format: Quantity['format']; base: 2 | 10; exponent: number } | undefined {
  if (Object.hasOwn(unitOf, suffix))
    return { format: 'decimal', base: 10, exponent: unitOf[suffix as keyof typeof unitOf] }
  const binary = binaryUnits.indexOf(suffix)
  if (binary > 0) return { format: 'binary', base: 2, exponent: binary * 10 }
  const exponent = /^[eE]([-+]?[0-9]+)$/.exec(suffix)?.[1]
  return exponent === undefined ? undefined : { format: 'exponent', base: 10, exponent: Number(exponent) }
}

function roundUp(amount: bigint, divisor: bigint): bigint {
  return (amount + divisor - 1n) / divisor
}
