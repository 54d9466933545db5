import { type Explanation, nothingToDo } from '../../api/explanation.ts'

/** The reasons of conditions about an IngressController as a whole. */
export const controllerReasons = {
  Valid: {
    conditions: ['Admitted'],
    meaning: 'The IngressController is valid and admitted.',
    cause: 'Its spec conflicts neither with the platform nor with other IngressControllers.',
    remedy: nothingToDo,
  },
  Invalid: {
    conditions: ['Admitted'],
    meaning:
      'The IngressController is invalid and not admitted. The spec that was admitted before stays in effect and is still reconciled; nothing is deleted.',
    cause: 'The message names each invalid field and its value.',
    remedy: 'Change each field as the message says.',
  },
  DomainHeld: {
    conditions: ['Admitted'],
    meaning:
      'Another IngressController already uses the domain. The spec that was admitted before stays in effect and is still reconciled; nothing is deleted.',
    cause:
      'The other IngressController was admitted with the domain, or requested it first; the message names it.',
    remedy:
      "Choose another domain, or delete the other IngressController. IngressControllers that request each other's domains get them automatically once nothing else prevents any of them from being admitted.",
  },
  NothingIgnored: {
    conditions: ['AllFieldsSupported'],
    meaning: 'Every field that is set takes effect.',
    cause: 'The spec sets no field that Portcullis does not support.',
    remedy: nothingToDo,
  },
  FieldsIgnored: {
    conditions: ['AllFieldsSupported'],
    meaning: 'Some fields are set but have no effect.',
    cause: 'Portcullis does not support them, or not on this platform or with this scope.',
    remedy: 'Remove these fields so that no one relies on them. Nothing else is affected if you keep them.',
  },
  AsExpected: {
    conditions: ['OperandsManaged'],
    meaning: 'All objects of the IngressController are in place.',
    cause: 'No object of another owner is in the way, and the API server rejected no write.',
    remedy: nothingToDo,
  },
  ConflictingObjects: {
    conditions: ['OperandsManaged'],
    meaning: 'Objects that Portcullis does not manage already have names that the IngressController needs.',
    cause:
      'They do not have the label that marks the objects of this IngressController, so they are left alone.',
    remedy: 'Delete them, or add the label to hand them over to the operator: the message names both.',
  },
  WriteFailed: {
    conditions: ['OperandsManaged'],
    meaning: 'The API server rejected writes. Everything that does not depend on them is done.',
    cause: 'The message contains the error of each write: a missing permission, a quota, a webhook.',
    remedy:
      'Fix what the error reports. The operator retries automatically: at least every minute, or every five minutes if nothing else changes.',
  },
  NobodyElseWrites: {
    conditions: ['AddressesUncontested'],
    meaning: 'No other controller overwrites the addresses of Ingresses.',
    cause: 'Only Portcullis serves their class.',
    remedy: nothingToDo,
  },
  Contested: {
    conditions: ['AddressesUncontested', 'OperandsManaged'],
    meaning:
      'Another client keeps writing other addresses to Ingresses of this IngressController, or keeps changing its objects. The operator accepts that for some minutes before it retries.',
    cause:
      'Two controllers serve the same class; or an autoscaler, a GitOps tool or another operator sets other values. The message names them by their field manager.',
    remedy:
      'Make sure that only one controller serves the class, or that only one client manages the field: remove the field from what the other one applies. Leave spec.replicas unset if an autoscaler sets the replicas.',
  },
  IngressControllerAvailable: {
    conditions: ['Available'],
    meaning: 'The IngressController is available.',
    cause: 'Its routers are available, and so is its load balancer if it has one.',
    remedy: nothingToDo,
  },
  IngressControllerUnavailable: {
    conditions: ['Available'],
    meaning: 'The IngressController is not available: no traffic gets through.',
    cause: 'Its routers or its load balancer are not ready; the message says which.',
    remedy: 'Check the conditions that the message names.',
  },
  IngressControllerNotProgressing: {
    conditions: ['Progressing'],
    meaning: 'No change is in progress.',
    cause: 'The routers and the load balancer match the spec.',
    remedy: nothingToDo,
  },
  IngressControllerNotDegraded: {
    conditions: ['Degraded'],
    meaning: 'The ingress controller is not degraded.',
    cause: 'No condition has reported a problem for longer than its grace period.',
    remedy: nothingToDo,
  },
  DegradedConditions: {
    conditions: ['Degraded'],
    meaning: 'Conditions have reported a problem for longer than their grace periods.',
    cause: 'The message lists these conditions and their messages.',
    remedy: 'Check the conditions that the message names.',
  },
  Upgradeable: {
    conditions: ['Upgradeable'],
    meaning: 'The IngressController does not block an upgrade.',
    cause: 'All its objects are in the state that a newer operator expects.',
    remedy: nothingToDo,
  },
  OperandsNotUpgradeable: {
    conditions: ['Upgradeable'],
    meaning: 'A Service should be corrected before an upgrade.',
    cause: 'It was edited in a way that has no effect now but might have one after an upgrade.',
    remedy: 'Revert the edit: the message contains the command.',
  },
} as const satisfies Readonly<Record<string, Explanation>>
