import { type Explanation, nothingToDo } from '../../api/explanation.ts'

/** The reasons of conditions about the routers, their Deployment and their ports on the nodes. */
export const routerReasons = {
  PortsFree: {
    conditions: ['PortsAvailable'],
    meaning: 'The ports are free on every node that is eligible to run routers.',
    cause: 'No pod and no Service uses them.',
    remedy: nothingToDo,
  },
  PortsPartlyTaken: {
    conditions: ['PortsAvailable'],
    meaning: 'The ports are in use on some of the nodes that are eligible to run routers.',
    cause: 'Other pods use them there; the message names these pods.',
    remedy: 'Nothing to do while the other nodes suffice; else choose other ports or other nodes.',
  },
  PortReserved: {
    conditions: ['PortsAvailable'],
    event: 'Warning',
    meaning: 'A port of the routers is reserved for a component of the cluster.',
    cause: 'The port is in the registry of host ports; the message names the component.',
    remedy: 'Choose another port, or run the routers only on nodes where that component does not run.',
  },
  PortsTaken: {
    conditions: ['PortsAvailable'],
    event: 'Warning',
    meaning: 'A port is in use on every node that is eligible to run routers.',
    cause: 'Other pods use it, possibly of another IngressController; the message names port, node and pod.',
    remedy:
      'Choose other ports (the message contains a command with free ones), or other nodes with spec.nodePlacement.',
  },
  NodePortConflict: {
    conditions: ['PortsAvailable'],
    event: 'Warning',
    meaning: 'A port of the routers is also the node port of a Service, which takes their traffic.',
    cause: "The port is in the cluster's node port range, or a user chose it for the Service.",
    remedy: 'Choose another port for the routers (the message contains a command), or for the Service.',
  },
  NoNodes: {
    conditions: ['PortsAvailable'],
    meaning: 'No node is eligible to run routers.',
    cause:
      'No node has the labels that spec.nodePlacement requires, or all have taints that are not tolerated.',
    remedy: 'Label a node, or change spec.nodePlacement.',
  },
  AllScheduled: {
    conditions: ['PodsScheduled'],
    meaning: 'All routers are scheduled.',
    cause: 'The scheduler found a node for each.',
    remedy: nothingToDo,
  },
  MakingRoom: {
    conditions: ['PodsScheduled'],
    event: 'Warning',
    meaning: 'The scheduler is evicting other pods to make room for routers.',
    cause: 'Routers have a higher priority than the pods that use their ports.',
    remedy: 'Wait. Give those pods other ports if they must keep running there.',
  },
  WaitingForOldRouters: {
    conditions: ['PodsScheduled'],
    meaning: 'A router is waiting for its predecessor to leave the node.',
    cause: 'The ports of a node can be used by one router only.',
    remedy: 'Wait.',
  },
  PortConflict: {
    conditions: ['PodsScheduled'],
    event: 'Warning',
    meaning: 'Routers cannot be scheduled because their ports are in use.',
    cause: 'Other pods use them; the message names port, node, pod and IngressController.',
    remedy: 'Choose other ports (the message contains a command with free ones), or allow more nodes.',
  },
  TooFewNodes: {
    conditions: ['PodsScheduled'],
    event: 'Warning',
    meaning: 'The IngressController has more routers than eligible nodes.',
    cause: 'The ports of a node can be used by one router of an IngressController only.',
    remedy: 'Allow more nodes with spec.nodePlacement, or lower spec.replicas.',
  },
  Unschedulable: {
    conditions: ['PodsScheduled'],
    event: 'Warning',
    meaning: 'Routers cannot be scheduled, for another reason than their ports.',
    cause: 'The message contains the reason of the scheduler: too little memory, taints, labels.',
    remedy: 'Make room, or change spec.nodePlacement.',
  },
  AllStarted: {
    conditions: ['PodsStarted'],
    meaning: 'No router is failing to start.',
    cause: 'All routers that are scheduled run, or are still starting.',
    remedy: nothingToDo,
  },
  PortInUse: {
    conditions: ['PodsStarted'],
    event: 'Warning',
    meaning: 'A router cannot bind its port.',
    cause: 'A process on the node that the scheduler does not know of uses the port.',
    remedy: 'Find that process (the message contains the command) and stop it, or choose another port.',
  },
  ImagePullFailed: {
    conditions: ['PodsStarted'],
    event: 'Warning',
    meaning: 'A node cannot get the image of a router.',
    cause:
      'The image does not exist, its name is wrong, or the registry cannot be reached or refuses; the message contains the image, the node and the words of the kubelet.',
    remedy:
      'Correct the setting routerImage, or make the registry accessible to the node. The kubelet retries automatically.',
  },
  ContainerStartFailed: {
    conditions: ['PodsStarted'],
    event: 'Warning',
    meaning: 'A node cannot create or start the container of a router, which therefore has no log.',
    cause:
      'The message contains what the kubelet reports: an object that is missing, a security rule of the node, a command that the image does not have.',
    remedy: 'Fix what the kubelet reports; the message contains the command that shows more of it.',
  },
  RouterFails: {
    conditions: ['PodsStarted'],
    event: 'Warning',
    meaning: 'A router fails to start or keeps crashing.',
    cause:
      'It has ended more than once soon after its start, or waits in CrashLoopBackOff. The message contains its last output, and the command that shows its log.',
    remedy: 'Fix what the router reports.',
  },
  DeploymentAvailable: {
    conditions: ['DeploymentAvailable'],
    meaning: 'The routers are available.',
    cause: 'Enough of them are ready.',
    remedy: nothingToDo,
  },
  DeploymentUnavailable: {
    conditions: ['DeploymentAvailable'],
    meaning: 'No router is available, or too few are.',
    cause: 'They are starting, cannot be scheduled or fail; or spec.replicas is 0.',
    remedy: 'Check PodsScheduled and PodsStarted.',
  },
  DeploymentAvailabilityUnknown: {
    conditions: ['DeploymentAvailable'],
    meaning: 'The router Deployment has not reported its status yet.',
    cause: 'It is new, or no controller in the cluster reconciles Deployments.',
    remedy: 'Wait. If the condition persists, check that kube-controller-manager runs.',
  },
  DeploymentMinimumReplicasMet: {
    conditions: ['DeploymentReplicasMinAvailable'],
    meaning: 'The minimum number of routers is available.',
    cause: 'Enough of them are ready.',
    remedy: nothingToDo,
  },
  DeploymentMinimumReplicasNotMet: {
    conditions: ['DeploymentReplicasMinAvailable'],
    meaning: 'Fewer routers are available than the minimum.',
    cause: 'They are starting, cannot be scheduled or fail.',
    remedy: 'Check PodsScheduled and PodsStarted.',
  },
  DeploymentReplicasAvailable: {
    conditions: ['DeploymentReplicasAllAvailable'],
    meaning: 'All routers are available.',
    cause: 'All of them are ready.',
    remedy: nothingToDo,
  },
  DeploymentReplicasNotAvailable: {
    conditions: ['DeploymentReplicasAllAvailable'],
    meaning: 'Some routers are not available.',
    cause: 'They are starting, cannot be scheduled or fail.',
    remedy: 'Check PodsScheduled and PodsStarted.',
  },
  DeploymentNotRollingOut: {
    conditions: ['DeploymentRollingOut'],
    meaning: 'All routers are up to date.',
    cause: 'The last change has been rolled out.',
    remedy: nothingToDo,
  },
  DeploymentRollingOut: {
    conditions: ['DeploymentRollingOut', 'Progressing'],
    meaning: 'A new version of the routers is being rolled out.',
    cause: 'A change of the spec or of the operator changed their pod template.',
    remedy: 'Wait. If it does not complete, check PodsScheduled and PodsStarted.',
  },
  PodsStarting: {
    conditions: ['DeploymentRollingOut'],
    meaning: 'Routers are starting again.',
    cause: 'A node was lost, or a router ended.',
    remedy: 'Wait.',
  },
  ReplicasStabilizing: {
    conditions: ['DeploymentRollingOut'],
    meaning: 'The number of routers is changing.',
    cause: 'spec.replicas was changed.',
    remedy: 'Wait.',
  },
} as const satisfies Readonly<Record<string, Explanation>>
