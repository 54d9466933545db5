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

it('after five rounds against the same rival we stand back, and then try again', () => {
  const contests = new Contests()
  const rival = writtenBy('nginx')
  for (let round = 0; round < 5; round++) {
    expect(contests.pauseBefore('ns/web', rival)).toBe(0)
    contests.wrote('ns/web')
  }
  expect(contests.pauseBefore('ns/web', rival)).toBe(5 * 60_000)
  expect(contests.pauseBefore('ns/web', rival)).toBe(0)
})

it('our own changes are no contest', () => {
  const contests = new Contests()
  for (let change = 0; change < 20; change++) {
    expect(contests.pauseBefore('ns/web', writtenBy(addressManager))).toBe(0)
    contests.wrote('ns/web')
  }
})

it('the rival is known by name', () => {
  expect(new Contests().rivalOf(writtenBy('nginx'))).toBe('nginx')
  expect(new Contests().rivalOf(writtenBy(addressManager))).toBeUndefined()
})
