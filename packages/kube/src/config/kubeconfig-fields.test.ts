import { expect, it } from 'vitest'
import { problemsIn } from '../testing/kubeconfig-problems.ts'
import { Problems } from './kubeconfig-error.ts'
import { Fields, isMapping } from './kubeconfig-fields.ts'

/** Reads the field "f" of a mapping: what came of it, and what was complained about. */
function read<T>(value: unknown, reader: (fields: Fields) => T) {
  const problems = new Problems()
  const fields = new Fields({ source: 'config', path: 'users[0]' }, { f: value }, problems)
  const result = reader(fields)
  return { result, problems: problemsIn(problems) }
}

const at = (what: string, path = 'f') => [`config: users[0].${path}: ${what}`]

it.each([
  { value: 'abc', result: 'abc', problems: [] },
  { value: '', result: undefined, problems: [] },
  { value: null, result: undefined, problems: [] },
  { value: undefined, result: undefined, problems: [] },
  { value: 5, result: undefined, problems: at('must be text, but is a number; put it in quotes') },
  { value: 0, result: undefined, problems: at('must be text, but is a number; put it in quotes') },
  { value: false, result: undefined, problems: at('must be text, but is a boolean; put it in quotes') },
  { value: ['a'], result: undefined, problems: at('must be text, but is a list') },
  { value: { a: 1 }, result: undefined, problems: at('must be text, but is a mapping') },
])('A text field is $result when $value is written', ({ value, ...expected }) => {
  expect(read(value, (fields) => fields.text('f'))).toEqual(expected)
})

it.each(['toString', 'constructor', '__proto__'])(
  'A text field is not set unless it is written, even if every object has a property of its name: %s',
  (name) => {
    expect(read('', (fields) => fields.text(name))).toEqual({ result: undefined, problems: [] })
  },
)

it.each([
  { value: true, result: true, problems: [] },
  { value: false, result: false, problems: [] },
  { value: null, result: false, problems: [] },
  { value: undefined, result: false, problems: [] },
  { value: 'true', result: false, problems: at('must be true or false, but is text') },
  { value: 1, result: false, problems: at('must be true or false, but is a number') },
])('A boolean field is $result when $value is written', ({ value, ...expected }) => {
  expect(read(value, (fields) => fields.flag('f'))).toEqual(expected)
})

it.each([
  { value: ['a', '', 'b'], result: ['a', '', 'b'], problems: [] },
  { value: [], result: [], problems: [] },
  { value: null, result: [], problems: [] },
  { value: ['a', 5, 'b'], result: ['a', 'b'], problems: at('must be text, but is a number', 'f[1]') },
  { value: [null], result: [], problems: at('must be text, but is empty', 'f[0]') },
  { value: [undefined], result: [], problems: at('must be text, but is empty', 'f[0]') },
  { value: 'a', result: [], problems: at('must be a list, but is text') },
  { value: { a: 1 }, result: [], problems: at('must be a list, but is a mapping') },
])('A field with a list of texts is $result when $value is written', ({ value, ...expected }) => {
  expect(read(value, (fields) => fields.texts('f'))).toEqual(expected)
})

it.each([
  { value: { b: 'x', a: 'y' }, result: ['b', 'a'], problems: [] },
  { value: {}, result: [], problems: [] },
  { value: null, result: undefined, problems: [] },
  { value: [], result: undefined, problems: at('must be a mapping, but is a list') },
  { value: 'a', result: undefined, problems: at('must be a mapping, but is text') },
])('A field with a mapping has the fields $result when $value is written', ({ value, ...expected }) => {
  expect(read(value, (fields) => fields.mapping('f')?.names())).toEqual(expected)
})

it('A field with a mapping reports the problems of its own fields with their whole path', () => {
  expect(read({ a: 5 }, (fields) => fields.mapping('f')?.text('a')).problems).toEqual(
    at('must be text, but is a number; put it in quotes', 'f.a'),
  )
})

it('A list of mappings leaves out items that are not mappings, and reports them and the problems of the others', () => {
  const written = [{ a: 'x' }, null, { a: 5 }, { a: 'y' }]
  expect(read(written, (fields) => fields.mappings('f').map((each) => each.text('a')))).toEqual({
    result: ['x', undefined, 'y'],
    problems: [
      ...at('must be a mapping, but is empty', 'f[1]'),
      ...at('must be text, but is a number; put it in quotes', 'f[2].a'),
    ],
  })
})

it.each([
  [{}, true],
  [[], false],
  [null, false],
  [undefined, false],
  ['text', false],
])('%j is a mapping: %s', (value, expected) => expect(isMapping(value)).toBe(expected))
