import { expect, it } from 'vitest'
import { VirtualClock } from '../../test/virtual-clock.ts'
import { AddressBook } from './address-book.ts'

const at = (ip: string) => ({ addresses: [{ ip }], lostSince: undefined })

function aBook() {
  const clock = new VirtualClock()
  const book = new AddressBook(clock)
  const told: string[] = []
  book.subscribe((controller) =>
    told.push(`${controller} ${book.get(controller)?.addresses[0]?.ip ?? 'nowhere'}`),
  )
  return { clock, book, told }
}

it('the first address is told at once', () => {
  const { book, told } = aBook()
  book.set('default', at('10.0.0.1'))
  expect(told).toEqual(['default 10.0.0.1'])
})

it('an address that goes and comes back in no time was never away', async () => {
  const { clock, book, told } = aBook()
  book.set('default', at('10.0.0.1'))
  book.set('default', at('10.0.0.2'))
  book.set('default', at('10.0.0.1'))
  await clock.advance(1000)
  expect(told).toEqual(['default 10.0.0.1'])
})

it('a change is told once it has settled, and counts the time since', async () => {
  const { clock, book, told } = aBook()
  book.set('default', at('10.0.0.1'))
  await clock.advance(1000)
  book.set('default', at('10.0.0.2'))
  await clock.advance(50)
  expect(told).toEqual(['default 10.0.0.1', 'default 10.0.0.2'])
  await clock.advance(500)
  expect(book.lagOf('default', new Date(0))).toBe(500)
  expect(book.lagOf('default', clock.now())).toBeUndefined()
})

it('what is set again as it was is not told', async () => {
  const { clock, book, told } = aBook()
  book.set('default', at('10.0.0.1'))
  book.set('default', at('10.0.0.1'))
  await clock.advance(1000)
  expect(told).toHaveLength(1)
})

it('since when there is no address is remembered, until there is one again', async () => {
  const { clock, book } = aBook()
  const lost = clock.now()
  book.setLost('default')
  await clock.advance(5000)
  book.setLost('default', { isGone: true })
  await clock.advance(1000)
  expect(book.get('default')).toEqual({ addresses: [], lostSince: lost, isGone: true })
  book.set('default', at('10.0.0.1'))
  book.setLost('default')
  await clock.advance(1000)
  expect(book.get('default')?.lostSince).toEqual(new Date(lost.getTime() + 6000))
})

it('a controller that nobody asks for any more is forgotten, and told of once', async () => {
  const { clock, book, told } = aBook()
  book.set('default', at('10.0.0.1'))
  book.forget('default')
  await clock.advance(1000)
  book.forget('default')
  book.forget('never-there')
  await clock.advance(1000)
  expect(told).toEqual(['default 10.0.0.1', 'default nowhere'])
  expect(book.get('default')).toBeUndefined()
  expect(book.lagOf('default', new Date(0))).toBeUndefined()
})

it('one that comes back before that is told was never away', async () => {
  const { clock, book, told } = aBook()
  book.set('default', at('10.0.0.1'))
  book.forget('default')
  book.set('default', at('10.0.0.1'))
  await clock.advance(1000)
  expect(told).toEqual(['default 10.0.0.1'])
})
