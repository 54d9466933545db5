import { type Explanation, nothingToDo } from '../../api/explanation.ts'

/** What is said about a controller as a whole. */
export const controllerReasons = {
  Valid: {
    conditions: ['Admitted'],
    meaning: 'The controller can be published as it is.',
    cause: 'Nothing in its spec contradicts the platform, other controllers or itself.',
    remedy: nothingToDo,
  },
  Invalid: {
    conditions: ['Admitted'],
    meaning:
      'The controller cannot be published as it is. What was admitted before goes on, and is mended if need be; nothing is deleted.',
    cause: 'The message names each field that stands in the way, and its value.',
    remedy: 'Change the field as the message says.',
  },
  DomainHeld: {
    conditions: ['Admitted'],
    meaning:
      'Another controller holds the domain. What was admitted before goes on, and is mended if need be; nothing is deleted.',
    cause: 'It was admitted with it, or asked for it first; the message names it.',
    remedy:
      "Choose another domain, or remove the other controller. Controllers that want each other's domains get them by themselves, once nothing else keeps any of them from being admitted.",
  },
  NothingIgnored: {
    conditions: ['AllFieldsSupported'],
    meaning: 'Every field that is set has its effect.',
    cause: 'The spec asks for nothing that Portcullis does not do.',
    remedy: nothingToDo,
  },
  FieldsIgnored: {
    conditions: ['AllFieldsSupported'],
    meaning: 'Some fields are set and have no effect.',
    cause: 'Portcullis does not act on them, or not on this platform or with this scope.',
    remedy: 'Nothing, if you can do without; else remove them, so that nobody relies on them.',
  },
  AsExpected: {
    conditions: ['OperandsManaged'],
    meaning: 'Everything that belongs to the controller is in place.',
    cause: 'Nothing of others is in the way, and nothing was refused.',
    remedy: nothingToDo,
  },
  ConflictingObjects: {
    conditions: ['OperandsManaged'],
    meaning: 'Objects of somebody else have names that the controller needs.',
    cause: 'They lack the label that makes them ours, so they are left alone.',
    remedy: 'Rename or delete them, or label them to hand them over.',
  },
  WriteFailed: {
    conditions: ['OperandsManaged'],
    meaning: 'The API server refused writes. All else that does not depend on them is done.',
    cause: 'The message has its words on each: a missing permission, a quota, a webhook.',
    remedy:
      'Mend what it complains about; the operator tries again by itself, at most a minute or, if nothing changes, five apart.',
  },
  NobodyElseWrites: {
    conditions: ['AddressesUncontested'],
    meaning: 'Nobody writes over the addresses of Ingresses.',
    cause: 'Portcullis alone serves their class.',
    remedy: nothingToDo,
  },
  Contested: {
    conditions: ['AddressesUncontested', 'OperandsManaged'],
    meaning:
      'Somebody keeps writing other addresses to Ingresses of this controller, or keeps changing what belongs to it; it is left to them for some minutes.',
    cause:
      'Two controllers take the same class for theirs; or an autoscaler, GitOps or another operator wants an object different. The message names them by their field manager.',
    remedy:
      'Let only one of them serve the class, or say it: take the field out of what the other applies. Leave spec.replicas unset where an autoscaler decides.',
  },
  IngressControllerAvailable: {
    conditions: ['Available'],
    meaning: 'Traffic gets through.',
    cause: 'Routers are available, and so is the load balancer where there is one.',
    remedy: nothingToDo,
  },
  IngressControllerUnavailable: {
    conditions: ['Available'],
    meaning: 'Traffic does not get through.',
    cause: 'Routers or the load balancer are not there; the message tells which.',
    remedy: 'Look at the conditions that the message names.',
  },
  IngressControllerNotProgressing: {
    conditions: ['Progressing'],
    meaning: 'Nothing is under way.',
    cause: 'Everything is as the spec asks.',
    remedy: nothingToDo,
  },
  IngressControllerNotDegraded: {
    conditions: ['Degraded'],
    meaning: 'Nothing has been wrong for too long.',
    cause: 'What was wrong, if anything, has not lasted.',
    remedy: nothingToDo,
  },
  DegradedConditions: {
    conditions: ['Degraded'],
    meaning: 'Something has been wrong for too long.',
    cause: 'The message names the conditions, with what they say.',
    remedy: 'Look at the conditions that the message names.',
  },
  Upgradeable: {
    conditions: ['Upgradeable'],
    meaning: 'Nothing stands in the way of an upgrade.',
    cause: 'All that belongs to the controller is as a newer operator expects it.',
    remedy: nothingToDo,
  },
  OperandsNotUpgradeable: {
    conditions: ['Upgradeable'],
    meaning: 'Something should be settled before an upgrade.',
    cause: 'A Service was edited in a way that has no effect now, and might have one later.',
    remedy: 'Take the edit back: the message has the command.',
  },
} as const satisfies Readonly<Record<string, Explanation>>
