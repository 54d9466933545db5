import {
  balancer,
  changeAndAgree,
  deleteService,
  publish,
  scoped,
  scopeTo,
  step,
  unattended,
} from './steps.ts'
import type { Story } from './story.ts'

const replaced = ['AWS', 'IBMCloud', 'PowerVS', 'OpenStack'] as const

const inPlace = ['Azure', 'GCP'] as const

export const scopes: Story[] = [
  ...replaced.flatMap((platform): Story[] => [
    {
      name: `${platform}: a scope change, made real by deleting the Service`,
      platform,
      steps: [publish(scoped('External')), scopeTo('Internal'), deleteService],
    },
    {
      name: `${platform}: a scope change, taken back`,
      platform,
      steps: [publish(scoped('External')), scopeTo('Internal'), scopeTo('External')],
    },
    {
      name: `${platform}: scope changes with auto-delete`,
      platform,
      steps: [publish(scoped('External')), changeAndAgree, scopeTo('External')],
    },
    {
      name: `${platform}: a scope change with auto-delete, of which the user thinks better`,
      platform,
      steps: [
        publish(scoped('External')),
        changeAndAgree,
        step('takes both back', (user) => user.changeWithoutConsent(balancer({ scope: 'External' }))),
      ],
    },
  ]),
  ...inPlace.map(
    (platform): Story => ({
      name: `${platform}: a scope change in place, there and back`,
      platform,
      steps: [publish(scoped('External')), scopeTo('Internal'), scopeTo('External')],
    }),
  ),
]

export const scopesOtherwise: Story[] = [
  {
    name: 'AWS: a scope change, to which the user agrees afterwards',
    platform: 'AWS',
    steps: [publish(scoped('External')), scopeTo('Internal'), step('agrees to it', (user) => user.agree())],
  },
  {
    name: 'AWS: a scope change to External, made real by deleting the Service',
    platform: 'AWS',
    steps: [publish(scoped('Internal')), scopeTo('External'), deleteService],
  },
  {
    name: 'AWS: a scope change with auto-delete that no operator sees',
    platform: 'AWS',
    steps: [publish(scoped('External')), unattended(changeAndAgree)],
  },
  {
    name: 'Azure: a scope change in place that no operator sees',
    platform: 'Azure',
    steps: [publish(scoped('External')), unattended(scopeTo('Internal'))],
  },
]
