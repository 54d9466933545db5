import { type Explanation, nothingToDo } from '../../api/explanation.ts'

/** The reasons of conditions about the load balancer of an IngressController. */
export const loadBalancerReasons = {
  WantedByEndpointPublishingStrategy: {
    conditions: ['LoadBalancerManaged'],
    meaning: 'Portcullis manages a load balancer for the IngressController.',
    cause: 'The endpoint publishing strategy is LoadBalancerService.',
    remedy: nothingToDo,
  },
  EndpointPublishingStrategyExcludesManagedLoadBalancer: {
    conditions: ['LoadBalancerManaged'],
    meaning: 'Portcullis manages no load balancer for the IngressController.',
    cause: 'The endpoint publishing strategy is HostNetwork, NodePortService or Private.',
    remedy: nothingToDo,
  },
  LoadBalancerProvisioned: {
    conditions: ['LoadBalancerReady'],
    meaning: 'The cloud has provisioned the load balancer.',
    cause: 'The Service has an address, and the cloud reports no error.',
    remedy: nothingToDo,
  },
  LoadBalancerPending: {
    conditions: ['LoadBalancerReady'],
    meaning: 'The cloud has not provisioned the load balancer yet.',
    cause:
      'Provisioning takes a minute or two. If it takes longer, nothing in the cluster provisions load balancers, or it is stuck.',
    remedy:
      'Wait. If the condition persists, check the events of the Service and the log of the cloud controller manager; on premises, install something that provisions load balancers, or choose another endpoint publishing strategy.',
  },
  SyncLoadBalancerFailed: {
    conditions: ['LoadBalancerReady'],
    meaning: 'The cloud failed to set up the load balancer.',
    cause: 'The message contains its error: a quota, a missing permission, a subnet without free addresses.',
    remedy: 'Fix what the cloud reports; it retries automatically, at least every five minutes.',
  },
  LoadBalancerWithoutNodes: {
    conditions: ['LoadBalancerReady'],
    event: 'Warning',
    meaning: 'The load balancer has an address but no nodes, so no traffic gets through.',
    cause:
      'The cloud found no node that it may use: the cluster has none, or all have the label node.kubernetes.io/exclude-from-external-load-balancers.',
    remedy: 'Add a node, or remove the label from one.',
  },
  ServiceNotFound: {
    conditions: ['LoadBalancerReady', 'LoadBalancerProgressing', 'Progressing'],
    meaning: 'The Service of the load balancer does not exist yet.',
    cause: 'The IngressController is new, or the Service was deleted.',
    remedy: 'Nothing to do: the operator creates it shortly.',
  },
  ServiceNotOurs: {
    conditions: ['LoadBalancerReady'],
    meaning: 'A Service that Portcullis does not manage already has the name that the load balancer needs.',
    cause:
      'It does not have the label that marks the objects of this IngressController, so it is left alone.',
    remedy: 'Delete it, or hand it over by adding the label: the message contains the command.',
  },
  ServiceBeingDeleted: {
    conditions: ['LoadBalancerReady'],
    meaning: 'The Service of the load balancer is being deleted.',
    cause:
      'A user deleted it, or the operator did with consent; the cloud has to remove the load balancer first.',
    remedy:
      'Wait for the cloud. If the condition persists, the message contains the error that the cloud reports.',
  },
  LoadBalancerNotProgressing: {
    conditions: ['LoadBalancerProgressing'],
    meaning: 'No change of the load balancer is in progress.',
    cause: 'The load balancer matches the spec, or there is none.',
    remedy: nothingToDo,
  },
  ScopeChanged: {
    conditions: ['LoadBalancerProgressing', 'Progressing'],
    meaning: 'Another scope was requested, and the change requires your action.',
    cause:
      'On this platform only a new load balancer can have another scope, and replacing it interrupts traffic.',
    remedy:
      'Delete the Service, or revert the change: the message contains both commands. `portcullis scope` guides you through it.',
  },
  LoadBalancerTypeChanged: {
    conditions: ['LoadBalancerProgressing', 'Progressing'],
    meaning: 'Another type of load balancer was requested, and the change requires your action.',
    cause: 'A load balancer keeps the type that it was created with; only a new one can have another.',
    remedy: 'Delete the Service, or revert the change: the message contains both commands.',
  },
  TypeChanged: {
    conditions: ['LoadBalancerProgressing', 'Progressing'],
    meaning: 'The endpoint publishing strategy was changed, and the previous load balancer still exists.',
    cause: 'Deleting the load balancer would cut off clients that still use its address.',
    remedy:
      'Delete the Service once no client uses its address, or revert the change: the message contains both commands.',
  },
  ScopeChanging: {
    conditions: ['LoadBalancerProgressing', 'Progressing'],
    event: 'Normal',
    meaning: 'The cloud is changing the scope of the load balancer in place.',
    cause: 'Another scope was requested, on a platform that changes the scope in place.',
    remedy: 'Wait for ten minutes at most. The address may change: check it afterwards.',
  },
  ServiceEdited: {
    conditions: ['LoadBalancerProgressing', 'Progressing'],
    meaning: 'The Service was edited in a way that has no effect.',
    cause: 'On this platform an existing load balancer does not follow changes of that annotation.',
    remedy: 'Revert the edit, or change the IngressController instead: the message contains both commands.',
  },
  ReplacingLoadBalancer: {
    conditions: ['LoadBalancerProgressing', 'Progressing'],
    meaning: 'The load balancer is being replaced.',
    cause:
      'Its Service is being deleted; the operator creates a new one once the cloud has removed the load balancer.',
    remedy: 'Wait. Traffic is interrupted until the new load balancer is provisioned.',
  },
  RemovingLoadBalancer: {
    conditions: ['LoadBalancerProgressing', 'Progressing'],
    meaning: 'The load balancer is being removed.',
    cause:
      'The endpoint publishing strategy was changed with consent to delete the load balancer, or the IngressController is being deleted.',
    remedy: 'Wait.',
  },
  AddressKnown: {
    conditions: ['Published'],
    meaning: 'The IngressController is reachable at the address in the message.',
    cause: 'Its load balancer has an address, or its routers are ready on nodes.',
    remedy: nothingToDo,
  },
  NoAddress: {
    conditions: ['Published'],
    meaning: 'The IngressController has no address.',
    cause: 'It is Private, or its load balancer or routers are not ready.',
    remedy: 'Unless it is Private, check LoadBalancerReady, PodsScheduled and DeploymentAvailable.',
  },
} as const satisfies Readonly<Record<string, Explanation>>
