import { expect, test } from 'vitest'
import { parseResolver } from './ask.ts'
import { checkRecords } from './check-records.ts'
import { namesOf } from './cluster-names.ts'
import type { DnsAnswer, DnsResult } from './dns-answer.ts'

const resolver = '192.0.2.53'
const cluster = {
  domain: 'edge.example.com',
  apiVips: ['192.0.2.10'],
  ingressVips: ['192.0.2.11'],
  nodesAskOutside: true,
}
const none: DnsResult = { kind: 'no-such-name' }
const noRecord: DnsResult = { kind: 'no-record' }
const to = (...addresses: string[]): DnsResult => ({ kind: 'addresses', addresses })

type ResultsByUse = Partial<Record<'api' | 'api-int' | 'apps', readonly [DnsResult, DnsResult]>>

/** Right answers, but for those that are given: A and AAAA. */
function checked(results: ResultsByUse, about: Partial<typeof cluster> = {}) {
  const names = namesOf({ ...cluster, ...about }, () => 0.5)
  const right: Required<ResultsByUse> = {
    api: [to('192.0.2.10'), noRecord],
    'api-int': [to('192.0.2.10'), noRecord],
    apps: [to('192.0.2.11'), noRecord],
  }
  const answers = names.flatMap(({ use, name }): DnsAnswer[] => {
    const [a, aaaa] = { ...right, ...results }[use]
    return [
      { resolver, name, type: 'A', outcome: a },
      { resolver, name, type: 'AAAA', outcome: aaaa },
    ]
  })
  return checkRecords(names, answers).map(({ rule, severity, name }) => `${severity} ${rule} ${name?.use}`)
}

test('Names that lead to their virtual IPs are right', () => {
  expect(checked({})).toEqual([])
})

test('The name of an application is random, below apps', () => {
  const [, , apps] = namesOf(cluster, () => 0.5)
  expect(apps?.name).toMatch(/^portcullis-[0-9a-z]{6}\.apps\.edge\.example\.com$/)
  expect(namesOf(cluster, () => 0)[2]?.name).not.toBe(apps?.name)
})

test.each([
  ['a name that is not known', { api: [none, none] }, ['error dns-name-missing api']],
  ['a name without records', { api: [noRecord, noRecord] }, ['error dns-name-missing api']],
  ['no wildcard', { apps: [none, none] }, ['error dns-wildcard-missing apps']],
  ['another address', { api: [to('192.0.2.99'), noRecord] }, ['error dns-wrong-address api']],
  ['one too many', { api: [to('192.0.2.10', '192.0.2.9'), noRecord] }, ['error dns-wrong-address api']],
  [
    'an address of the other family that nobody serves',
    { apps: [to('192.0.2.11'), to('2001:db8::1')] },
    ['error dns-wrong-address apps'],
  ],
  [
    'api-int elsewhere than api',
    { 'api-int': [to('192.0.2.99'), noRecord] },
    ['error dns-api-int-elsewhere api-int'],
  ],
  ['a refusal', { api: [{ kind: 'failed', code: 'EREFUSED' }, noRecord] }, ['error dns-failed api']],
] satisfies [string, ResultsByUse, string[]][])('%s is found', (_, results, found) => {
  expect(checked(results)).toEqual(found)
})

test('A resolver that refuses everything is one problem', () => {
  const refusal: DnsResult = { kind: 'failed', code: 'EREFUSED' }
  const refused = [refusal, refusal] as const
  expect(checked({ api: refused, 'api-int': refused, apps: refused })).toEqual(['error dns-failed undefined'])
})

test('A resolver that never answers is one problem, not one for each name', () => {
  const silent: DnsResult = { kind: 'silent' }
  const nothing = [silent, silent] as const
  expect(checked({ api: nothing, 'api-int': nothing, apps: nothing })).toEqual(['error dns-silent undefined'])
})

test('The name api-int may be missing where nodes resolve it themselves', () => {
  expect(checked({ 'api-int': [none, none] }, { nodesAskOutside: false })).toEqual([
    'warning dns-name-missing api-int',
  ])
})

test('Both families must be there where there are two virtual IPs, however they are written', () => {
  const both = { apiVips: ['192.0.2.10', '2001:db8:0::10'] }
  const right = [to('192.0.2.10'), to('2001:db8::10')] as const
  expect(checked({ api: right, 'api-int': right }, both)).toEqual([])
  expect(checked({ 'api-int': right }, both)).toEqual(['error dns-wrong-address api'])
})

test('Without known virtual IPs, names must resolve, and both names of the API to the same addresses', () => {
  const unknown = { apiVips: [], ingressVips: [] }
  expect(checked({}, unknown)).toEqual([])
  expect(checked({ 'api-int': [to('192.0.2.99'), noRecord] }, unknown)).toEqual([
    'error dns-api-int-elsewhere api-int',
  ])
  expect(checked({ apps: [none, none] }, unknown)).toEqual(['error dns-wildcard-missing apps'])
})

test.each(['192.0.2.53', '192.0.2.53:5353', '2001:db8::53', '[2001:db8::53]:5353'])(
  '%s is a resolver',
  (text) => {
    expect(parseResolver(text)).toBe(text)
  },
)

test.each(['dns.example.com', '192.0.2.53:0', '192.0.2.53:99999', '[192.0.2.53]:53', ''])(
  '"%s" is not a resolver',
  (text) => {
    expect(parseResolver(text)).toBeUndefined()
  },
)
