import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { ConnectionBudget, type ConnectionLimits, defaultLimits } from './connection-budget.ts'

const limits: ConnectionLimits = {
  connections: 6,
  connectionsOfOnePeer: 3,
  rate: { perSecond: 40, burst: 20 },
  rateOfOnePeer: { perSecond: 10, burst: 8 },
  reserve: { perSecond: 8, burst: 6 },
  reserveOfOnePeer: { perSecond: 2, burst: 3 },
}

const anyHistory = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ from: fc.constantFrom('a', 'b', 'c', 'd') }) },
    { weight: 1, arbitrary: fc.record({ closes: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ passes: fc.nat(400) }) },
  ),
  { maxLength: 50 },
)

it('The budget of connections is never exceeded: by all, by one peer, or in a second', () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const budget = new ConnectionBudget<number>(limits)
      const open: { id: number; from: string }[] = []
      const admissions: { from: string; at: number }[] = []
      let now = 0
      for (const [id, step] of history.entries()) {
        if ('passes' in step) now += step.passes
        else if ('closes' in step) {
          for (const { id, from } of open.splice(step.closes, 1)) budget.release(id, from)
        } else {
          const { admitted, evicted } = budget.admit(id, step.from, now)
          const at = open.findIndex((each) => each.id === evicted)
          if (evicted !== undefined) expect(open.splice(at, 1)).toHaveLength(1)
          if (admitted) open.push({ id, from: step.from })
          if (admitted) admissions.push({ from: step.from, at: now })
        }
        expect(budget.open).toBe(open.length)
        expect(open.length).toBeLessThanOrEqual(limits.connections)
        const ofOnePeer = [...new Set(open.map(({ from }) => from))].map(
          (peer) => open.filter(({ from }) => from === peer).length,
        )
        expect(Math.max(0, ...ofOnePeer)).toBeLessThanOrEqual(limits.connectionsOfOnePeer)
      }
      const inTheLastSecond = (end: number, peer?: string) =>
        admissions.filter(({ from, at }) => at > end - 1000 && at <= end && (peer ?? from) === from).length
      for (const { from, at } of admissions) {
        expect(inTheLastSecond(at)).toBeLessThanOrEqual(
          limits.rate.burst + limits.rate.perSecond + limits.reserve.burst + limits.reserve.perSecond,
        )
        expect(inTheLastSecond(at, from)).toBeLessThanOrEqual(
          limits.rateOfOnePeer.burst + limits.rateOfOnePeer.perSecond,
        )
      }
    }),
  )
})

it('The budget has room for a peer that asks little, whatever one other does', () => {
  const budget = new ConnectionBudget<string>()
  for (let second = 0; second < 60; second++) {
    for (let number = 0; number < 2_000; number++)
      budget.admit(`flood ${second} ${number}`, '10.0.0.66', second * 1000)
    expect(budget.admit(`probe ${second}`, '10.0.0.1', second * 1000 + 1).admitted).toBe(true)
    budget.release(`probe ${second}`, '10.0.0.1')
  }
})

it.each([11, 20, 90])('The budget has room for a peer that asks little, whatever %d others do', (others) => {
  const budget = new ConnectionBudget<string>()
  const flood = Array.from({ length: others }, (_, number) => `10.0.1.${number}`)
  for (let second = 0; second < 60; second++) {
    for (let number = 0; number < 100; number++)
      for (const address of flood) budget.admit(`${address} ${second} ${number}`, address, second * 1000)
    for (const path of ['healthz', 'readyz']) {
      const probe = `${path} ${second}`
      expect(budget.admit(probe, '10.0.0.1', second * 1000 + 1).admitted, probe).toBe(true)
      budget.release(probe, '10.0.0.1')
    }
  }
})

it('The budget lets in no more than the rate and the reserve, however many addresses ask', () => {
  const budget = new ConnectionBudget<number>()
  const seconds = 10
  let admitted = 0
  for (let number = 0; number < seconds * 5_000; number++)
    if (budget.admit(number, `10.0.${number % 5_000}`, Math.floor(number / 5)).admitted) admitted++
  const { rate, reserve } = defaultLimits
  expect(admitted).toBeLessThanOrEqual(
    rate.burst + reserve.burst + seconds * (rate.perSecond + reserve.perSecond),
  )
})

it('The budget closes the oldest connection of the peer that has most, when there is no room for another peer', () => {
  const budget = new ConnectionBudget<string>({ ...limits, connectionsOfOnePeer: 5 })
  for (const id of ['1', '2', '3', '4']) budget.admit(id, 'greedy', 0)
  for (const id of ['a', 'b']) budget.admit(id, 'modest', 0)
  expect(budget.admit('new', 'other', 0)).toEqual({ admitted: true, evicted: '1' })
})

it('The budget lets the newest connection of a peer replace its oldest, so that idle connections do not shut out a probe', () => {
  const budget = new ConnectionBudget<string>(limits)
  for (const id of ['1', '2', '3']) budget.admit(id, 'peer', 0)
  expect(budget.admit('4', 'peer', 0)).toEqual({ admitted: true, evicted: '1' })
})

it('The budget keeps a record of a thousand peers at most, and of none without need', () => {
  const budget = new ConnectionBudget<number>({ ...defaultLimits, rate: { perSecond: 1e6, burst: 1e6 } })
  for (let number = 0; number < 5_000; number++) {
    budget.admit(number, `10.${number}`, 0)
    budget.release(number, `10.${number}`)
  }
  expect([budget.peers, budget.open]).toEqual([1_000, 0])
})

it('The budget closes a connection of the peer that has been silent longest, where all have equally many', () => {
  const budget = new ConnectionBudget<string>(limits)
  for (const id of ['1', '2', '3', '4', '5', '6']) budget.admit(id, `peer ${id}`, 0)
  expect(budget.admit('7', 'peer 7', 0)).toEqual({ admitted: true, evicted: '1' })
  expect(budget.open).toBe(6)
})

it('The budget counts down when connections close or give way, and does not when one closes twice', () => {
  const budget = new ConnectionBudget<string>(limits)
  for (const id of ['1', '2', '3', '4']) budget.admit(id, 'peer', 0)
  expect(budget.open).toBe(3)
  for (const id of ['1', '4', '4']) budget.release(id, 'peer')
  expect(budget.open).toBe(2)
  budget.release('2', 'another')
  expect(budget.open).toBe(2)
})

it('The budget keeps the record of a peer as long as it asks or has a connection, however many others come', () => {
  const wide = { perSecond: 0, burst: 1e6 }
  const budget = new ConnectionBudget<string>({
    ...defaultLimits,
    rate: wide,
    rateOfOnePeer: { perSecond: 0, burst: 1 },
  })
  const crowd = (name: string, count: number) => {
    for (let number = 0; number < count; number++) {
      budget.admit(`${name} ${number}`, `${name} ${number}`, 0)
      budget.release(`${name} ${number}`, `${name} ${number}`)
    }
  }
  budget.admit('held', 'holder', 0)
  budget.admit('first', 'asker', 0)
  budget.release('first', 'asker')
  crowd('early', 600)
  expect(budget.admit('second', 'asker', 0).admitted).toBe(false)
  crowd('late', 600)
  expect(budget.admit('third', 'asker', 0).admitted).toBe(false)
  budget.release('held', 'holder')
  expect(budget.open).toBe(0)
})

it('The budget lets in, by default, 40 connections of one peer at once and 20 a second', () => {
  expect(admittedBySecond(1, 100)).toEqual([40, 20])
})

it('The budget lets in, by default, 400 connections at once and 200 a second, and a few of a peer that then comes', () => {
  expect(admittedBySecond(11, 100)).toEqual([404, 202])
})

it('The budget lets in, by default, 800 connections at once and 400 a second of many peers', () => {
  expect(admittedBySecond(1_000, 1)).toEqual([800, 400])
})

it('The budget holds 50 connections open by default, ten of one peer', () => {
  const budget = new ConnectionBudget<number>()
  for (let number = 0; number < 11; number++) budget.admit(number, 'greedy', 0)
  expect(budget.open).toBe(10)
  for (let number = 11; number < 100; number++) budget.admit(number, `peer ${number}`, 0)
  expect(budget.open).toBe(50)
})

/** How many connections are let in at once, and again a second later, when so many peers ask one after the other. */
function admittedBySecond(peers: number, times: number): number[] {
  const budget = new ConnectionBudget<string>()
  return [0, 1000].map((now) => {
    let admitted = 0
    for (let peer = 0; peer < peers; peer++)
      for (let time = 0; time < times; time++)
        if (budget.admit(`${now} ${peer} ${time}`, `10.0.0.${peer}`, now).admitted) admitted++
    return admitted
  })
}
