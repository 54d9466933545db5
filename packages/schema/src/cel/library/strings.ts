import { Environment } from '@marcbachmann/cel-js'
import { isGoDuration } from '../../formats.ts'
import { goQuote } from '../../go-quote.ts'
import { Re2 } from '../../re2.ts'
import { CelError } from './cel-error.ts'
import { format } from './format.ts'

function outOfRange(index: bigint): CelError {
  return new CelError(`index out of range: ${index}`)
}

export function registerStrings(env: Environment): void {
  const matches = (text: string, pattern: string) => {
    try {
      return Re2.of(pattern).finds(text)
    } catch (error) {
      throw new CelError(`error parsing regexp: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  env.registerFunction('string.k8s_matches(string): bool', matches)
  env.registerFunction('k8s_matches(string, string): bool', matches)
  env.registerFunction(
    'string.k8s_find(string): string',
    (text: string, pattern: string) => Re2.of(pattern).findAll(text)[0] ?? '',
  )
  env.registerFunction('string.k8s_findAll(string): list<string>', (text: string, pattern: string) =>
    Re2.of(pattern).findAll(text),
  )
  env.registerFunction(
    'string.k8s_findAll(string, int): list<string>',
    (text: string, pattern: string, max: bigint) =>
      Re2.of(pattern)
        .findAll(text)
        .slice(0, max < 0n ? undefined : Number(max)),
  )
  env.registerFunction('string.k8s_split(string): list<string>', (text: string, by: string) =>
    by === '' ? Array.from(text) : text.split(by),
  )
  env.registerFunction(
    'string.k8s_split(string, int): list<string>',
    (text: string, by: string, max: bigint) => {
      if (max === 0n) return []
      const parts = by === '' ? Array.from(text) : text.split(by)
      const limit = Number(max)
      return max < 0n || parts.length <= limit
        ? parts
        : [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(by)]
    },
  )
  env.registerFunction('list.k8s_join(): string', (parts: string[]) => parts.join(''))
  env.registerFunction('list.k8s_join(string): string', (parts: string[], by: string) => parts.join(by))
  env.registerFunction(
    'string.k8s_replace(string, string): string',
    (text: string, from: string, to: string) => text.replaceAll(from, () => to),
  )
  env.registerFunction(
    'string.k8s_replace(string, string, int): string',
    (text: string, from: string, to: string, max: bigint) => {
      if (max < 0n) return text.replaceAll(from, () => to)
      let left = max
      return text.replaceAll(from, (found) => {
        left -= 1n
        return left >= 0n ? to : found
      })
    },
  )
  env.registerFunction('string.k8s_charAt(int): string', (text: string, index: bigint) => {
    const characters = Array.from(text)
    if (index < 0n || index > BigInt(characters.length)) throw outOfRange(index)
    return characters[Number(index)] ?? ''
  })
  const find = (text: string, wanted: string, from: bigint) => {
    const characters = Array.from(text)
    if (from < 0n || from > BigInt(characters.length)) throw outOfRange(from)
    const start = characters.slice(0, Number(from)).join('').length
    const at = text.indexOf(wanted, start)
    return at < 0 ? -1n : BigInt(Array.from(text.slice(0, at)).length)
  }
  env.registerFunction('string.k8s_indexOf(string): int', (text: string, wanted: string) =>
    find(text, wanted, 0n),
  )
  env.registerFunction('string.k8s_indexOf(string, int): int', find)
  const findLast = (text: string, wanted: string, from?: bigint) => {
    const characters = Array.from(text)
    if (from !== undefined && (from < 0n || from > BigInt(characters.length))) throw outOfRange(from)
    const start = from === undefined ? undefined : characters.slice(0, Number(from)).join('').length
    const at = text.lastIndexOf(wanted, start)
    return at < 0 ? -1n : BigInt(Array.from(text.slice(0, at)).length)
  }
  env.registerFunction('string.k8s_lastIndexOf(string): int', (text: string, wanted: string) =>
    findLast(text, wanted),
  )
  env.registerFunction('string.k8s_lastIndexOf(string, int): int', findLast)
  const substring = (text: string, start: bigint, end?: bigint) => {
    const characters = Array.from(text)
    const length = BigInt(characters.length)
    if (start < 0n || start > length) throw outOfRange(start)
    if (end !== undefined && (end < 0n || end > length)) throw outOfRange(end)
    if (end !== undefined && start > end)
      throw new CelError(`invalid substring range. start: ${start}, end: ${end}`)
    return characters.slice(Number(start), end === undefined ? undefined : Number(end)).join('')
  }
  env.registerFunction('string.k8s_substring(int): string', (text: string, start: bigint) =>
    substring(text, start),
  )
  env.registerFunction('string.k8s_substring(int, int): string', substring)
  env.registerFunction('string.k8s_lowerAscii(): string', (text: string) =>
    text.replaceAll(/[A-Z]/g, (c) => c.toLowerCase()),
  )
  env.registerFunction('string.k8s_upperAscii(): string', (text: string) =>
    text.replaceAll(/[a-z]/g, (c) => c.toUpperCase()),
  )
  env.registerFunction('string.k8s_trim(): string', (text: string) => text.trim())
  env.registerFunction('k8s_quote(string): string', goQuote)
  env.registerFunction('string.k8s_format(list): string', format)
  const builtIn = new Environment()
  env.registerFunction('k8s_duration(string): google.protobuf.Duration', (text: string) => {
    if (!isGoDuration(text))
      throw new CelError("type conversion error from 'string' to 'google.protobuf.Duration'")
    return builtIn.evaluate(`duration(${JSON.stringify(text)})`)
  })
  env.registerFunction('k8s_timestamp(string): google.protobuf.Timestamp', (text: string) => {
    const date = new Date(text)
    if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/.test(text) || Number.isNaN(date.getTime()))
      throw new CelError("type conversion error from 'string' to 'google.protobuf.Timestamp'")
    return date
  })
  env.registerFunction('string(google.protobuf.Timestamp): string', (date: Date) =>
    date.toISOString().replace('.000Z', 'Z'),
  )
}
