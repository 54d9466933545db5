import { balancer, deleteService, publish, scoped, scopeTo, step } from './steps.ts'
import type { Story } from './story.ts'

const gcpAccess = (clientAccess: string | null) =>
  step(`asks for ${clientAccess ?? 'no'} client access`, (user) =>
    user.changeStrategy(
      balancer({
        providerParameters: clientAccess === null ? null : { type: 'GCP', gcp: { clientAccess } },
      }),
    ),
  )

const awsType = (type: string) => ({ providerParameters: { type: 'AWS', aws: { type } } })

const ranges = ['198.51.100.0/24']

export const details: Story[] = [
  {
    name: 'GCP: client access',
    platform: 'GCP',
    steps: [publish(scoped('Internal')), gcpAccess('Global'), gcpAccess('Local'), gcpAccess(null)],
  },
  {
    name: 'GCP: global client access from the beginning, and then local',
    platform: 'GCP',
    steps: [
      publish(scoped('Internal', { providerParameters: { type: 'GCP', gcp: { clientAccess: 'Global' } } })),
      gcpAccess('Local'),
    ],
  },
  {
    name: 'AWS: another type of load balancer, by deleting the Service and with auto-delete',
    platform: 'AWS',
    steps: [
      publish(scoped('External', awsType('Classic'))),
      step('asks for an NLB', (user) => user.changeStrategy(balancer(awsType('NLB')))),
      deleteService,
      step('asks for a classic one again and agrees', (user) =>
        user.changeWithConsent(balancer(awsType('Classic'))),
      ),
    ],
  },
  {
    name: 'AWS: source ranges, of the spec and then of the user',
    platform: 'AWS',
    steps: [
      publish(scoped('External', { allowedSourceRanges: ranges })),
      step('clears the ranges of the spec', (user) =>
        user.changeStrategy(balancer({ allowedSourceRanges: null })),
      ),
      {
        ...step('sets ranges on the Service', (user) =>
          user.changeService({ spec: { loadBalancerSourceRanges: ['192.0.2.0/24'] } }),
        ),
        isPatient: true,
      },
      deleteService,
    ],
  },
  {
    name: 'Azure: edits of the Service stay through a scope change',
    platform: 'Azure',
    steps: [
      publish(scoped('External')),
      step('labels and annotates the Service, and adds a port', (user) => {
        user.changeService({
          metadata: { labels: { team: 'edge' }, annotations: { 'example.com/cost-centre': '4711' } },
        })
        user.addPort({ name: 'metrics', port: 9090, targetPort: 1936 })
      }),
      scopeTo('Internal'),
    ],
  },
  {
    name: 'AWS: another owner has a Service of that name, and deletes it',
    platform: 'AWS',
    steps: [
      step('makes a Service of that name', (user) => user.createUnownedService()),
      publish(scoped('External')),
      deleteService,
    ],
  },
  {
    name: 'AWS: two controllers want each other’s domains, and get them',
    platform: 'AWS',
    steps: [
      publish(scoped('Internal')),
      step('publishes another controller', (user) => user.publish(scoped('External'), { name: 'other' })),
      step('asks for the domain of each for the other', (user) => {
        user.changeController({ spec: { domain: 'other.example.com' } })
        user.changeController({ spec: { domain: 'edge.example.com' } }, 'other')
      }),
    ],
  },
  {
    name: 'AWS: a controller is refused, loses its Service, and is mended',
    platform: 'AWS',
    steps: [
      publish(scoped('Internal')),
      step('publishes another controller', (user) => user.publish(scoped('External'), { name: 'other' })),
      step('asks for a domain that is taken, deletes the Service, and thinks better of it', (user) => {
        user.changeController({ spec: { domain: 'other.example.com' } })
        user.deleteService()
        user.changeController({ spec: { domain: 'edge.example.com' } })
      }),
    ],
  },
  {
    name: 'AWS: more routers, fewer, none',
    platform: 'AWS',
    steps: [
      publish(scoped('Internal')),
      ...[3, 1, 0].map((replicas) =>
        step(`asks for ${replicas} routers`, (user) => user.changeController({ spec: { replicas } })),
      ),
    ],
  },
]
