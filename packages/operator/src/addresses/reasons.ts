import type { Explanation } from '../api/explanation.ts'

/** Every reason that is told about addresses. */
export const addressReasons = {
  AddressesRemoved: {
    conditions: [],
    event: 'Warning',
    meaning: 'The addresses of the Ingresses of a controller were taken away.',
    cause: 'The controller has had no address for longer than the grace (--lost-address-grace, 10 minutes).',
    remedy:
      'Find out why the controller has no address: `portcullis status` tells. Ingresses get the next one by themselves.',
  },
  AddressRefused: {
    conditions: [],
    event: 'Warning',
    meaning: 'The API server does not take the address that an Ingress should say.',
    cause: 'It is not an IP or a host name as the API wants it; the note has the words of the API server.',
    remedy: 'Mend the address where it comes from: the flags, the configuration file, or the Service.',
  },
  AddressContested: {
    conditions: [],
    event: 'Warning',
    meaning: 'Somebody keeps writing another address to an Ingress; Portcullis stands back for five minutes.',
    cause: 'Two controllers take the same class of Ingresses for theirs.',
    remedy: 'Let only one of them serve the class: the note names the other by its field manager.',
  },
  IngressNotSelected: {
    conditions: [],
    event: 'Warning',
    meaning: 'An Ingress gets no address, because the routers of its controller do not serve it.',
    cause:
      'The namespaceSelector of the IngressController does not select the namespace, or its routeSelector not the labels of the Ingress.',
    remedy:
      'Label the namespace or the Ingress as the selector in the note asks, or give the Ingress the class of a controller that serves it. The address comes by itself.',
  },
} as const satisfies Readonly<Record<string, Explanation>>

export type AddressReason = keyof typeof addressReasons
