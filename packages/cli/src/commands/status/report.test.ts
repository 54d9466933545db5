import { stripVTControlCharacters } from 'node:util'
import type { Overview } from '@portcullis/operator'
import { expect, test } from 'vitest'
import { paint } from '../../io/colours.ts'
import { printedStatus } from './report.ts'

const now = new Date('2030-01-01T01:00:00Z')

const healthy: Overview = {
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

test('The table shows each IngressController with strategy, scope, address and Ingresses', () => {
  expect(text([healthy]).split('\n')).toEqual([
    'NAME   STRATEGY      SCOPE   ADDRESS                AVAILABLE   INGRESSES',
    'edge   HostNetwork   -       192.0.2.1 and 1 more   yes         3 (1 without address)',
  ])
})

test.each([
  [{ count: 3, waiting: 0, excluded: 0 }, '3'],
  [{ count: 3, waiting: 0, excluded: 2 }, '3 (2 not selected)'],
  [{ count: 3, waiting: 1, excluded: 2 }, '3 (1 without address, 2 not selected)'],
])('The table shows the Ingresses %j as: %s', (ingresses, expected) => {
  expect(text([{ ...healthy, ingresses }]).endsWith(`   yes         ${expected}`)).toBe(true)
})

test('The wide table shows every address, the ports and the domain', () => {
  const [, row] = text([healthy], { wide: true }).split('\n')
  expect(row).toMatch(/192\.0\.2\.1,192\.0\.2\.2 .* apps\.example +80,443,1936 +2 +False$/)
})

test('A problem follows the table, with its commands on lines of their own and its control characters escaped', () => {
  const shown = text([{ ...healthy, available: 'False', problems: [problem] }])
  expect(shown).toContain('edge: PodsStarted=False (RouterFails, for 5m)')
  expect(shown).toContain('\n    (1)  kubectl logs x')
  expect(shown).toContain(String.raw`Its last output: "\u001b[2Jgone".`)
  expect(shown).not.toContain('\u001b')
})

test('Control characters in an address or a name are escaped', () => {
  const controlSequence = '\u001b]0;x\u0007'
  for (const field of ['name', 'strategy', 'scope', 'domain'] as const)
    expect(text([{ ...healthy, [field]: controlSequence }], { wide: true })).not.toContain('\u001b')
  expect(text([{ ...healthy, addresses: [controlSequence] }])).not.toContain('\u001b')
})

test('Colours do not change the width of columns', () => {
  const plain = text([healthy, { ...healthy, name: 'e', available: 'False' }])
  const coloured = text([healthy, { ...healthy, name: 'e', available: 'False' }], { colours: true })
  expect(coloured).not.toBe(plain)
  expect(stripVTControlCharacters(coloured)).toBe(plain)
})

test('The report says that there are no IngressControllers', () => {
  expect(text([])).toBe('No IngressControllers found in namespace n.')
})

test('The report distinguishes a change that waits, one that progresses, and a deletion', () => {
  const waits = { ...problem, waitsForYou: true }
  expect(text([{ ...healthy, pending: [waits] }])).toContain('edge: waits for you')
  expect(text([{ ...healthy, pending: [problem] }])).toContain('edge: is progressing')
  expect(text([{ ...healthy, isBeingDeleted: true }])).toContain('edge: is being deleted')
  expect(text([{ ...healthy, isAnswered: false }])).toContain('the operator has not observed the last change')
})

test('The report does not fail on a time that JavaScript cannot parse', () => {
  const shown = (since: string) => text([{ ...healthy, problems: [{ ...problem, since }] }])
  expect(shown('10000-01-01T22:59:59Z')).toContain('for 0s')
  expect(shown('tomorrow')).toContain('for an unknown time')
})
