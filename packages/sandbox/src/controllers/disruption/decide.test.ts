import type { Cached } from '@portcullis/kube'
import type { Pod } from 'kubernetes-types/core/v1'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1'
import { expect, it } from 'vitest'
import { budgetStatus } from './decide.ts'

const aPod = (ready: boolean): Cached<Pod> => ({
  metadata: { name: 'p', uid: 'p', resourceVersion: '1' },
  status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
})

function status(spec: PodDisruptionBudget['spec'], ready: number, unready = 0) {
  const pods = [...Array<boolean>(ready).fill(true), ...Array<boolean>(unready).fill(false)].map(aPod)
  const budget = {
    metadata: { name: 'b', uid: 'b', resourceVersion: '1', generation: 1 },
    spec,
  } as Cached<PodDisruptionBudget>
  return budgetStatus(budget, pods, 4, new Date('2030-01-01T00:00:00Z'))
}

it.each([
  [{ minAvailable: 2 }, 3, 0, { desiredHealthy: 2, disruptionsAllowed: 1, expectedPods: 3 }],
  [{ minAvailable: '50%' }, 3, 1, { desiredHealthy: 2, disruptionsAllowed: 1, expectedPods: 4 }],
  [{ maxUnavailable: 1 }, 4, 0, { desiredHealthy: 3, disruptionsAllowed: 1, expectedPods: 4 }],
  [{ maxUnavailable: 1 }, 3, 1, { desiredHealthy: 3, disruptionsAllowed: 0, expectedPods: 4 }],
])(
  'A budget of %o with %i ready pods and %i others allows the right number of disruptions',
  (spec, ready, unready, expected) => {
    expect(status(spec, ready, unready)).toMatchObject(expected)
  },
)
