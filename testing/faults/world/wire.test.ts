import { describe, expect, it } from 'vitest'
import { User } from '../user.ts'
import type { Interference } from './wire.ts'
import { World } from './world.ts'

const strategy = { type: 'Private', private: { protocol: 'TCP' } }

describe('The wire of a world', { timeout: 120_000 }, () => {
  const passes = { fate: 'passes' } as const

  function worldWith(interference: Partial<Interference>): Promise<World> {
    const nothing: Interference = { request: () => passes, event: () => passes }
    return World.on({
      platform: 'AWS',
      seed: 1,
      operators: 1,
      interference: { ...nothing, ...interference },
    })
  }

  const isWatchOf = (plural: string, path: string) => path.includes(`/${plural}?`) && path.includes('watch=')

  it('Lets a watch hang that does not begin, until the operator gives it up', async () => {
    const asked: number[] = []
    const world = await worldWith({
      request: ({ path }) => {
        if (!isWatchOf('services', path)) return passes
        asked.push(world.clock.monotonic())
        return asked.length === 1 ? { fate: 'hangs', when: 'before' } : passes
      },
    })
    world.startOperators()
    await world.pass(20)
    expect(world.traffic.pending).toBe(1)
    await world.rest()
    expect(world.traffic.pending).toBe(0)
    expect(asked).toHaveLength(2)
    // It is a list too, and comes in pages then.
    expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBe(10_000)
    world.end()
  })

  it('Does not wait for ever for a watch that hangs', async () => {
    const world = await worldWith({
      request: ({ path }) => (isWatchOf('services', path) ? { fate: 'hangs', when: 'before' } : passes),
    })
    world.startOperators()
    await expect(world.rest()).rejects.toThrow('Something still hangs or is silent after 600 s')
    world.end()
  })

  it('Forgets a watch that hangs when the operator dies', async () => {
    const world = await worldWith({
      request: ({ path }) => (isWatchOf('services', path) ? { fate: 'hangs', when: 'before' } : passes),
    })
    world.startOperators()
    await world.pass(20)
    world.end()
    expect(world.traffic.pending).toBe(0)
  })

  it('Lets a watch begin late, with all that happened meanwhile', async () => {
    const delayMs = 5_000
    const world = await worldWith({
      request: ({ path }) => (isWatchOf('ingresscontrollers', path) ? { fate: 'passes', delayMs } : passes),
    })
    const written: number[] = []
    world.startOperators()
    await world.pass(20)
    world.api.observe((_, writer) => {
      if (writer.startsWith('operator')) written.push(world.clock.monotonic())
    })
    new User(world).publish(strategy)
    await world.rest()
    expect(written.length).toBeGreaterThan(0)
    expect(written[0]).toBeGreaterThanOrEqual(delayMs)
    world.end()
  })

  it('Decides what becomes of a line behind one that is held back when it is its turn', async () => {
    const turns: number[] = []
    const world = await worldWith({
      event: ({ path }) => {
        if (!path.includes('/ingresscontrollers')) return passes
        turns.push(world.clock.monotonic())
        return turns.length < 3 ? { fate: 'frozen', untilReconcile: 1_000, mostMs: 2_000 } : passes
      },
    })
    world.startOperators()
    await world.pass(20)
    const user = new User(world)
    user.publish(strategy)
    user.changeController({ spec: { replicas: 1 } })
    user.changeController({ spec: { replicas: 2 } })
    await world.rest()
    expect(turns.slice(0, 3)).toEqual([20, 2_020, 4_020])
    world.end()
  })
})
