import { stripVTControlCharacters } from 'node:util'
import type { Overview } from '@portcullis/operator'
import { expect, test } from 'vitest'
import { paint } from '../../io/colours.ts'
import { printedStatus } from './report.ts'

const now = new Date('2030-01-01T01:00:00Z')

const well: Overview = {
  name: 'edge',
  namespace: 'n',
  domain: 'apps.example',
  strategy: 'HostNetwork',
  scope: undefined,
  ports: [80, 443, 1936],
  addresses: ['192.0.2.1', '192.0.2.2'],
  available: 'True',
  degraded: 'False',
  routers: 2,
  ingresses: { count: 3, waiting: 1, excluded: 0 },
  pending: [],
  problems: [],
  isAnswered: true,
  isBeingDeleted: false,
}
const problem = {
  condition: 'PodsStarted',
  status: 'False',
  reason: 'RouterFails',
  since: '2030-01-01T00:55:00Z',
  message: 'Its last output: "\u001b[2Jgone".  To see its log: `kubectl logs x`',
  commands: ['kubectl logs x'],
  waitsForYou: false,
}

const text = (overviews: readonly Overview[], { wide = false, colours = false } = {}) =>
  printedStatus(overviews, 'n', now).table({ wide, paint: paint(colours) })

test('a table of what is published where', () => {
  expect(text([well]).split('\n')).toEqual([
    'NAME   STRATEGY      SCOPE   ADDRESS                AVAILABLE   INGRESSES',
    'edge   HostNetwork   -       192.0.2.1 and 1 more   yes         3 (1 without address)',
  ])
})

test.each([
  [{ count: 3, waiting: 0, excluded: 0 }, '3'],
  [{ count: 3, waiting: 0, excluded: 2 }, '3 (2 not selected)'],
  [{ count: 3, waiting: 1, excluded: 2 }, '3 (1 without address, 2 not selected)'],
])('of Ingresses %j it says: %s', (ingresses, expected) => {
  expect(text([{ ...well, ingresses }]).endsWith(`   yes         ${expected}`)).toBe(true)
})

test('wide tells every address, ports and domain', () => {
  const [, row] = text([well], { wide: true }).split('\n')
  expect(row).toMatch(/192\.0\.2\.1,192\.0\.2\.2 .* apps\.example +80,443,1936 +2 +False$/)
})

test('problems follow, with their commands on lines of their own, and nothing in them reaches the terminal', () => {
  const shown = text([{ ...well, available: 'False', problems: [problem] }])
  expect(shown).toContain('edge: PodsStarted=False (RouterFails, for 5m)')
  expect(shown).toContain('\n    (1)  kubectl logs x')
  expect(shown).toContain(String.raw`Its last output: "\u001b[2Jgone".`)
  expect(shown).not.toContain('\u001b')
})

test('an address or a name that gives orders is shown, not obeyed', () => {
  const orders = '\u001b]0;x\u0007'
  for (const field of ['name', 'strategy', 'scope', 'domain'] as const)
    expect(text([{ ...well, [field]: orders }], { wide: true })).not.toContain('\u001b')
  expect(text([{ ...well, addresses: [orders] }])).not.toContain('\u001b')
})

test('colours do not move columns', () => {
  const plain = text([well, { ...well, name: 'e', available: 'False' }])
  const coloured = text([well, { ...well, name: 'e', available: 'False' }], { colours: true })
  expect(coloured).not.toBe(plain)
  expect(stripVTControlCharacters(coloured)).toBe(plain)
})

test('where there are none, that is said', () => {
  expect(text([])).toBe('No IngressControllers found in namespace n.')
})

test('a change that waits, one that is under way, and a deletion read differently', () => {
  const waits = { ...problem, waitsForYou: true }
  expect(text([{ ...well, pending: [waits] }])).toContain('edge: waits for you')
  expect(text([{ ...well, pending: [problem] }])).toContain('edge: is progressing')
  expect(text([{ ...well, isBeingDeleted: true }])).toContain('edge: is being deleted')
  expect(text([{ ...well, isAnswered: false }])).toContain('the operator has not observed the last change')
})

test('a time that only Go can write is no reason to fail', () => {
  const shown = (since: string) => text([{ ...well, problems: [{ ...problem, since }] }])
  expect(shown('10000-01-01T22:59:59Z')).toContain('for 0s')
  expect(shown('tomorrow')).toContain('for an unknown time')
})
