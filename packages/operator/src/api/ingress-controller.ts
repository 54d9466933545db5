import type { ObjectMeta } from 'kubernetes-types/meta/v1'
import { z } from 'zod'
import { condition } from './condition.ts'
import { atomicList, mapList, openObject, rules } from './crd/markers.ts'
import type { SchemaInput } from './crd/schema-input.ts'
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

export type IngressControllerSpec = SchemaInput<typeof ingressControllerSpec>
export type IngressControllerStatus = SchemaInput<typeof ingressControllerStatus>
/** A condition of an IngressController. */
export type Condition = SchemaInput<typeof condition>

const toleration = z.object({
  key: z.string().optional().describe('The key of the taint that is tolerated; every taint if absent.'),
  operator: z
    .string()
    .optional()
    .describe('Equal (the default) compares the value of the taint, Exists ignores it.'),
  value: z.string().optional().describe('The value of the taint, for Equal.'),
  effect: z.string().optional().describe('The effect that is tolerated; every effect if absent.'),
  tolerationSeconds: z
    .int()
    .optional()
    .describe('How long a router may stay on a node with such a NoExecute taint; forever if absent.'),
})

const domain = z
  .string()
  .max(244)
  .describe(
    'The DNS domain under which the routers serve applications. It must be unique among IngressControllers. If ' +
      'absent, the default domain of the cluster is used.',
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
      'The number of routers. If absent: 2, or 1 on a cluster with a single node, unless the Deployment is scaled by a user or an autoscaler, whose number is then kept.',
    ),
  endpointPublishingStrategy: endpointPublishingStrategy
    .optional()
    .describe(
      'How the routers are reached from outside. If absent, the default of the platform is used: a load balancer on ' +
        'clouds that provide them, else ports of the nodes.',
    ),
  defaultCertificate: z
    .object({ name: z.string().default('').describe('The name of the Secret.') })
    .optional()
    .describe(
      'The TLS Secret (tls.crt, tls.key), in the namespace of the routers, that is served for routes without a ' +
        'certificate of their own.',
    ),
  namespaceSelector: labelSelector
    .optional()
    .describe('Serve only objects in namespaces with these labels. If absent, all namespaces are served.'),
  routeSelector: labelSelector
    .optional()
    .describe('Serve only routes with these labels. If absent, all routes are served.'),
  nodePlacement: z
    .object({
      nodeSelector: labelSelector
        .optional()
        .describe('The nodes that routers may run on. If absent: the worker nodes that run Linux.'),
      tolerations: z
        .array(toleration)
        .optional()
        .describe('Taints of nodes that routers tolerate.')
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
}).describe(
  'The desired state. Fields that are not described here are preserved but have no effect: the condition AllFieldsSupported names those that are set.',
)

export const ingressControllerStatus = openObject({
  availableReplicas: z.int32().optional().describe('The number of routers that are available.'),
  selector: z.string().optional().describe('The label selector that finds the routers, for kubectl scale.'),
  domain: z.string().optional().describe('The domain in use.'),
  endpointPublishingStrategy: endpointPublishingStrategy
    .optional()
    .describe('The strategy in use: what the spec asks for, with every default filled in.'),
  conditions: z
    .array(condition)
    .optional()
    .describe('The conditions of the IngressController.')
    .meta(mapList('type')),
  observedGeneration: z.int().optional().describe('The generation of the spec that this status is about.'),
  namespaceSelector: labelSelector.optional().describe('The namespaceSelector in use.'),
  routeSelector: labelSelector.optional().describe('The routeSelector in use.'),
}).describe('The observed state.')

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
