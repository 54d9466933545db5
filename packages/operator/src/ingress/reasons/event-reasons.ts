import { type Explanation, nothingToDo } from '../../api/explanation.ts'

const goesWithController = {
  conditions: [],
  event: 'Normal',
  cause: 'The IngressController is being deleted, and all that was made for it goes with it.',
  remedy: nothingToDo,
} as const

/** What is told as it happens, and stands in no condition. */
export const eventReasons = {
  Admitted: {
    conditions: [],
    event: 'Normal',
    meaning: 'The controller has been admitted.',
    cause: 'It is new, or what stood in its way is gone.',
    remedy: nothingToDo,
  },
  Rejected: {
    conditions: [],
    event: 'Warning',
    meaning: 'The controller cannot be published as it is. What runs already goes on as it was.',
    cause: 'The note names each field that stands in the way; so does the condition Admitted.',
    remedy: 'Change the field as the note says.',
  },
  OperandContested: {
    conditions: [],
    event: 'Warning',
    meaning:
      'Somebody keeps changing what belongs to the controller, and it is left to them for some minutes.',
    cause:
      'The note names the field, the object and the field manager; so does the condition OperandsManaged.',
    remedy: 'Let only one of them say it.',
  },
  TypeRequested: {
    conditions: [],
    event: 'Normal',
    meaning: 'Another strategy is asked for.',
    cause: 'The spec was changed.',
    remedy: 'Nothing to do, unless the condition Progressing says otherwise.',
  },
  ScopeRequested: {
    conditions: [],
    event: 'Normal',
    meaning: 'Another scope is asked for.',
    cause: 'The spec was changed.',
    remedy: 'Nothing to do, unless the condition Progressing says otherwise.',
  },
  WaitingForUser: {
    conditions: [],
    event: 'Normal',
    meaning: 'A change waits for you, because it would interrupt traffic.',
    cause: 'Only a new load balancer can bring it about, or one is left over.',
    remedy: 'Run one of the two commands in the note: go on, or take the change back.',
  },
  ChangeReverted: {
    conditions: [],
    event: 'Normal',
    meaning: 'A change that waited has been taken back; nothing was touched.',
    cause: 'The spec asks again for what is there.',
    remedy: nothingToDo,
  },
  ChangeCompleted: {
    conditions: [],
    event: 'Normal',
    meaning: 'A change of the load balancer has been carried out.',
    cause: 'The cloud is done with it.',
    remedy: 'See whether the address is another: DNS records may have to follow.',
  },
  LoadBalancerFailed: {
    conditions: [],
    event: 'Warning',
    meaning: 'The cloud cannot set up the load balancer.',
    cause: 'The note has its own words; so has the condition LoadBalancerReady.',
    remedy: 'Mend what the cloud complains about; it tries again by itself.',
  },
  LoadBalancerReady: {
    conditions: [],
    event: 'Normal',
    meaning: 'The cloud has provided the load balancer.',
    cause: 'Its Service has an address, and the cloud does not complain.',
    remedy: nothingToDo,
  },
  HealthPortMoves: {
    conditions: [],
    event: 'Warning',
    meaning: 'Routers answer health checks on another port from now on.',
    cause: 'statsPort was changed.',
    remedy: 'Tell a load balancer before the nodes to ask for health there.',
  },
  ServiceCreated: {
    conditions: [],
    event: 'Normal',
    meaning: 'The Service of a load balancer was created.',
    cause: 'There was none, and the strategy asks for one.',
    remedy: nothingToDo,
  },
  ServiceDeleted: {
    conditions: [],
    event: 'Normal',
    meaning: 'A Service of the controller was deleted.',
    cause:
      'The note tells by whose word: the controller is being deleted, carries the auto-delete annotation, or asks for another strategy than node ports.',
    remedy: nothingToDo,
  },
  DeploymentDeleted: { ...goesWithController, meaning: 'The routers were deleted.' },
  PodDisruptionBudgetDeleted: {
    ...goesWithController,
    meaning: 'The disruption budget of the routers was deleted.',
  },
  IngressClassDeleted: { ...goesWithController, meaning: 'The class of the controller was deleted.' },
} as const satisfies Readonly<Record<string, Explanation>>
