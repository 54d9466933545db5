import type { ObjectMeta } from 'kubernetes-types/meta/v1'
import { z } from 'zod'
import { condition } from './condition.ts'
import { atomicList, mapList, openObject, rules } from './crd/markers.ts'
import type { Written } from './crd/written.ts'
import { endpointPublishingStrategy } from './endpoint-publishing-strategy.ts'
import { labelSelector } from './label-selector.ts'

/** `operator.openshift.io/v1`: a set of routers, and how they are published. */
export interface IngressController {
  apiVersion?: string
  kind?: string
  metadata?: ObjectMeta
  spec?: IngressControllerSpec
  status?: IngressControllerStatus
}

export type IngressControllerSpec = Written<typeof ingressControllerSpec>
export type IngressControllerStatus = Written<typeof ingressControllerStatus>
/** One statement about a controller, and since when it is so. */
export type Condition = Written<typeof condition>

const toleration = z.object({
  key: z.string().optional().describe('The taint that is tolerated; every taint where it is absent.'),
  operator: z
    .string()
    .optional()
    .describe("Equal (the default) compares the taint's value, Exists does not look at it."),
  value: z.string().optional().describe('The value of the taint, for Equal.'),
  effect: z.string().optional().describe('The effect that is tolerated; every effect where it is absent.'),
  tolerationSeconds: z
    .int()
    .optional()
    .describe(
      'How long a router may stay on a node with such a NoExecute taint; for ever where it is absent.',
    ),
})

const domain = z
  .string()
  .max(244)
  .describe(
    'The DNS domain under which the controller serves applications. No two controllers can have the same; the ' +
      'cluster has one that the default controller uses.',
  )
  .meta(
    rules(
      {
        rule: "self == '' || !format.dns1123Subdomain().validate(self).hasValue()",
        message:
          'domain must be a DNS name: lower-case letters, digits, "-" and ".", with a letter or digit at both ends ' +
          'of each label, such as apps.example.com.',
      },
      {
        rule: "self.split('.').all(label, label.size() <= 63)",
        message: 'domain must have no label longer than 63 characters; shorten what stands between two dots.',
      },
    ),
  )

export const ingressControllerSpec = openObject({
  domain: domain.optional(),
  replicas: z
    .int32()
    .min(0)
    .optional()
    .describe(
      'How many routers run. Where it is absent: 2, or 1 on a cluster with a single node, until somebody scales the Deployment: then it is left to them.',
    ),
  endpointPublishingStrategy: endpointPublishingStrategy
    .optional()
    .describe(
      'How the routers are reached from outside. Where it is absent the platform decides: a load balancer where ' +
        'the cloud has them, else ports of the nodes.',
    ),
  defaultCertificate: z
    .object({ name: z.string().default('').describe('The name of the Secret.') })
    .optional()
    .describe(
      'The TLS Secret (tls.crt, tls.key), in the namespace of the routers, that is served where a route brings no ' +
        'certificate of its own.',
    ),
  namespaceSelector: labelSelector
    .optional()
    .describe(
      'Serve only what lives in namespaces with these labels. Where it is absent: in every namespace.',
    ),
  routeSelector: labelSelector
    .optional()
    .describe('Serve only routes with these labels. Where it is absent: every route.'),
  nodePlacement: z
    .object({
      nodeSelector: labelSelector
        .optional()
        .describe('The nodes that routers may run on. Where it is absent: the worker nodes that run Linux.'),
      tolerations: z
        .array(toleration)
        .optional()
        .describe('Taints of nodes that do not keep routers away.')
        .meta(atomicList),
    })
    .optional()
    .describe('Where routers run.'),
  httpHeaders: openObject({
    forwardedHeaderPolicy: z
      .enum(['Append', 'Replace', 'IfNone', 'Never'])
      .optional()
      .describe(
        'What routers do with the headers Forwarded and X-Forwarded-*. Append (the default): add to what the client ' +
          'sent. Replace: put their own in its place. IfNone: set them where the client sent none. Never: leave ' +
          'them as they came.',
      ),
  })
    .optional()
    .describe('What routers do with HTTP headers.'),
}).describe('What is wanted. Fields that are not described here are kept, and named in a condition if set.')

export const ingressControllerStatus = openObject({
  availableReplicas: z.int32().optional().describe('How many routers are ready to take traffic.'),
  selector: z.string().optional().describe('The label selector that finds the routers, for kubectl scale.'),
  domain: z.string().optional().describe('The domain in use.'),
  endpointPublishingStrategy: endpointPublishingStrategy
    .optional()
    .describe('The strategy in use: what the spec asks for, with every default filled in.'),
  conditions: z.array(condition).optional().describe('How the controller is doing.').meta(mapList('type')),
  observedGeneration: z.int().optional().describe('The generation of the spec that this status speaks of.'),
  namespaceSelector: labelSelector.optional().describe('The namespaceSelector in use.'),
  routeSelector: labelSelector.optional().describe('The routeSelector in use.'),
}).describe('What is observed.')

/** The schema of the whole object, as far as it is not the same for all kinds. */
export const ingressController = z
  .object({ spec: ingressControllerSpec.optional(), status: ingressControllerStatus.optional() })
  .describe('A set of routers that serve HTTP and HTTPS for a domain, and how they are reached from outside.')
  .meta(
    rules({
      rule: "!has(self.spec) || !has(self.spec.domain) || size('router-' + self.metadata.name + '.' + self.spec.domain) <= 253",
      message:
        'domain is too long for this name: router-<name>.<domain> must have no more than 253 characters; shorten ' +
        'either.',
      fieldPath: '.spec.domain',
    }),
  )
