import {
  changeAndAgree,
  deleteController,
  deleteService,
  fanOut,
  publish,
  scoped,
  scopeTo,
  step,
  turnedTo,
} from './steps.ts'
import type { Story } from './story.ts'

export const elections: Story[] = [
  {
    name: 'two operators: a scope change with auto-delete',
    platform: 'AWS',
    operators: 2,
    steps: [publish(scoped('External')), fanOut, changeAndAgree],
  },
  {
    name: 'two operators: a change in place',
    platform: 'GCP',
    operators: 2,
    steps: [publish(scoped('External')), scopeTo('Internal')],
  },
  {
    name: 'two operators: the end of a controller',
    platform: 'AWS',
    operators: 2,
    steps: [publish(scoped('Internal')), deleteController],
  },
  {
    name: 'two operators: the leader is stopped, and hands over',
    platform: 'AWS',
    operators: 2,
    steps: [
      publish(scoped('External')),
      step('changes the scope, agrees, and has the leader stop while it works on that', (user) => {
        changeAndAgree.act(user)
        user.stopLeaderAfter(3)
      }),
    ],
  },
]

const hour = 3_600_000

export const clocks: Story[] = [
  {
    name: 'clocks that differ by hours: addresses outlive the load balancer and the leader',
    platform: 'AWS',
    operators: 2,
    clocksAheadMs: [0, 7 * hour, -5 * hour],
    steps: [
      publish(scoped('External')),
      fanOut,
      step('does without a load balancer, and has the leader stop', (user) => {
        user.changeWithConsent(turnedTo('Private'))
        user.stopLeaderAfter(4_000)
      }),
    ],
  },
  {
    name: 'clocks that differ by hours: a scope change, made real by deleting the Service',
    platform: 'AWS',
    clocksAheadMs: [-5 * hour, 7 * hour],
    steps: [publish(scoped('External')), fanOut, scopeTo('Internal'), deleteService],
  },
]
