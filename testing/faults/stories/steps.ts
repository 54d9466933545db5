import type { User } from '../user.ts'
import type { Step } from './story.ts'

export const step = (does: string, act: (user: User) => void): Step => ({ does, act })

export const balancer = (loadBalancer: object) => ({ type: 'LoadBalancerService', loadBalancer })

export const scoped = (scope: string, more: object = {}) =>
  balancer({ scope, dnsManagementPolicy: 'Managed', ...more })

export const publish = (strategy: object, more: object = {}) =>
  step('publishes a controller', (user) => user.publish(strategy, more))

export const scopeTo = (scope: string) =>
  step(`changes the scope to ${scope}`, (user) => user.changeStrategy(balancer({ scope })))

export const changeAndAgree = step('changes the scope and agrees', (user) =>
  user.changeWithConsent(balancer({ scope: 'Internal' })),
)

/** The operators learn of it when they start. */
export const unattended = (taken: Step): Step => ({
  ...taken,
  does: `${taken.does}, while no operator runs`,
  isPatient: true,
  isUnattended: true,
})

export const deleteService = step('deletes the Service', (user) => user.deleteService())

export const deleteController = step('deletes the controller', (user) => user.deleteController())

export const types = {
  LoadBalancerService: { loadBalancer: { scope: 'Internal', dnsManagementPolicy: 'Managed' } },
  HostNetwork: { hostNetwork: { httpPort: 8080, httpsPort: 8443, statsPort: 8936 } },
  NodePortService: { nodePort: { protocol: 'PROXY' } },
  Private: { private: { protocol: 'TCP' } },
} as const

type Type = keyof typeof types

export const typeNames = Object.keys(types) as Type[]

export const turnedTo = (type: Type) => ({
  loadBalancer: null,
  hostNetwork: null,
  nodePort: null,
  private: null,
  type,
  ...types[type],
})

export const turnTo = (type: Type) =>
  step(`changes the type to ${type}`, (user) => user.changeStrategy(turnedTo(type)))

export const publishWithIngress = (type: Type) =>
  step('publishes a controller, and makes an Ingress', (user) => {
    user.publish({ type, ...types[type] }, { replicas: 1 })
    user.createIngress('cart')
  })

export const ingressNames = ['cart', 'pay', 'search']

export const fanOut = step('makes Ingresses, of its class and of another', (user) => {
  user.createClass('somebody-elses')
  for (const name of ingressNames) user.createIngress(name)
  user.createIngress('foreign', 'somebody-elses')
  user.writeAddress('foreign', '203.0.113.250')
})
