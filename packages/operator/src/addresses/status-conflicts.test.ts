import type { Cached } from '@portcullis/kube'
import type { Ingress } from 'kubernetes-types/networking/v1'
import { expect, it } from 'vitest'
import { StatusConflicts } from './status-conflicts.ts'

const anIngress = (...managedFields: object[]) =>
  ({ metadata: { managedFields } }) as unknown as Cached<Ingress>

const status = (fields: object) => ({ subresource: 'status', fieldsV1: { 'f:status': fields } })
const theAddress = status({ 'f:loadBalancer': { 'f:ingress': {} } })

const writtenBy = (manager: string) => anIngress({ manager, ...theAddress })

const now = new Date('2026-01-01T12:00:00Z')
const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000)

it('after five rounds against the same rival we stand back for five minutes, and then try again', () => {
  const contests = new StatusConflicts('us')
  const rival = writtenBy('nginx')
  for (let round = 0; round < 5; round++) {
    expect(contests.pauseBefore('ns/web', rival, now)).toBe(0)
    contests.wrote('ns/web', now)
  }
  expect(contests.pauseBefore('ns/web', rival, now)).toBe(5 * 60_000)
  expect(contests.pauseBefore('ns/web', rival, later(2))).toBe(3 * 60_000)
  expect(contests.pauseBefore('ns/web', rival, later(5))).toBe(0)
})

it('a rival who still is there then gets one answer, and we stand back again', () => {
  const contests = new StatusConflicts('us')
  const rival = writtenBy('nginx')
  for (let round = 0; round < 5; round++) contests.wrote('ns/web', now)
  contests.wrote('ns/web', later(5))
  expect(contests.pauseBefore('ns/web', rival, later(5))).toBe(5 * 60_000)
  contests.wrote('ns/web', later(30))
  expect(contests.pauseBefore('ns/web', rival, later(30))).toBe(0)
})

it('a clock that is set back makes nobody stand back for longer', () => {
  const contests = new StatusConflicts('us')
  for (let round = 0; round < 5; round++) contests.wrote('ns/web', later(600))
  expect(contests.pauseBefore('ns/web', writtenBy('nginx'), now)).toBe(0)
})

it('our own changes are no contest', () => {
  const contests = new StatusConflicts('us')
  for (let change = 0; change < 20; change++) {
    expect(contests.pauseBefore('ns/web', writtenBy('us'), now)).toBe(0)
    contests.wrote('ns/web', now)
  }
})

it('the rival is known by name', () => {
  expect(new StatusConflicts('us').conflictingManager(writtenBy('nginx'))).toBe('nginx')
  expect(new StatusConflicts('us').conflictingManager(writtenBy('us'))).toBeUndefined()
})

it('whoever wrote something else, or has no name, is no rival', () => {
  const contests = new StatusConflicts('us')
  const somethingElse = { manager: 'tenant', ...status({ 'f:conditions': {} }) }
  expect(contests.conflictingManager(anIngress(somethingElse))).toBeUndefined()
  expect(contests.conflictingManager(anIngress(theAddress))).toBeUndefined()
  expect(
    contests.conflictingManager(anIngress(somethingElse, theAddress, { manager: 'nginx', ...theAddress })),
  ).toBe('nginx')
})

it.each([
  ['is gone', (contests: StatusConflicts) => contests.forget('ns/web')],
  ['belonged to an earlier term', (contests: StatusConflicts) => contests.forgetAll()],
  ['was ours for once', (contests: StatusConflicts) => contests.pauseBefore('ns/web', writtenBy('us'), now)],
])('a contest for an Ingress that %s is forgotten', (_, forget) => {
  const contests = new StatusConflicts('us')
  for (let round = 0; round < 5; round++) contests.wrote('ns/web', now)
  expect(contests.pauseBefore('ns/web', writtenBy('nginx'), now)).toBeGreaterThan(0)
  forget(contests)
  expect(contests.pauseBefore('ns/web', writtenBy('nginx'), now)).toBe(0)
})
