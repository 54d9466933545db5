import {
  deleteController,
  deleteService,
  publish,
  publishWithIngress,
  step,
  turnedTo,
  turnTo,
  typeNames,
  types,
} from './steps.ts'
import type { Story } from './story.ts'

export const typeChanges = typeNames.flatMap((from): Story[] =>
  typeNames
    .filter((to) => to !== from)
    .flatMap((to): Story[] => [
      {
        name: `from ${from} to ${to}`,
        platform: 'Azure',
        steps: [
          publishWithIngress(from),
          turnTo(to),
          ...(from === 'LoadBalancerService' ? [deleteService] : []),
        ],
      },
      ...(from === 'LoadBalancerService'
        ? [
            {
              name: `from ${from} to ${to} with auto-delete`,
              platform: 'Azure',
              steps: [
                publishWithIngress(from),
                step(`changes the type to ${to} and agrees`, (user) => user.changeWithConsent(turnedTo(to))),
              ],
            } as const,
          ]
        : []),
    ]),
)

export const lifecycles: Story[] = typeNames.map((type) => ({
  name: `${type}: the beginning and the end of a controller`,
  platform: 'AWS',
  steps: [publish({ type, ...types[type] }), deleteController],
}))
