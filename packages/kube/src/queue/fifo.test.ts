import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { Fifo } from './fifo.ts'

it('A Fifo equals a plain array, pushed at one end and shifted at the other', () => {
  const operations = fc.array(fc.oneof(fc.nat(), fc.constant('shift' as const)))
  fc.assert(
    fc.property(operations, (operations) => {
      const fifo = new Fifo<number>()
      const plain: number[] = []
      for (const operation of operations) {
        if (operation === 'shift') expect(fifo.shift()).toBe(plain.shift())
        else {
          fifo.push(operation)
          plain.push(operation)
        }
        expect([fifo.size, fifo.first]).toEqual([plain.length, plain[0]])
      }
      fifo.clear()
      expect([fifo.size, fifo.first, fifo.shift()]).toEqual([0, undefined, undefined])
    }),
  )
})
