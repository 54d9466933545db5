import type { OperatorConfiguration } from '@portcullis/operator'
import type { CloudPlatformName } from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import { controllerName, type User } from './user.ts'
import { operandNamespace } from './world/api.ts'

/** Something that a user does; then all that follows from it happens. */
export interface Step {
  readonly does: string
  readonly act: (user: User) => void
  /**
   * Whether it is taken only when the step before has had its effect. Where the spec and the Service are changed in one
   * breath, an operator that sees the second first rightly holds to the spec.
   */
  readonly isPatient?: boolean
  /** Whether it is taken while no operator runs: they learn of it when they start. */
  readonly isUnattended?: boolean
  /** The Ingresses that may lose their addresses by it. */
  readonly mayBlank?: readonly string[]
}

export interface Story {
  readonly name: string
  readonly platform: CloudPlatformName
  /** How many operators run: one unless given; several elect a leader. */
  readonly operators?: number
  /** By how much the clocks of the operators are ahead of the API server's, one after the other as they are started. */
  readonly clocksAheadMs?: readonly number[]
  readonly steps: readonly Step[]
}

const step = (does: string, act: (user: User) => void): Step => ({ does, act })

const balancer = (loadBalancer: object) => ({ type: 'LoadBalancerService', loadBalancer })
const scoped = (scope: string, more: object = {}) =>
  balancer({ scope, dnsManagementPolicy: 'Managed', ...more })

const publish = (strategy: object, more: object = {}) =>
  step('publishes a controller', (user) => user.publish(strategy, more))
const scopeTo = (scope: string) =>
  step(`changes the scope to ${scope}`, (user) => user.changeStrategy(balancer({ scope })))
const changeAndAgree = step('changes the scope and agrees', (user) =>
  user.changeWithConsent(balancer({ scope: 'Internal' })),
)
/** The operators learn of it when they start. */
const unattended = (taken: Step): Step => ({
  ...taken,
  does: `${taken.does}, while no operator runs`,
  isPatient: true,
  isUnattended: true,
})
const deleteService = step('deletes the Service', (user) => user.deleteService())
const deleteController = step('deletes the controller', (user) => user.deleteController())

const replaced = ['AWS', 'IBMCloud', 'PowerVS', 'OpenStack'] as const
const inPlace = ['Azure', 'GCP'] as const

const scopes: Story[] = [
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

const scopesOtherwise: Story[] = [
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

const mendCloud = step('mends the cloud', (user) => user.mendCloud())

const refusals: Story[] = [
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

const details: Story[] = [
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
    name: 'AWS: somebody else has a Service of that name, and deletes it',
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

const types = {
  LoadBalancerService: { loadBalancer: { scope: 'Internal', dnsManagementPolicy: 'Managed' } },
  HostNetwork: { hostNetwork: { httpPort: 8080, httpsPort: 8443, statsPort: 8936 } },
  NodePortService: { nodePort: { protocol: 'PROXY' } },
  Private: { private: { protocol: 'TCP' } },
} as const
type Type = keyof typeof types
const typeNames = Object.keys(types) as Type[]

const turnedTo = (type: Type) => ({
  loadBalancer: null,
  hostNetwork: null,
  nodePort: null,
  private: null,
  type,
  ...types[type],
})
const turnTo = (type: Type) =>
  step(`changes the type to ${type}`, (user) => user.changeStrategy(turnedTo(type)))

const publishWithIngress = (type: Type) =>
  step('publishes a controller, and makes an Ingress', (user) => {
    user.publish({ type, ...types[type] }, { replicas: 1 })
    user.createIngress('cart')
  })

const typeChanges = typeNames.flatMap((from): Story[] =>
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

const lifecycles: Story[] = typeNames.map((type) => ({
  name: `${type}: the beginning and the end of a controller`,
  platform: 'AWS',
  steps: [publish({ type, ...types[type] }), deleteController],
}))

const hostPorts = { type: 'HostNetwork', hostNetwork: {} }
const ports: Story[] = [
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

const foreignPorts: Story[] = [
  {
    name: 'host ports: a conflict with pods of somebody else, of which one goes',
    platform: 'AWS',
    steps: [
      step('runs pods with the port on all nodes', (user) => user.occupyPort(80)),
      publish(hostPorts, { replicas: 1 }),
      step('deletes one of the pods', (user) => user.deletePod('proxy-2')),
    ],
  },
]

const ingressNames = ['cart', 'pay', 'search']
const fanOut = step('makes Ingresses, of its class and of another', (user) => {
  user.createClass('somebody-elses')
  for (const name of ingressNames) user.createIngress(name)
  user.createIngress('foreign', 'somebody-elses')
  user.writeAddress('foreign', '203.0.113.250')
})

const addresses: Story[] = [
  {
    name: 'addresses: Ingresses follow the load balancer through its replacement',
    platform: 'AWS',
    steps: [publish(scoped('External')), fanOut, scopeTo('Internal'), deleteService],
  },
  {
    name: 'addresses: Ingresses follow the load balancer through a change in place',
    platform: 'Azure',
    steps: [publish(scoped('External')), fanOut, scopeTo('Internal')],
  },
  {
    name: 'addresses: an Ingress changes its class and comes back',
    platform: 'AWS',
    steps: [
      publish(scoped('External')),
      fanOut,
      {
        ...step('gives an Ingress to somebody else', (user) =>
          user.changeIngress('cart', { spec: { ingressClassName: 'somebody-elses' } }),
        ),
        mayBlank: ['cart'],
      },
      step('takes it back', (user) =>
        user.changeIngress('cart', { spec: { ingressClassName: `portcullis-${controllerName}` } }),
      ),
    ],
  },
  {
    name: 'addresses: a second load balancer takes Ingresses over',
    platform: 'AWS',
    steps: [
      publish(scoped('External')),
      fanOut,
      step('publishes another controller', (user) => user.publish(scoped('Internal'), { name: 'inner' })),
      step('moves an Ingress there', (user) =>
        user.changeIngress('pay', { spec: { ingressClassName: 'portcullis-inner' } }),
      ),
    ],
  },
]

/** The state of a cluster on the customer's premises, whose nodes stand behind a load balancer of the customer. */
const behindCustomers = (vip: string) => ({
  platform: 'OpenStack' as const,
  platformStatus: {
    type: 'OpenStack' as const,
    openstack: { loadBalancer: { type: 'UserManaged' as const }, ingressIPs: [vip] },
  },
})

const publishEnvoy = (more: Partial<OperatorConfiguration> = {}) =>
  step('makes Ingresses and a Service, and tells the operator its name', (user) => {
    fanOut.act(user)
    user.createBalancer('envoy')
    user.configureOperators({ publishService: `${operandNamespace}/envoy`, ...more })
  })

const otherAddresses: Story[] = [
  {
    name: 'addresses: Ingresses say those of a load balancer that the customer owns, and follow it',
    platform: 'OpenStack',
    steps: [
      step("publishes a controller behind the customer's load balancer, and makes Ingresses", (user) => {
        user.declareInfrastructure(behindCustomers('172.22.0.8'))
        user.publish({ type: 'HostNetwork', ...types.HostNetwork })
        fanOut.act(user)
      }),
      step('moves that load balancer to another address', (user) =>
        user.changeInfrastructure(behindCustomers('172.22.0.9')),
      ),
    ],
  },
  {
    name: 'addresses: the operator is told what Ingresses are to say, and then something else',
    platform: 'AWS',
    steps: [
      publish({ type: 'Private', ...types.Private }),
      step('makes Ingresses, and tells the operator their address', (user) => {
        fanOut.act(user)
        user.configureOperators({ ingressStatusAddress: ['lb.example.com'] })
      }),
      step('tells the operator another address', (user) =>
        user.configureOperators({ ingressStatusAddress: ['lb.example.com', '172.22.0.9'] }),
      ),
    ],
  },
  {
    name: 'addresses: Ingresses follow from the load balancer to the nodes',
    platform: 'Azure',
    steps: [publish(scoped('External')), fanOut, turnTo('HostNetwork'), deleteService],
  },
  {
    name: 'addresses: Ingresses lose them some time after their controller has gone',
    platform: 'AWS',
    steps: [
      publish(scoped('External')),
      fanOut,
      {
        ...step('has lost addresses go after half a minute, and deletes the controller', (user) => {
          user.configureOperators({ lostAddressGrace: '30s' })
          user.deleteController()
        }),
        mayBlank: ingressNames,
      },
    ],
  },
  {
    name: 'addresses: Ingresses say those of a Service that the operator is told, and lose them some time after it',
    platform: 'AWS',
    steps: [
      publish({ type: 'Private', ...types.Private }),
      publishEnvoy({ lostAddressGrace: '30s' }),
      { ...step('deletes that Service', (user) => user.deleteService('envoy')), mayBlank: ingressNames },
    ],
  },
  {
    name: 'addresses: Ingresses follow the Service that the operator is told when it gets another address',
    platform: 'Azure',
    steps: [
      publish({ type: 'Private', ...types.Private }),
      publishEnvoy(),
      step('makes the load balancer of that Service internal', (user) =>
        user.changeService(
          {
            metadata: { annotations: { 'service.beta.kubernetes.io/azure-load-balancer-internal': 'true' } },
          },
          'envoy',
        ),
      ),
    ],
  },
]

const elections: Story[] = [
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
    name: 'two operators: the leader is told to stop, and hands over',
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

const rivals: Story[] = [
  {
    name: 'a rival: an autoscaler wants more routers than the spec, and gives up',
    platform: 'AWS',
    steps: [
      publish(scoped('External'), { replicas: 1 }),
      step('lets an autoscaler ask for three routers', (user) => user.insistOnReplicas(3)),
      // The autoscaler stops here.
      step('asks for two routers', (user) => user.changeController({ spec: { replicas: 2 } })),
    ],
  },
  {
    name: 'a rival: an autoscaler decides where the spec leaves it open',
    platform: 'AWS',
    steps: [
      publish({ type: 'Private', ...types.Private }),
      { ...step('scales the Deployment', (user) => user.scale(3)), isPatient: true },
    ],
  },
  {
    name: 'a rival: GitOps wants other routers, another budget and another Service',
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

const hostile: Story[] = [
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

const ipv6: Story[] = (['HostNetwork', 'NodePortService'] as const).map((type) => ({
  name: `IPv6 alone: Ingresses say where ${type} is reached`,
  platform: 'AWS',
  steps: [
    step('gives the nodes IPv6 addresses alone', (user) => user.renumberNodes()),
    publishWithIngress(type),
    turnTo('Private'),
    turnTo(type),
  ],
}))

const hour = 3_600_000

const clocks: Story[] = [
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

export const stories: readonly Story[] = [
  ...scopes,
  ...scopesOtherwise,
  ...refusals,
  ...details,
  ...typeChanges,
  ...lifecycles,
  ...ports,
  ...foreignPorts,
  ...addresses,
  ...otherAddresses,
  ...elections,
  ...rivals,
  ...hostile,
  ...ipv6,
  ...clocks,
]

export function noSuchStory(asked: string): string {
  const names = stories.map(({ name }) => `  ${name}`)
  return [`--story is "${asked}", and no story is called so, or in part. There are:`, ...names].join('\n')
}
