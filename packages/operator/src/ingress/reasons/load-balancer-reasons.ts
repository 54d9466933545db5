import { type Explanation, nothingToDo } from '../../api/explanation.ts'

/** What is said about the load balancer of a controller. */
export const loadBalancerReasons = {
  WantedByEndpointPublishingStrategy: {
    conditions: ['LoadBalancerManaged'],
    meaning: 'Portcullis looks after a load balancer for the controller.',
    cause: 'The strategy is LoadBalancerService.',
    remedy: nothingToDo,
  },
  EndpointPublishingStrategyExcludesManagedLoadBalancer: {
    conditions: ['LoadBalancerManaged'],
    meaning: 'There is no load balancer to look after.',
    cause: 'The strategy is HostNetwork, NodePortService or Private.',
    remedy: nothingToDo,
  },
  LoadBalancerProvisioned: {
    conditions: ['LoadBalancerReady'],
    meaning: 'The cloud has provided the load balancer.',
    cause: 'Its Service has an address, and the cloud does not complain.',
    remedy: nothingToDo,
  },
  LoadBalancerPending: {
    conditions: ['LoadBalancerReady'],
    meaning: 'The cloud has not provided the load balancer yet.',
    cause:
      'That takes a minute or two. Where it takes longer, nothing in the cluster provides load balancers, or it is stuck.',
    remedy:
      'Wait. If it lasts, look at the events of the Service and at the log of the cloud controller manager; on premises, install something that provides load balancers, or choose another strategy.',
  },
  SyncLoadBalancerFailed: {
    conditions: ['LoadBalancerReady'],
    meaning: 'The cloud cannot set up the load balancer.',
    cause: 'The message has its own words: a quota, a missing permission, a subnet without room.',
    remedy: 'Mend what the cloud complains about; it tries again by itself, at most five minutes apart.',
  },
  LoadBalancerWithoutNodes: {
    conditions: ['LoadBalancerReady'],
    event: 'Warning',
    meaning: 'The load balancer has an address, and no node behind it: nothing gets through.',
    cause:
      'The cloud found no node that it may use: there is none, or all have the label node.kubernetes.io/exclude-from-external-load-balancers.',
    remedy: 'Add a node, or remove the label from one.',
  },
  ServiceNotFound: {
    conditions: ['LoadBalancerReady', 'LoadBalancerProgressing', 'Progressing'],
    meaning: 'There is no Service for the load balancer yet.',
    cause: 'The controller is new, or the Service was deleted.',
    remedy: 'Nothing to do: it is created in a moment.',
  },
  ServiceNotOurs: {
    conditions: ['LoadBalancerReady'],
    meaning: 'A Service of somebody else has the name of the one for the load balancer.',
    cause: 'It lacks the label that makes it ours, so it is left alone.',
    remedy: 'Rename or delete it, or hand it over by the label: the message has the command.',
  },
  ServiceBeingDeleted: {
    conditions: ['LoadBalancerReady'],
    meaning: 'The Service of the load balancer is being deleted.',
    cause:
      'Somebody deleted it, or the operator did with consent; the cloud removes the load balancer first.',
    remedy:
      'Wait for the cloud. If it lasts, the message has the words of the cloud about what is in its way.',
  },
  LoadBalancerNotProgressing: {
    conditions: ['LoadBalancerProgressing'],
    meaning: 'Nothing about the load balancer changes.',
    cause: 'It is as the spec asks, or there is none.',
    remedy: nothingToDo,
  },
  ScopeChanged: {
    conditions: ['LoadBalancerProgressing', 'Progressing'],
    meaning: 'Another scope is asked for, and waits for you.',
    cause: 'On this platform only a new load balancer can have another scope, and that interrupts traffic.',
    remedy:
      'Delete the Service, or take the change back: the message has both commands. `portcullis scope` leads through it.',
  },
  LoadBalancerTypeChanged: {
    conditions: ['LoadBalancerProgressing', 'Progressing'],
    meaning: 'Another type of load balancer is asked for, and waits for you.',
    cause: 'A load balancer keeps the type that it was made with; only a new one can have another.',
    remedy: 'Delete the Service, or take the change back: the message has both commands.',
  },
  TypeChanged: {
    conditions: ['LoadBalancerProgressing', 'Progressing'],
    meaning: 'The controller is published another way now, and its load balancer is left over.',
    cause: 'The type was changed; who still uses the address of the load balancer would be cut off.',
    remedy:
      'Delete the Service when nobody uses its address any more, or change the type back: the message has both commands.',
  },
  ScopeChanging: {
    conditions: ['LoadBalancerProgressing', 'Progressing'],
    event: 'Normal',
    meaning: 'The cloud changes the scope of the load balancer in place.',
    cause: 'Another scope is asked for, on a platform that can do that.',
    remedy: 'Wait, ten minutes at most. The address may change: look at it afterwards.',
  },
  ServiceEdited: {
    conditions: ['LoadBalancerProgressing', 'Progressing'],
    meaning: 'Somebody edited the Service in a way that has no effect.',
    cause: 'A live load balancer does not follow that annotation on this platform.',
    remedy:
      'Take the edit back, or change the IngressController if it was meant: the message has both commands.',
  },
  ReplacingLoadBalancer: {
    conditions: ['LoadBalancerProgressing', 'Progressing'],
    meaning: 'The load balancer is being replaced.',
    cause: 'Its Service is being deleted; the next is created as soon as the cloud has removed it.',
    remedy: 'Wait. Traffic is interrupted meanwhile.',
  },
  RemovingLoadBalancer: {
    conditions: ['LoadBalancerProgressing', 'Progressing'],
    meaning: 'The load balancer of another strategy goes.',
    cause: 'The type was changed, and somebody agreed to its deletion.',
    remedy: 'Wait.',
  },
  AddressKnown: {
    conditions: ['Published'],
    meaning: 'The controller is reached at the address in the message.',
    cause: 'Its load balancer has one, or routers are ready on nodes.',
    remedy: nothingToDo,
  },
  NoAddress: {
    conditions: ['Published'],
    meaning: 'There is no address at which the controller is reached.',
    cause: 'It is Private, or its load balancer or routers are not ready.',
    remedy: 'Unless it is Private, look at LoadBalancerReady, PodsScheduled and DeploymentAvailable.',
  },
} as const satisfies Readonly<Record<string, Explanation>>
