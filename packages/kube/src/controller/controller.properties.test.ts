import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Key } from '../objects/objects.ts'
import { running } from '../testing/running-controller.ts'
import { settle } from '../testing/virtual-clock.ts'
import { requeueAfter } from './controller.ts'

const keys = ['a', 'b', 'c', 'd', 'e']
const anyKey = fc.constantFrom(...keys)
const anySteps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('change' as const), key: anyKey }),
    fc.record({ do: fc.constant('delete' as const), key: anyKey }),
    fc.record({ do: fc.constant('finish' as const), key: anyKey }),
    fc.record({ do: fc.constant('requeue' as const), key: anyKey, ms: fc.nat(200) }),
    fc.record({ do: fc.constant('fail' as const), key: anyKey }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.nat(200) }),
  ),
  { maxLength: 50 },
)

it('No key is reconciled twice at once, no more workers are busy than there are, and the last reconcile comes after the last change, whatever the interleaving', async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, fc.integer({ min: 1, max: 4 }), async (steps, workers) => {
      const test = await running({ reconcile: 'held', workers })
      const startsBeforeLastChange = new Map<Key, number>()
      for (const step of steps) {
        if (step.do === 'change') test.source.put(step.key)
        else if (step.do === 'delete') test.source.remove(step.key)
        else if (step.do === 'finish') await test.finish(step.key)
        else if (step.do === 'requeue') await test.finish(step.key, requeueAfter(step.ms))
        else if (step.do === 'fail') await test.fail(step.key, new Error('no'))
        else await test.clock.advance(step.ms)
        // Before anything else can run: whatever starts from here on sees the change.
        if (step.do === 'change') startsBeforeLastChange.set(step.key, test.started.length)
        await settle()
      }
      while (test.inHand.size > 0) for (const key of keys) await test.finish(key)

      expect(test.mostInHand).toBeLessThanOrEqual(workers)
      expect(test.twiceInHand).toEqual([])
      for (const [key, starts] of startsBeforeLastChange) {
        expect(test.started.slice(starts)).toContain(key)
      }
      test.stop.abort()
      await test.run
      expect(test.clock.pendingTimers).toBe(0)
    }),
    { numRuns: 300 },
  )
})
