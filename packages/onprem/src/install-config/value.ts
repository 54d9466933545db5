import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml'

/** A value of the file and where it stands: at its own first letter if it is text, at its key if it is more. */
export interface Value {
  readonly path: string
  readonly line: number
  readonly column: number
  readonly kind: 'map' | 'list' | 'text' | 'nothing'
  /** As it is written; of a list the texts in it, behind each other; nothing of a map. */
  readonly text: string
  readonly keys: readonly Key[]
  /** Of a list, the first {@link mostItems}: no cluster has more, and a file of nothing else must not take long. */
  readonly items: readonly Value[]
  /** How many there are in the list. */
  readonly length: number
  /** The value of a field; undefined if it is not there, or is there without a value. */
  field(name: string): Value | undefined
}

/** A field: its name, where that stands, and its value. */
export interface Key {
  readonly name: string
  readonly line: number
  readonly column: number
  readonly value: Value
}

export const mostItems = 64

/** What it takes to read a document: its lines, and what its aliases stand for. */
export interface Reading {
  readonly lines: LineCounter
  readonly targets: ReadonlyMap<Alias, Node>
  /** The fields of maps that were asked for: an alias that stands a thousand times is looked through once. */
  readonly fields: WeakMap<YAMLMap, Fields>
}

interface Fields {
  readonly pairs: ReadonlyMap<string, Pair>
  /** The first name that is the same in small letters. */
  readonly bySmallLetters: ReadonlyMap<string, string>
}

/** A value and what is in it, read when it is asked for: a file with a bomb of aliases costs no more than another. */
export function valueOf(written: unknown, path: string, place: number, reading: Reading): Value {
  const node = isAlias(written) ? reading.targets.get(written) : written
  const isText = isScalar(node) && node.value !== null
  const isInline = isText || (isMap(node) && node.flow === true) || (isSeq(node) && node.flow === true)
  const { line, col: column } = reading.lines.linePos(isInline ? offsetOf(written, place) : place)
  const fields = () => (isMap(node) ? fieldsOf(node, reading) : undefined)
  let keys: readonly Key[] | undefined
  const value: Value = {
    path,
    line,
    column,
    kind: isText ? 'text' : isMap(node) ? 'map' : isSeq(node) ? 'list' : 'nothing',
    get text() {
      if (isText) return scalarText(node)
      const texts = value.items.filter(({ kind }) => kind === 'text')
      return texts.map(({ text }) => text).join(', ')
    },
    get keys() {
      keys ??= [...(fields()?.pairs ?? [])].map(([name, pair]) => keyOf(name, pair))
      return keys
    },
    get items() {
      if (!isSeq(node)) return []
      const start = offsetOf(node, place)
      return node.items
        .slice(0, mostItems)
        .map((item, i) => valueOf(item, `${path}[${i}]`, offsetOf(item, start), reading))
    },
    length: isSeq(node) ? node.items.length : 0,
    field(name) {
      // Go matches the names of fields whether they are in capitals or not, if there is no exact match.
      const { pairs, bySmallLetters } = fields() ?? {}
      const written = pairs?.has(name) ? name : bySmallLetters?.get(name.toLowerCase())
      const pair = written === undefined ? undefined : pairs?.get(written)
      if (written === undefined || pair === undefined) return undefined
      const { value } = keyOf(written, pair)
      return value.kind === 'nothing' ? undefined : value
    },
  }
  const keyOf = (name: string, pair: Pair): Key => {
    const at = path === '' ? name : `${path}.${name}`
    const start = offsetOf(pair.key, place)
    const { line, col: column } = reading.lines.linePos(start)
    return { name, line, column, value: valueOf(pair.value, at, start, reading) }
  }
  return value
}

function fieldsOf(map: YAMLMap, reading: Reading): Fields {
  const known = reading.fields.get(map)
  if (known !== undefined) return known
  const pairs = pairsOf(map, reading)
  // Of names that differ in capitals alone the first counts, so it is written last.
  const bySmallLetters = new Map([...pairs.keys()].toReversed().map((name) => [name.toLowerCase(), name]))
  const fields = { pairs, bySmallLetters }
  reading.fields.set(map, fields)
  return fields
}

/** The fields of a map, with those that `<<` merges into it where it has none of the name itself. */
function pairsOf(map: YAMLMap, reading: Reading, seen: Set<unknown> = new Set()): Map<string, Pair> {
  const pairs = new Map<string, Pair>()
  const merged: unknown[] = []
  seen.add(map)
  for (const pair of map.items) {
    const name = isScalar(pair.key) ? scalarText(pair.key) : String(pair.key)
    if (name === '<<') merged.push(...(isSeq(pair.value) ? pair.value.items : [pair.value]))
    else if (!pairs.has(name)) pairs.set(name, pair)
  }
  for (const each of merged) {
    const node = isAlias(each) ? reading.targets.get(each) : each
    if (!isMap(node) || seen.has(node)) continue
    for (const [name, pair] of pairsOf(node, reading, seen)) if (!pairs.has(name)) pairs.set(name, pair)
  }
  return pairs
}

/** Numbers and the like as they are written, not as they are understood: 1:2:3 and 1e3 are what the author wrote. */
function scalarText(scalar: { readonly value: unknown; readonly source?: string }): string {
  return scalar.source ?? String(scalar.value)
}

function offsetOf(node: unknown, otherwise: number): number {
  return (node as { range?: readonly number[] | null } | null)?.range?.[0] ?? otherwise
}
