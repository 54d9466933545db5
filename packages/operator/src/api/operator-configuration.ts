import { z } from 'zod'
import { cpu, memory } from './amounts.ts'
import { millisecondsIn } from './duration.ts'

/**
 * The settings of the operator. One schema for all places where they come from: defaults, then the configuration file,
 * then flags. A flag has the name of the field (`routerImage`: `--router-image`), and its description is the help text.
 */
export type OperatorConfiguration = z.output<typeof operatorConfiguration>

const namespace = z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'must be the name of a namespace')
const objectRef = z
  .string()
  .regex(/^[a-z0-9][-a-z0-9]*\/[a-z0-9][-a-z0-9.]*$/, 'must be namespace/name, such as ingress/envoy')
const durationOrNever = z
  .string()
  .refine(
    (text) => text === 'never' || millisecondsIn(text) !== undefined,
    'must be a duration such as 30s, 10m or 2h, or "never"',
  )
const duration = z
  .string()
  .refine((text) => millisecondsIn(text) !== undefined, 'must be a duration such as 30s, 2m or 1h')
const addresses = z.array(z.string())

export const operatorConfiguration = z.strictObject({
  operatorNamespace: namespace
    .default('openshift-ingress-operator')
    .describe('namespace of the IngressControllers and the lease'),
  operandNamespace: namespace
    .default('openshift-ingress')
    .describe('namespace of the routers and their Services'),
  routerImage: z
    .string()
    .min(1)
    .default('quay.io/openshift/origin-haproxy-router:4.22')
    .describe('image of the routers'),
  routerCpuRequest: cpu
    .prefault('100m')
    .describe('CPU that is reserved for each router; there is no limit, which would slow a busy router down'),
  routerMemoryRequest: memory
    .prefault('256Mi')
    .describe('memory that is reserved for each router, at most routerMemoryLimit'),
  routerMemoryLimit: memory
    .prefault('2Gi')
    .describe('memory limit of a router; one that uses more is killed and restarted'),
  maxReplicas: z
    .int()
    .min(1)
    .max(10_000)
    .default(50)
    .describe(
      'maximum of spec.replicas of an IngressController, because each router may displace other pods',
    ),
  domain: z.string().min(1).optional().describe('domain of IngressControllers that do not set spec.domain'),
  platform: z
    .string()
    .optional()
    .describe(
      'platform of the cluster, if neither the Infrastructure nor the nodes name it: AWS, Azure, …, None',
    ),
  commandLine: z
    .enum(['kubectl', 'oc'])
    .optional()
    .describe(
      'command in messages; with oc, routers also meet what OpenShift requires of pods; detected unless set',
    ),
  firstNodePort: z
    .int()
    .min(1)
    .max(65_535)
    .default(30_000)
    .describe("first port of the cluster's node port range"),
  previousStrategyGrace: duration
    .default('60s')
    .describe(
      'how long the node ports, or the load balancer, of the previous strategy stay once the new one takes traffic, so that clients can follow: twice the TTL of your DNS records',
    ),
  ingressStatusAddress: addresses
    .default([])
    .describe('IPs and host names to write to every Ingress instead of the discovered addresses'),
  publishService: objectRef
    .optional()
    .describe(
      'Service (namespace/name) whose addresses are written to Ingresses, instead of those of the IngressController',
    ),
  publishClusterIp: z
    .boolean()
    .default(false)
    .describe('publish the cluster IP of that Service if it has no other address'),
  lostAddressGrace: durationOrNever
    .default('10m')
    .describe('how long Ingresses keep an address that no longer exists; "never" keeps it forever'),
  ingressWithoutClass: z.boolean().default(false).describe('also publish Ingresses without a class'),
  ingressClassName: z
    .array(z.string().min(1))
    .default([])
    .describe('names of classes to serve even without an IngressClass object'),
  classAddresses: z
    .record(z.string(), addresses)
    .default({})
    .describe('like ingressStatusAddress, for the Ingresses of one class'),
  healthHost: z
    .string()
    .min(1)
    .optional()
    .describe(
      'address on which /healthz, /readyz and /metrics are served; all addresses, IPv4 and IPv6, unless set',
    ),
  healthPort: z
    .int()
    .min(0)
    .max(65_535)
    .default(8080)
    .describe('port on which /healthz, /readyz and /metrics are served; 0 chooses a free one'),
  metricsAuthentication: z
    .boolean()
    .default(false)
    .describe('require a bearer token of a user who may get /metrics (TokenReview, SubjectAccessReview)'),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('lowest level to log'),
  leaderElection: z
    .boolean()
    .default(true)
    .describe('elect a leader; disable it only if no second operator can run'),
})
