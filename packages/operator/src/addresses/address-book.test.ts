import { VirtualClock } from '@portcullis/kube/testing'
import { expect, it, onTestFinished, vi } from 'vitest'
import { AddressBook, type AddressSource } from './address-book.ts'

const at = (ip: string) => ({ addresses: [{ ip }] })

const nowhere = { addresses: [] }

function aBook() {
  const clock = new VirtualClock()
  const book = new AddressBook(clock)
  const notified: string[] = []
  book.subscribe((controller) =>
    notified.push(`${String(controller)} ${book.get(controller)?.addresses[0]?.ip ?? 'nowhere'}`),
  )
  return { clock, book, notified }
}

it('The address book publishes the first address at once', () => {
  const { book, notified } = aBook()
  book.set('default', at('10.0.0.1'))
  expect(notified).toEqual(['default 10.0.0.1'])
})

it('The address book does not publish the loss of an address that comes back at once', async () => {
  const { clock, book, notified } = aBook()
  book.set('default', at('10.0.0.1'))
  book.set('default', at('10.0.0.2'))
  book.set('default', at('10.0.0.1'))
  await clock.advance(1000)
  expect(notified).toEqual(['default 10.0.0.1'])
})

it('The address book publishes a change once it has settled, and counts the time since', async () => {
  const { clock, book, notified } = aBook()
  book.set('default', at('10.0.0.1'))
  await clock.advance(1000)
  book.set('default', at('10.0.0.2'))
  await clock.advance(50)
  expect(notified).toEqual(['default 10.0.0.1', 'default 10.0.0.2'])
  await clock.advance(500)
  expect(book.lagOf('default', new Date(0))).toBe(500)
  expect(book.lagOf('default', clock.now())).toBeUndefined()
})

it('An Ingress that was created with the change of addresses, or after it, has no lag', async () => {
  const { clock, book } = aBook()
  book.set('default', at('10.0.0.1'))
  const changed = clock.now().getTime()
  await clock.advance(500)
  expect(book.lagOf('default', new Date(changed - 1))).toBe(500)
  expect(book.lagOf('default', new Date(changed))).toBeUndefined()
  expect(book.lagOf('default', new Date(changed + 1))).toBeUndefined()
})

it('The address book does not publish an entry that is set again as it was', async () => {
  const { clock, book, notified } = aBook()
  book.set('default', at('10.0.0.1'))
  book.set('default', at('10.0.0.1'))
  await clock.advance(1000)
  expect(notified).toHaveLength(1)
})

it('The address book remembers since when there has been no address, until there is one again', async () => {
  const { clock, book } = aBook()
  const lost = clock.monotonic()
  book.set('default', nowhere)
  await clock.advance(5000)
  book.set('default', { ...nowhere, isGone: true })
  await clock.advance(1000)
  expect(book.get('default')).toEqual({ addresses: [], lostSince: lost, isGone: true })
  book.set('default', at('10.0.0.1'))
  book.set('default', nowhere)
  await clock.advance(1000)
  expect(book.get('default')?.lostSince).toBe(lost + 6000)
})

it('The address book publishes once that it has forgotten a controller', async () => {
  const { clock, book, notified } = aBook()
  book.set('default', at('10.0.0.1'))
  book.forget('default')
  await clock.advance(1000)
  book.forget('default')
  book.forget('never-there')
  await clock.advance(1000)
  expect(notified).toEqual(['default 10.0.0.1', 'default nowhere'])
  expect(book.get('default')).toBeUndefined()
  expect(book.lagOf('default', new Date(0))).toBeUndefined()
})

it('The address book does not publish a controller that is forgotten and set again at once', async () => {
  const { clock, book, notified } = aBook()
  book.set('default', at('10.0.0.1'))
  book.forget('default')
  book.set('default', at('10.0.0.1'))
  await clock.advance(1000)
  expect(notified).toEqual(['default 10.0.0.1'])
})

it('The address book publishes a status conflict of a controller when it begins and when it is over', () => {
  const { book } = aBook()
  const notified: string[] = []
  const stop = book.subscribeToConflicts((controller) => notified.push(controller))
  book.setConflict('default', 'ns/one', 'rival')
  book.setConflict('default', 'ns/one', 'rival')
  book.setConflict('default', 'ns/two', 'other')
  expect(notified).toEqual(['default', 'default'])
  expect([...book.conflictsOf('default')]).toEqual([
    ['ns/one', 'rival'],
    ['ns/two', 'other'],
  ])
  expect([...book.conflictsOf('another')]).toEqual([])
  book.clearConflicts('ns/one')
  expect([...book.conflictsOf('default')]).toEqual([['ns/two', 'other']])
  stop()
  book.setConflict('default', 'ns/two', undefined)
  expect([...book.conflictsOf('default')]).toEqual([])
  expect(notified).toEqual(['default', 'default', 'default'])
})

it('The status conflicts that the address book returns do not change later', () => {
  const { book } = aBook()
  book.setConflict('default', 'ns/one', 'rival')
  const before = book.conflictsOf('default')
  book.setConflict('default', 'ns/two', 'rival')
  book.setConflict('default', 'ns/one', undefined)
  expect([...before.keys()]).toEqual(['ns/one'])
  expect([...book.conflictsOf('default').keys()]).toEqual(['ns/two'])
})

it('To set a status conflict takes the same few steps however many there are', () => {
  const { book } = aBook()
  const set = vi.spyOn(Map.prototype, 'set')
  onTestFinished(() => set.mockRestore())
  for (let at = 0; at < 100; at++) book.setConflict('default', `ns/${at}`, 'rival')
  const steps = set.mock.calls.length
  set.mockRestore()
  expect(steps).toBeLessThanOrEqual(200)
  expect(book.conflictsOf('default').size).toBe(100)
})

it('The address book calls back nobody who has unsubscribed, and forgets everything when it is cleared', async () => {
  const { clock, book } = aBook()
  const notified: AddressSource[] = []
  const stop = book.subscribe((source) => notified.push(source))
  book.set('default', at('10.0.0.1'))
  book.setConflict('default', 'ns/one', 'rival')
  stop()
  book.clear()
  expect(book.get('default')).toBeUndefined()
  expect([...book.conflictsOf('default')]).toEqual([])
  book.set('default', at('10.0.0.2'))
  await clock.advance(1000)
  expect(notified).toEqual(['default'])
})

it('The address book publishes that a controller is gone, has lost its address anew, or serves other Ingresses', async () => {
  const { clock, book, notified } = aBook()
  const changes = async (change: () => void) => {
    const before = notified.length
    change()
    await clock.advance(1000)
    return notified.length - before
  }
  book.set('default', nowhere)
  expect(await changes(() => book.set('default', { ...nowhere, isGone: true }))).toBe(1)
  const back = () => {
    book.set('default', at('10.0.0.1'))
    book.set('default', { ...nowhere, isGone: true })
  }
  expect(await changes(back)).toBe(1)
  const shard = { routeSelector: { matchLabels: { a: 'b' } } }
  expect(await changes(() => book.set('default', { ...nowhere, isGone: true, shard }))).toBe(1)
})
