import { fieldsOf } from './wire.ts'

/** Messages that are no objects in JSON, each with what is written there instead. */
export const wellKnown: Readonly<Record<string, (message: Buffer) => unknown>> = {
  'meta/v1.Time': (message) => timestamp(message, 0),
  'meta/v1.MicroTime': (message) => timestamp(message, 6),
  'api/resource.Quantity': (message) => stringField(message, 1),
  'util/intstr.IntOrString': (message) =>
    numberOf(message, 1) === 1 ? stringField(message, 3) : numberOf(message, 2),
  'meta/v1.FieldsV1': (message) => embeddedJson(message) ?? {},
  'pkg/runtime.RawExtension': embeddedJson,
  'apiextensions/v1.JSON': embeddedJson,
}

/** No time at all is a message without fields; fractions are only kept of a MicroTime. */
function timestamp(message: Buffer, digits: 0 | 6): string | null {
  if (message.length === 0) return null
  const whole = new Date(numberOf(message, 1) * 1000).toISOString().slice(0, -'.000Z'.length)
  if (digits === 0) return `${whole}Z`
  const micros = Math.floor(numberOf(message, 2) / 1000)
  return `${whole}.${String(micros).padStart(digits, '0')}Z`
}

function embeddedJson(message: Buffer): unknown {
  const text = stringField(message, 1)
  return text === '' ? null : (JSON.parse(text) as unknown)
}

function numberOf(message: Buffer, wanted: number): number {
  let found = 0
  for (const { number, value } of fieldsOf(message))
    if (number === wanted && typeof value === 'bigint') found = signed(value)
  return found
}

function stringField(message: Buffer, wanted: number): string {
  let found = ''
  for (const { number, value } of fieldsOf(message))
    if (number === wanted && typeof value !== 'bigint') found = value.toString('utf8')
  return found
}

/** Negative numbers are written as the 64 bits that they are kept in. */
export function signed(value: bigint): number {
  return Number(BigInt.asIntN(64, value))
}
