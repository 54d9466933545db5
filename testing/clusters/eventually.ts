import { setTimeout as pause } from 'node:timers/promises'

/** Tries until the claim holds; fails with its last failure when it does not in time. */
export async function eventually<R>(claim: () => R | Promise<R>, withinMs = 20_000): Promise<R> {
  const deadline = performance.now() + withinMs
  for (;;) {
    try {
      return await claim()
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await pause(25)
  }
}
