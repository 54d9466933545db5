import { expect, test } from 'vitest'
import { find, listAt, readXml, textAt } from './xml.ts'

const answer = readXml(`<?xml version="1.0" encoding="utf-8"?>
<Response xmlns="http://example.com/doc/"><Groups><item><Id>sg-1</Id><Text>a &lt;b&gt; &amp; &#99;</Text></item>
<item><Id>sg-2</Id></item></Groups><Tags/><Next token="x" /></Response>`)

test('A response is parsed as elements with children or text', () => {
  expect(listAt(answer, 'Groups').map((group) => textAt(group, 'Id'))).toEqual(['sg-1', 'sg-2'])
  expect(textAt(answer, 'Groups', 'item', 'Text')).toBe('a <b> & c')
})

test('An empty element exists, and an absent one does not', () => {
  expect(find(answer, 'Tags')).toMatchObject({ children: [], text: '' })
  expect(listAt(answer, 'Rules')).toEqual([])
  expect(() => textAt(answer, 'Groups', 'Name')).toThrow('There is no <Groups> <Name> in <Response>.')
})

test('A truncated document is an error', () => {
  expect(() => readXml('<Response><Groups></Response>')).toThrow('no XML document')
  expect(() => readXml('Internal Server Error')).toThrow('no XML document')
})
