import type { OperatorConfiguration } from '@portcullis/operator'
import { operandNamespace } from '../simulation/api.ts'
import { controllerName } from '../user.ts'
import {
  deleteService,
  fanOut,
  ingressNames,
  publish,
  publishWithIngress,
  scoped,
  scopeTo,
  step,
  turnTo,
  types,
} from './steps.ts'
import type { Story } from './story.ts'

export const addresses: Story[] = [
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
        ...step('gives an Ingress to another class', (user) =>
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
  step('makes Ingresses and a Service, and configures the operator with its name', (user) => {
    fanOut.act(user)
    user.createBalancer('envoy')
    user.configureOperators({ publishService: `${operandNamespace}/envoy`, ...more })
  })

export const otherAddresses: Story[] = [
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
    name: 'addresses: the operator is configured with an address, and then with another',
    platform: 'AWS',
    steps: [
      publish({ type: 'Private', ...types.Private }),
      step('makes Ingresses, and configures the operator with their address', (user) => {
        fanOut.act(user)
        user.configureOperators({ ingressStatusAddress: ['lb.example.com'] })
      }),
      step('configures the operator with another address', (user) =>
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
    name: 'addresses: Ingresses say those of a Service that the operator is configured with, and lose them some time after it',
    platform: 'AWS',
    steps: [
      publish({ type: 'Private', ...types.Private }),
      publishEnvoy({ lostAddressGrace: '30s' }),
      { ...step('deletes that Service', (user) => user.deleteService('envoy')), mayBlank: ingressNames },
    ],
  },
  {
    name: 'addresses: Ingresses follow the Service that the operator is configured with when it gets another address',
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

export const ipv6: Story[] = (['HostNetwork', 'NodePortService'] as const).map((type) => ({
  name: `IPv6 alone: Ingresses say where ${type} is reached`,
  platform: 'AWS',
  steps: [
    step('gives the nodes IPv6 addresses alone', (user) => user.renumberNodes()),
    publishWithIngress(type),
    turnTo('Private'),
    turnTo(type),
  ],
}))
