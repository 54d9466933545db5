import { expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import { disruptionBudget } from './disruption-budget.ts'

test.each([
  { replicas: 1, asked: 1, maxUnavailable: 1 },
  { replicas: 2, asked: 2, maxUnavailable: 1 },
  { replicas: 3, asked: 3, maxUnavailable: '25%' },
  { replicas: 1, asked: undefined, maxUnavailable: '50%' },
  { replicas: 2, asked: undefined, maxUnavailable: '50%' },
  { replicas: 5, asked: undefined, maxUnavailable: '50%' },
])(
  'The PodDisruptionBudget lets $maxUnavailable of $replicas routers be unavailable if the spec requests $asked',
  (given) => {
    const { replicas, asked, maxUnavailable } = given
    const edge = anIngressController().on('None')
    if (asked !== undefined) edge.spec({ replicas: asked })
    expect(disruptionBudget(edge.snapshot(), replicas).spec).toEqual({
      maxUnavailable,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: {
        matchLabels: { 'ingresscontroller.operator.openshift.io/deployment-ingresscontroller': edge.name },
      },
    })
  },
)
