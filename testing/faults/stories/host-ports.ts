import { publish, step } from './steps.ts'
import type { Story } from './story.ts'

const hostPorts = { type: 'HostNetwork', hostNetwork: {} }

export const ports: Story[] = [
  {
    name: 'host ports: a conflict, ended by other ports',
    platform: 'AWS',
    steps: [
      step('publishes a controller on all nodes', (user) =>
        user.publish(hostPorts, { name: 'first', replicas: 3 }),
      ),
      publish(hostPorts, { replicas: 1 }),
      step('chooses other ports', (user) =>
        user.changeStrategy({ hostNetwork: { httpPort: 9080, httpsPort: 9443, statsPort: 9936 } }),
      ),
    ],
  },
  {
    name: 'host ports: a conflict, ended by the end of the other controller',
    platform: 'AWS',
    steps: [
      step('publishes a controller on all nodes', (user) =>
        user.publish(hostPorts, { name: 'first', replicas: 3 }),
      ),
      publish(hostPorts, { replicas: 1 }),
      step('deletes the first controller', (user) => user.deleteController('first')),
    ],
  },
]

export const foreignPorts: Story[] = [
  {
    name: 'host ports: a conflict with pods of another owner, of which one goes',
    platform: 'AWS',
    steps: [
      step('runs pods with the port on all nodes', (user) => user.occupyPort(80)),
      publish(hostPorts, { replicas: 1 }),
      step('deletes one of the pods', (user) => user.deletePod('proxy-2')),
    ],
  },
]
