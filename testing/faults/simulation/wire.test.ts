import { describe, expect, it } from 'vitest'
import { User } from '../user.ts'
import { Simulation } from './simulation.ts'
import type { Interference } from './wire.ts'

const strategy = { type: 'Private', private: { protocol: 'TCP' } }

describe('The wire of a simulation', { timeout: 120_000 }, () => {
  const passes = { fate: 'passes' } as const

  function simulationWith(interference: Partial<Interference>): Promise<Simulation> {
    const nothing: Interference = { request: () => passes, event: () => passes }
    return Simulation.on({
      platform: 'AWS',
      seed: 1,
      operators: 1,
      interference: { ...nothing, ...interference },
    })
  }

  const isWatchOf = (plural: string, path: string) => path.includes(`/${plural}?`) && path.includes('watch=')

  it('The wire lets a watch hang that does not begin, until the operator gives it up', async () => {
    const asked: number[] = []
    const simulation = await simulationWith({
      request: ({ path }) => {
        if (!isWatchOf('services', path)) return passes
        asked.push(simulation.clock.monotonic())
        return asked.length === 1 ? { fate: 'hangs', when: 'before' } : passes
      },
    })
    simulation.startOperators()
    await simulation.pass(20)
    expect(simulation.traffic.pending).toBe(1)
    await simulation.rest()
    expect(simulation.traffic.pending).toBe(0)
    expect(asked).toHaveLength(2)
    // It is a list too, and comes in pages then.
    expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBe(10_000)
    simulation.end()
  })

  it('The wire does not wait for ever for a watch that hangs', async () => {
    const simulation = await simulationWith({
      request: ({ path }) => (isWatchOf('services', path) ? { fate: 'hangs', when: 'before' } : passes),
    })
    simulation.startOperators()
    await expect(simulation.rest()).rejects.toThrow('Something still hangs or is silent after 600 s')
    simulation.end()
  })

  it('The wire drops a watch that hangs when the operator dies', async () => {
    const simulation = await simulationWith({
      request: ({ path }) => (isWatchOf('services', path) ? { fate: 'hangs', when: 'before' } : passes),
    })
    simulation.startOperators()
    await simulation.pass(20)
    simulation.end()
    expect(simulation.traffic.pending).toBe(0)
  })

  it('The wire lets a watch begin late, with all that happened meanwhile', async () => {
    const delayMs = 5_000
    const simulation = await simulationWith({
      request: ({ path }) => (isWatchOf('ingresscontrollers', path) ? { fate: 'passes', delayMs } : passes),
    })
    const written: number[] = []
    simulation.startOperators()
    await simulation.pass(20)
    simulation.api.observe((_, writer) => {
      if (writer.startsWith('operator')) written.push(simulation.clock.monotonic())
    })
    new User(simulation).publish(strategy)
    await simulation.rest()
    expect(written.length).toBeGreaterThan(0)
    expect(written[0]).toBeGreaterThanOrEqual(delayMs)
    simulation.end()
  })

  it('The wire decides what becomes of a line behind one that is held back when it is its turn', async () => {
    const turns: number[] = []
    const simulation = await simulationWith({
      event: ({ path }) => {
        if (!path.includes('/ingresscontrollers')) return passes
        turns.push(simulation.clock.monotonic())
        return turns.length < 3 ? { fate: 'frozen', untilReconcile: 1_000, mostMs: 2_000 } : passes
      },
    })
    simulation.startOperators()
    await simulation.pass(20)
    const user = new User(simulation)
    user.publish(strategy)
    user.changeController({ spec: { replicas: 1 } })
    user.changeController({ spec: { replicas: 2 } })
    await simulation.rest()
    expect(turns.slice(0, 3)).toEqual([20, 2_020, 4_020])
    simulation.end()
  })
})
