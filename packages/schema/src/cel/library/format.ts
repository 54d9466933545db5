import { formatCidr, formatIp } from '../../ip.ts'
import { formatQuantity } from '../../quantity.ts'
import { goJson, goNumber } from '../../wording.ts'
import { CidrValue, IpValue } from './addresses.ts'
import { CelError } from './cel-error.ts'
import { QuantityValue } from './quantities.ts'

/** `%s`, `%d`, `%f`, `%e`, `%b`, `%o`, `%x`, `%X` and `%%`, as the strings extension has them. */
export function format(pattern: string, values: unknown[]): string {
  let next = 0
  return pattern.replaceAll(
    /%(%|(?:\.(\d+))?([sdfebxXo]))/g,
    (_, verb: string, digits?: string, kind?: string) => {
      if (verb === '%') return '%'
      if (next >= values.length) throw new CelError(`index ${next} out of range`)
      const value = values[next]
      next += 1
      switch (kind) {
        case 'f':
          return Number(value).toFixed(digits === undefined ? 6 : Number(digits))
        case 'e':
          return Number(value)
            .toExponential(digits === undefined ? 6 : Number(digits))
            .replace(/e([+-])(\d)$/, 'e$10$2')
        case 'b':
          return typeof value === 'boolean' ? (value ? '1' : '0') : BigInt(String(value)).toString(2)
        case 'o':
          return BigInt(String(value)).toString(8)
        case 'x':
        case 'X': {
          const hex =
            typeof value === 'string'
              ? Buffer.from(value).toString('hex')
              : BigInt(String(value)).toString(16)
          return kind === 'X' ? hex.toUpperCase() : hex
        }
        case undefined:
        default:
          return printed(value)
      }
    },
  )
}

/** A value as text. */
export function printed(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return goNumber(value)
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z')
  if (Array.isArray(value)) return `[${value.map(printed).join(', ')}]`
  if (value instanceof IpValue) return formatIp(value.ip)
  if (value instanceof CidrValue) return formatCidr(value.cidr)
  if (value instanceof QuantityValue) return formatQuantity(value.quantity)
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)
    return `{${Object.entries(value)
      .map(([key, part]) => `${key}: ${printed(part)}`)
      .join(', ')}}`
  return typeof value === 'object' && value !== null ? goJson(value) : String(value)
}
