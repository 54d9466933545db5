import { expect, it } from 'vitest'
import { decodeBody, jsonOfYaml } from './body-text.ts'

it('A body in YAML is read as YAML 1.1, except for times', () => {
  expect(jsonOfYaml('a: y\nb: 2001-12-14\nc: "y"\nd: 010\n')).toEqual({
    text: '{"a":true,"b":"2001-12-14","c":"y","d":8}',
    problems: [],
  })
})

it('A body in YAML with a duplicate key keeps the last, and strict validation reports it', () => {
  expect(jsonOfYaml('data:\n  a: b\n  a: c\n')).toEqual({
    text: '{"data":{"a":"c"}}',
    problems: ['yaml: unmarshal errors:\n  line 3: key "a" already set in map'],
  })
})

it('A body in YAML that is malformed is refused with the line', () => {
  expect(jsonOfYaml('a: [\n')).toMatchObject({ unreadable: { summary: '613a205b0a' } })
})

it('A body in protobuf that is empty or malformed is refused, whatever the request', () => {
  const type = 'application/vnd.kubernetes.protobuf'
  expect(decodeBody(Buffer.alloc(0), type).unreadable).toEqual({ cause: 'empty data', summary: '<empty>' })
  expect(decodeBody(Buffer.from('garbage'), type).unreadable).toMatchObject({ summary: '67617262616765' })
})
