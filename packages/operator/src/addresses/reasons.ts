import type { Explanation } from '../api/explanation.ts'

/** The reasons of events about the addresses of Ingresses. */
export const addressReasons = {
  AddressesRemoved: {
    conditions: [],
    event: 'Warning',
    meaning: 'The addresses of the Ingresses of an IngressController were removed.',
    cause:
      'The IngressController has had no address for longer than the grace period (--lost-address-grace, 10 minutes).',
    remedy:
      'Find out why the IngressController has no address: run `portcullis status`. The Ingresses get the next address automatically.',
  },
  AddressRefused: {
    conditions: [],
    event: 'Warning',
    meaning: 'The API server rejects the address of an Ingress.',
    cause:
      'It is not an IP address or host name that the API accepts; the note contains the error of the API server.',
    remedy: 'Fix the address at its source: the flags, the configuration file, or the Service.',
  },
  AddressContested: {
    conditions: [],
    event: 'Warning',
    meaning:
      'Another controller keeps overwriting the address of an Ingress; the operator leaves the Ingress alone for five minutes.',
    cause: 'Two controllers serve the same class of Ingresses.',
    remedy:
      'Make sure that only one controller serves the class: the note names the other by its field manager.',
  },
  IngressNotSelected: {
    conditions: [],
    event: 'Warning',
    meaning: 'An Ingress gets no address, because the routers of its IngressController do not serve it.',
    cause:
      'The namespaceSelector of the IngressController does not select the namespace, or its routeSelector does not select the labels of the Ingress.',
    remedy:
      'Label the namespace or the Ingress as the selector in the note requires, or choose the class of an IngressController that serves it. The Ingress then gets an address automatically.',
  },
} as const satisfies Readonly<Record<string, Explanation>>

export type AddressReason = keyof typeof addressReasons
