import type { Ingress } from 'kubernetes-types/networking/v1'
import { expect, it } from 'vitest'
import type { Stored } from '../kube/store.ts'
import { Contests } from './contests.ts'
import { addressManager } from './decide-ingress.ts'

const writtenBy = (manager: string) =>
  ({
    metadata: {
      managedFields: [
        {
          manager,
          subresource: 'status',
          fieldsV1: { 'f:status': { 'f:loadBalancer': { 'f:ingress': {} } } },
        },
      ],
    },
  }) as unknown as Stored<Ingress>

const now = new Date('2026-01-01T12:00:00Z')
const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000)

it('after five rounds against the same rival we stand back for five minutes, and then try again', () => {
  const contests = new Contests()
  const rival = writtenBy('nginx')
  for (let round = 0; round < 5; round++) {
    expect(contests.pauseBefore('write', 'ns/web', rival, now)).toBe(0)
    contests.did('write', 'ns/web')
  }
  expect(contests.pauseBefore('write', 'ns/web', rival, now)).toBe(5 * 60_000)
  expect(contests.pauseBefore('write', 'ns/web', rival, later(2))).toBe(3 * 60_000)
  expect(contests.pauseBefore('write', 'ns/web', rival, later(5))).toBe(0)
})

it('our own changes are no contest', () => {
  const contests = new Contests()
  for (let change = 0; change < 20; change++) {
    expect(contests.pauseBefore('write', 'ns/web', writtenBy(addressManager), now)).toBe(0)
    contests.did('write', 'ns/web')
  }
})

it('what we clear and find again each time, another Portcullis writes: from that we stand back as well', () => {
  const contests = new Contests()
  const sisters = writtenBy(addressManager)
  for (let round = 0; round < 5; round++) {
    expect(contests.pauseBefore('clear', 'ns/web', sisters, now)).toBe(0)
    contests.did('clear', 'ns/web')
  }
  expect(contests.pauseBefore('clear', 'ns/web', sisters, now)).toBe(5 * 60_000)
  expect(contests.pauseBefore('write', 'ns/web', sisters, now)).toBe(0)
})

it('the rival is known by name', () => {
  expect(new Contests().rivalOf(writtenBy('nginx'))).toBe('nginx')
  expect(new Contests().rivalOf(writtenBy(addressManager))).toBeUndefined()
})
