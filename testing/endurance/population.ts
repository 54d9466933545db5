import type {
  EndpointPublishingStrategy,
  StrategyType,
} from '@portcullis/operator/internal/api/endpoint-publishing-strategy.ts'
import { autoDeleteAnnotation, ingressClassName } from '@portcullis/operator/internal/ingress/names.ts'
import type { Ingress as IngressObject } from 'kubernetes-types/networking/v1'
import { nodeManifest } from '../clusters/nodes.ts'

export const types: readonly StrategyType[] = [
  'LoadBalancerService',
  'LoadBalancerService',
  'HostNetwork',
  'NodePortService',
  'Private',
]

/** Who is there, as far as users have it in their hands. */
export class Population {
  /** By name: how it is to be published. */
  readonly controllers = new Map<string, EndpointPublishingStrategy>()
  /** By name: the class that it names. */
  readonly ingresses = new Map<string, string>()
  readonly nodes = new Map<string, string>()
  #controllersMade = 0
  #ingressesMade = 0
  #nodesMade = 0

  nextController(): string {
    return `edge-${++this.#controllersMade}`
  }

  nextIngress(): string {
    return `web-${++this.#ingressesMade}`
  }

  /** A name and an address that no node has had. */
  nextNode(): { readonly name: string; readonly address: string } {
    const number = ++this.#nodesMade
    return { name: `node-${number}`, address: `192.168.${Math.floor(number / 250)}.${(number % 250) + 1}` }
  }
}

export function strategyOf(type: StrategyType, scope: 'External' | 'Internal'): EndpointPublishingStrategy {
  return type === 'LoadBalancerService' ? { type, loadBalancer: { scope } } : { type }
}

/** It consents to changes of its load balancer, so that nothing waits for a user. */
export function aController(namespace: string, name: string, strategy: EndpointPublishingStrategy) {
  return {
    metadata: { namespace, name, annotations: { [autoDeleteAnnotation]: '' } },
    spec: { domain: `${name}.example`, replicas: 1, endpointPublishingStrategy: strategy },
  }
}

export function anIngress(namespace: string, name: string, controller: string) {
  return {
    metadata: {
      namespace,
      name,
      labels: { app: name },
      annotations: { 'example.com/owner': `${name}@example.com` },
    },
    spec: {
      ingressClassName: ingressClassName(controller),
      rules: [
        {
          host: `${name}.example.com`,
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name, port: { number: 80 } } },
              },
            ],
          },
        },
      ],
    },
  } satisfies IngressObject
}

export function aNode({ name, address }: { readonly name: string; readonly address: string }) {
  return nodeManifest({ name, internalIp: address, spec: { providerID: `aws:///us-east-1a/i-${name}` } })
}
