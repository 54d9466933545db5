import type { Environment } from '@marcbachmann/cel-js'
import { formatQuantity, parseQuantity, type Quantity, QuantityError } from '../../quantity.ts'
import { CelError } from './cel-error.ts'

export class QuantityValue {
  readonly quantity: Quantity
  constructor(quantity: Quantity) {
    this.quantity = quantity
  }
}

/** Amounts with units. */
export function registerQuantities(env: Environment): void {
  env.registerType('Quantity', QuantityValue as never)
  const nano = 1_000_000_000n
  const whole = (amount: bigint): Quantity => ({ nanos: amount * nano, format: 'decimal' })
  const tryParse = (text: string): Quantity | Error => {
    try {
      return parseQuantity(text)
    } catch (error) {
      if (error instanceof QuantityError) return error
      throw error
    }
  }
  const add = (a: Quantity, nanos: bigint) => new QuantityValue({ nanos: a.nanos + nanos, format: a.format })
  const compare = (a: bigint, b: bigint) => (a < b ? -1n : a > b ? 1n : 0n)
  env.registerFunction('isQuantity(string): bool', (text: string) => !(tryParse(text) instanceof Error))
  env.registerFunction('quantity(string): Quantity', (text: string) => {
    const parsed = tryParse(text)
    if (parsed instanceof Error) throw new CelError(parsed.message)
    return new QuantityValue(parsed)
  })
  env.registerFunction('Quantity.sign(): int', ({ quantity }: QuantityValue) => compare(quantity.nanos, 0n))
  env.registerFunction(
    'Quantity.isInteger(): bool',
    ({ quantity }: QuantityValue) => quantity.nanos % nano === 0n,
  )
  env.registerFunction('Quantity.asInteger(): int', ({ quantity }: QuantityValue) => {
    if (quantity.nanos % nano !== 0n) throw new CelError('cannot convert value to integer')
    return quantity.nanos / nano
  })
  env.registerFunction(
    'Quantity.asApproximateFloat(): double',
    ({ quantity }: QuantityValue) => Number(quantity.nanos) / 1e9,
  )
  for (const [name, sign] of [
    ['add', 1n],
    ['sub', -1n],
  ] as const) {
    env.registerFunction(`Quantity.${name}(Quantity): Quantity`, (a: QuantityValue, b: QuantityValue) =>
      add(a.quantity, sign * b.quantity.nanos),
    )
    env.registerFunction(`Quantity.${name}(int): Quantity`, (a: QuantityValue, b: bigint) =>
      add(a.quantity, sign * whole(b).nanos),
    )
  }
  const order = (a: QuantityValue, b: QuantityValue) => compare(a.quantity.nanos, b.quantity.nanos)
  env.registerFunction(
    'Quantity.isGreaterThan(Quantity): bool',
    (a: QuantityValue, b: QuantityValue) => order(a, b) > 0n,
  )
  env.registerFunction(
    'Quantity.isLessThan(Quantity): bool',
    (a: QuantityValue, b: QuantityValue) => order(a, b) < 0n,
  )
  env.registerFunction('Quantity.compareTo(Quantity): int', order)
  env.registerFunction('string(Quantity): string', ({ quantity }: QuantityValue) => formatQuantity(quantity))
  env.registerOperator('Quantity == Quantity', (a: QuantityValue, b: QuantityValue) => order(a, b) === 0n)
}
