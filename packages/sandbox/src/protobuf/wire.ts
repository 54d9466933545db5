/** The bytes are not what they claim to be. */
export class MalformedProtobuf extends Error {}

/** One field as it stands in the bytes of a message: a number, or a length and so many bytes. */
export interface WireField {
  readonly number: number
  readonly value: bigint | Buffer
}

const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

/** Takes a message apart into its fields, in the order in which they were written. */
export function* fieldsOf(message: Buffer): Generator<WireField> {
  let at = 0
  while (at < message.length) {
    const [tag, afterTag] = varint(message, at)
    const number = Number(tag >> 3n)
    const type = Number(tag & 7n)
    if (type === wireTypes.varint) {
      const [value, next] = varint(message, afterTag)
      yield { number, value }
      at = next
    } else {
      const [start, end] = extent(message, afterTag, type)
      yield { number, value: message.subarray(start, end) }
      at = end
    }
  }
}

/** Numbers written one after the other without tags. */
export function* packedVarints(bytes: Buffer): Generator<bigint> {
  let at = 0
  while (at < bytes.length) {
    const [value, next] = varint(bytes, at)
    yield value
    at = next
  }
}

function extent(message: Buffer, at: number, type: number): [start: number, end: number] {
  let start = at
  let length: number
  if (type === wireTypes.bytes) {
    const [given, next] = varint(message, at)
    start = next
    length = Number(given)
  } else if (type === wireTypes.fixed64) length = 8
  else if (type === wireTypes.fixed32) length = 4
  else throw new MalformedProtobuf(`proto: illegal wireType ${type}`)
  if (start + length > message.length) throw new MalformedProtobuf('unexpected EOF')
  return [start, start + length]
}

function varint(bytes: Buffer, from: number): [value: bigint, next: number] {
  let value = 0n
  for (let at = from, shift = 0n; at < bytes.length; at++, shift += 7n) {
    if (shift >= 70n) throw new MalformedProtobuf('proto: integer overflow')
    const byte = bytes[at] ?? 0
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return [value, at + 1]
  }
  throw new MalformedProtobuf('unexpected EOF')
}
