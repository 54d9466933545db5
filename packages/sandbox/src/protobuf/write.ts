/** Writes messages in protobuf, field by field. */

const wire = { varint: 0, double: 1, bytes: 2 } as const

export function textField(number: number, text: string): Buffer {
  const length = Buffer.byteLength(text)
  const field = withHeader(number, length)
  field.write(text, field.length - length, 'utf8')
  return field
}

export function bytesField(number: number, bytes: Buffer): Buffer {
  const field = withHeader(number, bytes.length)
  bytes.copy(field, field.length - bytes.length)
  return field
}

export function numberField(number: number, value: number): Buffer {
  return Buffer.from([...varint(number * 8 + wire.varint), ...varint(value)])
}

export function doubleField(number: number, value: number): Buffer {
  const tag = varint(number * 8 + wire.double)
  const field = Buffer.alloc(tag.length + 8)
  field.set(tag)
  field.writeDoubleLE(value, tag.length)
  return field
}

/** Room for a field and its content, which the header announces. */
function withHeader(number: number, length: number): Buffer {
  const header = varint(number * 8 + wire.bytes)
  header.push(...varint(length))
  const field = Buffer.allocUnsafe(header.length + length)
  field.set(header)
  return field
}

function varint(value: number): number[] {
  if (value >= 0 && value < 0x80) return [value]
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(Math.trunc(value)))
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return bytes
}
