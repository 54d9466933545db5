import { balancer, publish, scoped, step } from './steps.ts'
import type { Story } from './story.ts'

const mendCloud = step('mends the cloud', (user) => user.mendCloud())

export const refusals: Story[] = [
  {
    name: 'AWS: the cloud refuses a load balancer, and is mended',
    platform: 'AWS',
    steps: [
      step('publishes a controller in a cloud that refuses', (user) => {
        user.breakCloud('denied')
        user.publish(scoped('External'))
      }),
      mendCloud,
    ],
  },
  {
    name: 'Azure: the cloud refuses another scope, and is mended',
    platform: 'Azure',
    steps: [
      publish(scoped('External')),
      {
        ...step('changes the scope in a cloud that refuses', (user) => {
          user.breakCloud('inPlaceChangeFails')
          user.changeStrategy(balancer({ scope: 'Internal' }))
        }),
        // Before any status is written the old scope is unknown, and only the refusal is reported.
        isPatient: true,
      },
      mendCloud,
    ],
  },
]
