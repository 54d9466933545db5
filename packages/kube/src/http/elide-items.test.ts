import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { elideItems, fieldsDepth, readElided } from './elide-items.ts'

const mostValues = 40
const mostNewKeys = 10
const few = { shortText: 0, values: mostValues, newKeys: mostNewKeys }

/** The line of a watch; its `spec` is given as text. */
const lineWith = (spec: string) => `{"type":"ADDED","object":{"spec":${spec}}}`
const specIn = (line: string) => JSON.parse(line).object.spec
const elided = (line: string) => elideItems(line, fieldsDepth.watchEvent, few)
const elidedSpec = (spec: string) => specIn(elided(lineWith(spec)))
const repeated = (item: string, times: number) => Array.from({ length: times }, () => item).join()
const keys = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `"k${from + at}":0`).join()

test('A text of 128 KiB is handed back, whatever is in it, and a longer one is cut.', () => {
  const text = `{"a":{"b":{"c":[${repeated('0', 60_000)}]}}}`.padEnd(128 * 1024)
  expect(elideItems(text, fieldsDepth.watchEvent)).toBe(text)
  expect(elideItems(`${text} `, fieldsDepth.watchEvent)).toHaveLength(128 * 1024 + 1 - 20_000)
})

test('Any JSON with fewer values is handed back as it is, however it is written.', () => {
  const space = fc.constantFrom(undefined, 1, '\t', '\n', ' \r\n')
  const limits = { shortText: 0, values: 1_000, newKeys: 1_000 }
  fc.assert(
    fc.property(fc.jsonValue(), space, (value, indent) => {
      const line = lineWith(JSON.stringify(value, undefined, indent))
      expect(elideItems(line, fieldsDepth.watchEvent, limits)).toBe(line)
      const spaced = line.replaceAll(/[[\]{}]/g, ' \t\n\r$& \t\n\r')
      expect(elideItems(spaced, fieldsDepth.watchEvent, limits)).toBe(spaced)
    }),
  )
})

test('As many values and new keys as the limits allow in one field are kept.', () => {
  const line = lineWith(`{"maps":[{${keys(0, mostNewKeys)}}],"tls":[${repeated('{}', mostValues)}]}`)
  expect(elided(line)).toBe(line)
})

test('The first items of a list are kept, and all that comes before and after the list.', () => {
  const spec = elidedSpec(`{"a":"[{","tls":[${repeated('{}', mostValues + 1)}],"z":["}]"]}`)
  expect(spec).toEqual({ a: '[{', tls: Array.from({ length: mostValues }, () => ({})), z: ['}]'] })
})

test('Nested values count for the field that they are in.', () => {
  // An item, its member, and two items in that.
  const spec = elidedSpec(`{"rules":[${repeated('{"hosts":["a","b"]}', mostValues)}]}`)
  expect(spec.rules).toHaveLength(mostValues / 4)
  expect(spec.rules.at(-1)).toEqual({ hosts: ['a', 'b'] })
})

test('A list is cut in the middle of an item, and what is open there is closed.', () => {
  const filled = repeated('0', mostValues - 4)
  const { list } = elidedSpec(`{"list":[${filled},{"a":[1,2,3],"b":4},5]}`)
  expect(list).toHaveLength(mostValues - 3)
  expect(list.at(-1)).toEqual({ a: [1, 2] })
})

test('An array or object that begins beyond the limit is left empty.', () => {
  const filled = repeated('0', mostValues - 1)
  expect(elidedSpec(`{"list":[${filled},[ 1]]}`).list.at(-1)).toEqual([])
  expect(elidedSpec(`{"list":[${filled},{ "a" : 1}]}`).list.at(-1)).toEqual({})
})

test('The first members of an object are kept.', () => {
  const spec = elidedSpec(`{"labels":{${keys(0, mostNewKeys + 1)}},"after":true}`)
  expect(Object.keys(spec.labels)).toHaveLength(mostNewKeys)
  expect(Object.keys(spec.labels).at(-1)).toBe(`k${mostNewKeys - 1}`)
  expect(spec.after).toBe(true)
})

test('A key that was there before is not new, in whichever field that was.', () => {
  const line = lineWith(`{"a":{${keys(0, mostNewKeys)}},"b":{${keys(5, 15)}},"c":{${keys(2, 5)}}}`)
  expect(elided(line)).toBe(line)
})

test('A field beyond its limit takes nothing from the next field.', () => {
  const { a, b, c, d } = elidedSpec(
    `{"a":[${repeated('0', 60)}],"b":[${repeated('0', mostValues + 1)}],"c":{${keys(0, 11)}},"d":{${keys(20, 31)}}}`,
  )
  expect([a.length, b.length]).toEqual([mostValues, mostValues])
  expect([Object.keys(c).length, Object.keys(d).length]).toEqual([mostNewKeys, mostNewKeys])
})

test('Fields of metadata, spec and status are never left out, nor what is beside these.', () => {
  const line = lineWith(`{${keys(0, 60)}}`)
  expect(elided(line)).toBe(line)
})

test('A list beside metadata and spec is cut like one inside of them.', () => {
  expect(elidedSpec(`[${repeated('0', 60)}]`)).toHaveLength(mostValues)
})

test('Each object of a list has limits of its own.', () => {
  const item = (count: number) => `{"spec":{"tls":[${repeated('{}', count)}]}}`
  const list = `{"items":[${item(60)},${repeated(item(1), 60)},${item(mostValues + 1)}],"metadata":{}}`
  const { items } = JSON.parse(elideItems(list, fieldsDepth.list, few))
  expect(items).toHaveLength(62)
  expect([items[0], items[1], items.at(-1)].map(({ spec }) => spec.tls.length)).toEqual([
    mostValues,
    1,
    mostValues,
  ])
  const labels = `{"items":[{"metadata":{"labels":{${keys(0, 60)}}}}]}`
  expect(
    Object.keys(JSON.parse(elideItems(labels, fieldsDepth.list, few)).items[0].metadata.labels),
  ).toHaveLength(10)
})

test('A key that is repeated in one field is new once.', () => {
  const line = lineWith(`{"k":0,"list":[${repeated('{"k":0}', mostNewKeys + 1)}]}`)
  expect(elided(line)).toBe(line)
})

test('A key is new in a field though it was the name of one.', () => {
  const { map } = elidedSpec(`{"k0":0,"map":{${keys(0, mostNewKeys + 1)}}}`)
  expect(Object.keys(map)).toHaveLength(mostNewKeys)
})

test('Blanks are allowed wherever JSON allows them.', () => {
  const blanks = '\t\n\r '
  const written = `{"list":[${repeated('{"a b":[0,"c d"]}', mostValues)}],"after":[]}`
  const spaced = lineWith(written).replaceAll(/[[\]{}:,]/g, `${blanks}$&${blanks}`)
  expect(specIn(elided(spaced)).list).toHaveLength(mostValues / 4)
  expect(specIn(elided(spaced)).after).toEqual([])
})

test('What is left of any JSON is the beginning of each array and object in it.', () => {
  const values = fc.array(fc.jsonValue(), { minLength: 8 })
  fc.assert(
    fc.property(values, fc.boolean(), (list, after) => {
      const line = lineWith(JSON.stringify({ list, after }))
      const left = specIn(elided(line))
      expectBeginning(left.list, specIn(line).list)
      expect(left.after).toBe(after)
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  ['quotes, backslashes and braces', '"\\"]}\\\\"', '"]}\\'],
  ['every escape', '"\\b\\f\\n\\r\\t\\/\\u005D\\u00e9"', '\b\f\n\r\t/]é'],
  ['Unicode', '"ü🦊\u2028\ud800"', 'ü🦊\u2028\ud800'],
  ['numbers', '[-0.5e+7,1E-2,10,0]', [-5_000_000, 0.01, 10, 0]],
  ['words', '[true,false,null]', [true, false, null]],
])('%s are understood where they are kept and where they are left out.', (_, text, value) => {
  const line = lineWith(`{"list":[${text},${repeated(text, mostValues)}],"after":${text}}`)
  const { list, after } = specIn(elided(line))
  expect([list[0], after]).toEqual([value, value])
  expect(list.length).toBeLessThanOrEqual(mostValues)
})

test('A key such as __proto__ is one like any other.', () => {
  const spec = elidedSpec(
    `{"map":{"__proto__":{"a":1},"constructor":2,"\\u007d\\"":3,${keys(0, mostNewKeys)}}}`,
  )
  // `a` is a new key as well.
  expect(Object.keys(spec.map)).toHaveLength(mostNewKeys - 1)
  expect(Object.keys(spec.map).slice(0, 3)).toEqual(['__proto__', 'constructor', '}"'])
})

test('Of 390,000 empty items in 1.2 MB an eighth is left, and of 100,000 labels a twentieth.', () => {
  const items = lineWith(`{"tls":[${repeated('{}', 390_000)}]}`)
  expect(specIn(elideItems(items, fieldsDepth.watchEvent)).tls).toHaveLength(50_000)
  const labels = lineWith(`{"labels":{${keys(0, 100_000)}}}`)
  expect(Object.keys(specIn(elideItems(labels, fieldsDepth.watchEvent)).labels)).toHaveLength(5_000)
})

test('Arrays half a million deep are cut without recursion.', () => {
  const line = lineWith(`{"deep":${'['.repeat(500_000)}${']'.repeat(500_000)},"after":1}`)
  const { deep, after } = specIn(elided(line))
  let depth = 0
  for (let inner = deep; inner !== undefined; inner = inner[0]) depth += 1
  expect([depth, after]).toEqual([mostValues + 1, 1])
})

const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test.each([
  '',
  ']',
  '}',
  '[',
  '{',
  '[}',
  '{]',
  '[1',
  '[1 2]',
  '[,',
  '[,1]',
  '[1,]',
  '[1}',
  '[1,,2]',
  '01',
  '1.',
  '.5',
  '+1',
  '-',
  '1e',
  'True',
  'nul',
  'nullx',
  'NaN',
  "'a'",
  '"',
  '"a',
  '"\\',
  '"\\x"',
  '"\\u12g4"',
  '"\\u123',
  '"\t"',
  '"\u001f"',
  '{a:1}',
  '{"a"}',
  '{"a":}',
  '{"a":1',
  '{"a":1,}',
  '{"a" 1}',
  '{,}',
  '{"a":1 "b":2}',
  '{"a:1}',
  '{1:2}',
  '{1}',
  '{"a":1,2}',
  '{"\\n:\n1}',
  '"\\n\n',
  '{"a"::1}',
  '\u00a0',
  '\v1',
  '\f1',
  '\ufeff1',
  '//',
])('A text with %j in it is handed back, so that the parser reports it.', (broken) => {
  const long = repeated('{}', mostValues + 1)
  for (const line of [
    lineWith(`{"tls":[${long},${broken}],"after":1}`),
    lineWith(`{"tls":[${long}],"after":${broken}}`),
    `${lineWith(`{"tls":[${long}]}`)}${broken || ','}`,
    `${lineWith(`{"tls":[${long}]}`).slice(0, -1)}]`,
    lineWith(`{"tls":[${long}]}`).slice(0, -1),
  ]) {
    expect(isJson(line)).toBe(false)
    expect(elided(line)).toBe(line)
  }
})

test('A text that lost or changed a character is cut only if it is still JSON.', () => {
  const start = `{"tls":[${repeated('{}', mostValues + 1)}`
  const rest = ',{"a\\n":[-1.5e3,true,null,"\\u00e9"],"b":{}}],"after":{"c":[[],{}]}}'
  const place = fc.nat({ max: rest.length - 1 })
  const instead = fc.constantFrom('', ...' ,:[]{}"\\-.019eEtfnu\n\u0001x'.split(''))
  fc.assert(
    fc.property(place, instead, (at, other) => {
      const line = lineWith(`${start}${rest.slice(0, at)}${other}${rest.slice(at + 1)}`)
      const result = elided(line)
      if (isJson(line)) expectBeginning(specIn(result).tls, specIn(line).tls)
      else expect(result === line).toBe(true)
    }),
    { numRuns: 1_000 },
  )
})

const line = lineWith(`{"tls":[${repeated('{}', 60_000)}]}`)
const read = (text: string, isKeptWhole: boolean) => {
  const asked: unknown[] = []
  const value = readElided(text, {
    parseJson: JSON.parse,
    fieldsDepth: fieldsDepth.watchEvent,
    isKeptWhole: (each) => {
      asked.push(each)
      return isKeptWhole
    },
  }) as { object: { spec: { tls: unknown[] } } }
  return { items: value.object.spec.tls.length, asked: asked.length }
}

test('An object of which only facts are kept is read without what is beyond the limits.', () => {
  expect(read(line, false)).toEqual({ items: 50_000, asked: 1 })
})

test('An object that is kept whole is read whole.', () => {
  expect(read(line, true)).toEqual({ items: 60_000, asked: 1 })
})

test('The callback isKeptWhole is not called for an object from which nothing was left out.', () => {
  expect(read(lineWith('{"tls":[1]}'), true)).toEqual({ items: 1, asked: 0 })
})

function expectBeginning(part: unknown, whole: unknown): void {
  const pairs: [unknown, unknown][] = [[part, whole]]
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [one, other] = pair
    if (typeof other !== 'object' || other === null) {
      if (!Object.is(one, other)) expect(one).toBe(other)
      continue
    }
    const [members, others] = [Object.entries(one as object), Object.entries(other)]
    expect(Array.isArray(one)).toBe(Array.isArray(other))
    expect(members.length).toBeLessThanOrEqual(others.length)
    members.forEach(([key, value], at) => {
      if (others[at]?.[0] !== key) expect(key).toBe(others[at]?.[0])
      pairs.push([value, others[at]?.[1]])
    })
  }
}
