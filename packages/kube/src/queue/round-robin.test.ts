import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { RoundRobin } from './round-robin.ts'

type Operation = { readonly push: string } | 'shift'

const anyFlow = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const anyOperations: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(fc.record({ push: anyFlow }), fc.constant('shift' as const)),
  { maxLength: 60 },
)

interface Item {
  readonly flow: string
  readonly number: number
}

/** Plays operations; returns what waited in each flow before each shift, and what was shifted. */
function* played(operations: readonly Operation[]) {
  const queue = new RoundRobin<Item>()
  const waiting = new Map<string, Item[]>()
  let number = 0
  for (const operation of operations) {
    if (operation === 'shift') {
      const shifted = queue.shift()
      yield { waiting: new Map([...waiting].map(([flow, items]) => [flow, [...items]])), shifted }
      if (shifted !== undefined) waiting.get(shifted.flow)?.shift()
      if (shifted !== undefined && waiting.get(shifted.flow)?.length === 0) waiting.delete(shifted.flow)
    } else {
      const item = { flow: operation.push, number: number++ }
      queue.push(item, operation.push)
      waiting.set(operation.push, [...(waiting.get(operation.push) ?? []), item])
    }
    const all = [...waiting.values()]
    expect(queue.size).toBe(all.flat().length)
    const heads = all.flatMap(([first]) => first ?? [])
    expect(new Set(queue.heads())).toEqual(new Set(heads))
  }
}

it('A round robin keeps the order within each flow, and returns nothing only when nothing waits', () => {
  fc.assert(
    fc.property(anyOperations, (operations) => {
      for (const { waiting, shifted } of played(operations)) {
        if (shifted === undefined) expect(waiting.size).toBe(0)
        else expect(shifted).toBe(waiting.get(shifted.flow)?.[0])
      }
    }),
  )
})

it('A round robin serves every flow that waits before it serves any other twice', () => {
  fc.assert(
    fc.property(anyOperations, (operations) => {
      /** By flow that waits: who has been served since it began to. */
      const servedSince = new Map<string, Set<string>>()
      for (const { waiting, shifted } of played(operations)) {
        for (const flow of waiting.keys()) if (!servedSince.has(flow)) servedSince.set(flow, new Set())
        if (shifted === undefined) continue
        servedSince.delete(shifted.flow)
        for (const [flow, served] of servedSince) {
          if (!waiting.has(flow)) continue
          expect(served, `${flow} waits while ${shifted.flow} is served again`).not.toContain(shifted.flow)
          served.add(shifted.flow)
        }
      }
    }),
  )
})

it('A round robin is first in, first out where there is one flow', () => {
  const queue = new RoundRobin<number>()
  for (const number of [1, 2, 3]) queue.push(number, '')
  expect([queue.shift(), queue.shift(), queue.shift(), queue.shift()]).toEqual([1, 2, 3, undefined])
})

it('A round robin holds nothing of flows that are empty', () => {
  const queue = new RoundRobin<number>()
  for (let flow = 0; flow < 1000; flow++) queue.push(flow, String(flow))
  for (let flow = 0; flow < 999; flow++) queue.shift()
  expect([queue.size, ...queue.heads()]).toEqual([1, 999])
  queue.clear()
  expect([queue.size, ...queue.heads(), queue.shift()]).toEqual([0, undefined])
})
