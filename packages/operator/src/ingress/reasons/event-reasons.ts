import { type Explanation, nothingToDo } from '../../api/explanation.ts'

const deletedWithController = {
  conditions: [],
  event: 'Normal',
  cause:
    'The IngressController is being deleted, and all objects that were created for it are deleted with it.',
  remedy: nothingToDo,
} as const

/** The reasons of events that are not reasons of conditions. */
export const eventReasons = {
  Admitted: {
    conditions: [],
    event: 'Normal',
    meaning: 'The IngressController has been admitted.',
    cause: 'It is new, or it became valid.',
    remedy: nothingToDo,
  },
  Rejected: {
    conditions: [],
    event: 'Warning',
    meaning: 'The IngressController is invalid and not admitted. What already runs continues unchanged.',
    cause: 'The note names each invalid field, as does the condition Admitted.',
    remedy: 'Change each field as the note says.',
  },
  OperandContested: {
    conditions: [],
    event: 'Warning',
    meaning:
      'Another client keeps changing an object of the IngressController. The operator accepts that for some minutes before it retries.',
    cause:
      'The note names the field, the object and the field manager, as does the condition OperandsManaged.',
    remedy: 'Make sure that only one client manages the field.',
  },
  TypeRequested: {
    conditions: [],
    event: 'Normal',
    meaning: 'Another endpoint publishing strategy was requested.',
    cause: 'The spec was changed.',
    remedy: 'Nothing to do, unless the condition Progressing says otherwise.',
  },
  ScopeRequested: {
    conditions: [],
    event: 'Normal',
    meaning: 'Another scope was requested.',
    cause: 'The spec was changed.',
    remedy: 'Nothing to do, unless the condition Progressing says otherwise.',
  },
  WaitingForUser: {
    conditions: [],
    event: 'Normal',
    meaning: 'A change requires your action, because it would interrupt traffic.',
    cause: 'The change requires a new load balancer, or leaves one without use.',
    remedy: 'Run one of the two commands in the note: one to proceed, the other to revert the change.',
  },
  ChangeReverted: {
    conditions: [],
    event: 'Normal',
    meaning: 'A pending change was reverted; nothing was modified.',
    cause: 'The spec matches the existing load balancer again.',
    remedy: nothingToDo,
  },
  ChangeCompleted: {
    conditions: [],
    event: 'Normal',
    meaning: 'A change of the load balancer is complete.',
    cause: 'The cloud has finished it.',
    remedy: 'Check whether the address has changed: DNS records may need an update.',
  },
  LoadBalancerFailed: {
    conditions: [],
    event: 'Warning',
    meaning: 'The cloud failed to set up the load balancer.',
    cause: 'The note contains the error of the cloud, as does the condition LoadBalancerReady.',
    remedy: 'Fix what the cloud reports; it retries automatically.',
  },
  LoadBalancerReady: {
    conditions: [],
    event: 'Normal',
    meaning: 'The cloud has provisioned the load balancer.',
    cause: 'The Service has an address, and the cloud reports no error.',
    remedy: nothingToDo,
  },
  HealthPortMoves: {
    conditions: [],
    event: 'Warning',
    meaning: 'Routers answer health checks on another port from now on.',
    cause: 'statsPort was changed.',
    remedy: 'Configure the load balancer in front of the nodes to check health on the new port.',
  },
  ServiceCreated: {
    conditions: [],
    event: 'Normal',
    meaning: 'The Service of a load balancer was created.',
    cause: 'It did not exist, and the endpoint publishing strategy requires it.',
    remedy: nothingToDo,
  },
  ServiceDeleted: {
    conditions: [],
    event: 'Normal',
    meaning: 'A Service of the IngressController was deleted.',
    cause:
      'The note names the consent: the IngressController is being deleted, has the auto-delete annotation, or no longer requests NodePortService.',
    remedy: nothingToDo,
  },
  DeploymentDeleted: { ...deletedWithController, meaning: 'The Deployment of the routers was deleted.' },
  PodDisruptionBudgetDeleted: {
    ...deletedWithController,
    meaning: 'The PodDisruptionBudget of the routers was deleted.',
  },
  IngressClassDeleted: {
    ...deletedWithController,
    meaning: 'The IngressClass of the IngressController was deleted.',
  },
} as const satisfies Readonly<Record<string, Explanation>>
