import { expect, it } from 'vitest'
import { Singleflight } from './singleflight.ts'

const never = () => new Promise<never>(() => {})

it('A singleflight goes on while anyone waits, and is cancelled when the last one leaves', async () => {
  let cancelled: unknown
  const run = new Singleflight((signal) => {
    signal.addEventListener('abort', () => {
      cancelled = signal.reason
    })
    return never()
  })
  const [one, other] = [new AbortController(), new AbortController()]
  const waiting = [run.join(one.signal), run.join(other.signal)]
  one.abort('first leaves')
  await expect(waiting[0]).rejects.toBe('first leaves')
  expect(cancelled).toBeUndefined()
  other.abort('last leaves')
  await expect(waiting[1]).rejects.toBe('last leaves')
  expect(cancelled).toBe('last leaves')
})

it('A singleflight is over once cancelled, even if the work takes its time to end', async () => {
  const run = new Singleflight(never)
  await expect(run.join(AbortSignal.abort('gone'))).rejects.toBe('gone')
  expect(run.isOver).toBe(true)
})

it('A singleflight is over once it has failed, so that no later caller gets an old failure', async () => {
  const run = new Singleflight(() => Promise.reject(new Error('failed')))
  await expect(run.join()).rejects.toThrow('failed')
  expect(run.isOver).toBe(true)
})
