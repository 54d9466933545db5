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

it('After five writes against the same client the address writer backs off for five minutes, and then tries again', () => {
  const conflicts = new StatusConflicts('us')
  const otherWriter = writtenBy('nginx')
  for (let round = 0; round < 5; round++) {
    expect(conflicts.pauseBefore('ns/web', otherWriter, now)).toBe(0)
    conflicts.wrote('ns/web', now)
  }
  expect(conflicts.pauseBefore('ns/web', otherWriter, now)).toBe(5 * 60_000)
  expect(conflicts.pauseBefore('ns/web', otherWriter, later(2))).toBe(3 * 60_000)
  expect(conflicts.pauseBefore('ns/web', otherWriter, later(5))).toBe(0)
})

it('A conflicting client that is still there after the pause is overwritten once more, before the next pause', () => {
  const conflicts = new StatusConflicts('us')
  const otherWriter = writtenBy('nginx')
  for (let round = 0; round < 5; round++) conflicts.wrote('ns/web', now)
  conflicts.wrote('ns/web', later(5))
  expect(conflicts.pauseBefore('ns/web', otherWriter, later(5))).toBe(5 * 60_000)
  conflicts.wrote('ns/web', later(30))
  expect(conflicts.pauseBefore('ns/web', otherWriter, later(30))).toBe(0)
})

it('A clock that is set back makes no pause longer', () => {
  const conflicts = new StatusConflicts('us')
  for (let round = 0; round < 5; round++) conflicts.wrote('ns/web', later(600))
  expect(conflicts.pauseBefore('ns/web', writtenBy('nginx'), now)).toBe(0)
})

it('Our own changes of an address are no conflict', () => {
  const conflicts = new StatusConflicts('us')
  for (let change = 0; change < 20; change++) {
    expect(conflicts.pauseBefore('ns/web', writtenBy('us'), now)).toBe(0)
    conflicts.wrote('ns/web', now)
  }
})

it('A conflicting client is named by its field manager', () => {
  expect(new StatusConflicts('us').conflictingManager(writtenBy('nginx'))).toBe('nginx')
  expect(new StatusConflicts('us').conflictingManager(writtenBy('us'))).toBeUndefined()
})

it('A client that wrote something else, or has no field manager, is not in conflict', () => {
  const conflicts = new StatusConflicts('us')
  const somethingElse = { manager: 'tenant', ...status({ 'f:conditions': {} }) }
  expect(conflicts.conflictingManager(anIngress(somethingElse))).toBeUndefined()
  expect(conflicts.conflictingManager(anIngress(theAddress))).toBeUndefined()
  expect(
    conflicts.conflictingManager(anIngress(somethingElse, theAddress, { manager: 'nginx', ...theAddress })),
  ).toBe('nginx')
})

it.each([
  ['is gone', (conflicts: StatusConflicts) => conflicts.forget('ns/web')],
  ['belonged to an earlier term', (conflicts: StatusConflicts) => conflicts.forgetAll()],
  ['was ours for once', (conflicts: StatusConflicts) => conflicts.note('ns/web', writtenBy('us'))],
])('A conflict about an Ingress that %s is forgotten', (_, forget) => {
  const conflicts = new StatusConflicts('us')
  for (let round = 0; round < 5; round++) conflicts.wrote('ns/web', now)
  expect(conflicts.pauseBefore('ns/web', writtenBy('nginx'), now)).toBeGreaterThan(0)
  forget(conflicts)
  expect(conflicts.pauseBefore('ns/web', writtenBy('nginx'), now)).toBe(0)
})
