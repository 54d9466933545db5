import { expect, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { respond } from '../clusters/faults/faults.ts'
import { writes } from '../clusters/faults/requests.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { adminAccess, throughProxy } from '../clusters/test-client.ts'
import { at, aWriter } from './running-writer.ts'

const count = 1000

test('Conflicts, overload and server errors cost no Ingress its address and cause no extra write', async () => {
  const { proxy, access } = await throughProxy(sharedControlPlane())
  const { book, versions } = await aWriter(count, access)
  let writesSeen = 0
  const everyNth = (n: number) => (request: Parameters<ReturnType<typeof writes>>[0]) =>
    writes('ingresses')(request) && ++writesSeen % n === 0
  for (const [n, fault] of [
    [100, respond(409)],
    [150, respond(429, { retryAfter: 0 })],
    [130, respond(500)],
    [170, respond(503)],
  ] as const) {
    proxy.inject({ when: everyNth(n), fault, times: Number.POSITIVE_INFINITY })
  }
  const history = ['']
  for (const ip of ['10.0.0.1', '10.0.0.2', '10.0.0.3']) {
    history.push(ip)
    book.set('default', at(ip))
    await eventually(() => {
      expect(versions.size).toBe(count)
      for (const addresses of versions.values()) expect(addresses.at(-1)).toBe(ip)
    }, 60_000)
  }
  for (const addresses of versions.values()) expect(addresses).toEqual(history)
})

test('An address that changes faster than it can be written is written once, as it ends up', async () => {
  const { book, versions } = await aWriter(count, await adminAccess(sharedControlPlane()))
  const allSay = (ip: string) =>
    eventually(
      () => expect([...versions.values()].filter((each) => each.at(-1) === ip)).toHaveLength(count),
      60_000,
    )
  book.set('default', at('10.0.0.1'))
  await allSay('10.0.0.1')
  for (const ip of ['10.0.0.2', '10.0.0.3', '10.0.0.1', '10.0.0.4', '10.0.0.1']) book.set('default', at(ip))
  book.set('default', at('10.0.0.5'))
  await allSay('10.0.0.5')
  for (const addresses of versions.values()) expect(addresses).toEqual(['', '10.0.0.1', '10.0.0.5'])
})
