import { deleteService, fanOut, publish, scoped, scopeTo, step, types } from './steps.ts'
import type { Story } from './story.ts'

export const otherWriters: Story[] = [
  {
    name: 'another writer: an autoscaler wants more routers than the spec, and gives up',
    platform: 'AWS',
    steps: [
      publish(scoped('External'), { replicas: 1 }),
      step('lets an autoscaler ask for three routers', (user) => user.insistOnReplicas(3)),
      // The autoscaler stops here.
      step('asks for two routers', (user) => user.changeController({ spec: { replicas: 2 } })),
    ],
  },
  {
    name: 'another writer: an autoscaler decides where the spec leaves it open',
    platform: 'AWS',
    steps: [
      publish({ type: 'Private', ...types.Private }),
      { ...step('scales the Deployment', (user) => user.scale(3)), isPatient: true },
    ],
  },
  {
    name: 'another writer: GitOps wants other routers, another budget and another Service',
    platform: 'Azure',
    steps: [
      publish(scoped('External'), { replicas: 1 }),
      step('lets GitOps apply what it has', (user) => user.insistOnOperands()),
      step('asks for another header policy', (user) =>
        user.changeController({ spec: { httpHeaders: { forwardedHeaderPolicy: 'Never' } } }),
      ),
    ],
  },
]

export const hostile: Story[] = [
  {
    name: 'a hostile tenant: Ingresses and Events that nobody should write',
    platform: 'AWS',
    steps: [
      publish(scoped('External')),
      fanOut,
      step('floods the cluster', (user) => user.flood()),
      scopeTo('Internal'),
      deleteService,
    ],
  },
]
