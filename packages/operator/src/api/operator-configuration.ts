import { z } from 'zod'
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
/** As the API server writes it: 2048Mi would come back as 2Gi. */
const memory = z
  .string()
  .regex(/^[1-9]\d{0,5}(Mi|Gi)$/, 'must be an amount of memory such as 1536Mi or 2Gi')
  .transform((text) => {
    const mebibytes = Number.parseInt(text, 10) * (text.endsWith('Gi') ? 1024 : 1)
    if (mebibytes % 1024 !== 0) return `${mebibytes}Mi`
    return mebibytes % 1024 ** 2 === 0 ? `${mebibytes / 1024 ** 2}Ti` : `${mebibytes / 1024}Gi`
  })
const addresses = z.array(z.string())

export const operatorConfiguration = z.strictObject({
  operatorNamespace: namespace
    .default('openshift-ingress-operator')
    .describe('where IngressControllers and the lease are'),
  operandNamespace: namespace.default('openshift-ingress').describe('where routers and their Services are'),
  routerImage: z
    .string()
    .min(1)
    .default('quay.io/openshift/origin-haproxy-router:4.22')
    .describe('the image of the routers'),
  routerMemoryLimit: memory
    .prefault('2Gi')
    .describe('the most memory that a router may use; one that needs more is killed and started anew'),
  maxReplicas: z
    .int()
    .min(1)
    .max(10_000)
    .default(50)
    .describe('the most routers that an IngressController may ask for: each may displace other pods'),
  domain: z.string().min(1).optional().describe('for IngressControllers whose spec names none'),
  platform: z
    .string()
    .optional()
    .describe('where the cluster runs, if neither Infrastructure nor the nodes tell: AWS, Azure, …, None'),
  commandLine: z
    .enum(['kubectl', 'oc'])
    .optional()
    .describe(
      'what messages tell people to type; with oc, routers are also made as OpenShift runs them; found out when not given',
    ),
  firstNodePort: z
    .int()
    .min(1)
    .max(65_535)
    .default(30_000)
    .describe("where the cluster's range of node ports begins"),
  ingressStatusAddress: addresses
    .default([])
    .describe('IPs and host names that every Ingress is to say, whatever is found out'),
  publishService: objectRef
    .optional()
    .describe(
      'the Service (namespace/name) by whose addresses Ingresses are reached, instead of the own one',
    ),
  publishClusterIp: z
    .boolean()
    .default(false)
    .describe('publish the cluster IP of that Service if it has nothing else'),
  lostAddressGrace: durationOrNever
    .default('10m')
    .describe('how long Ingresses keep an address that is gone; "never" removes none'),
  ingressWithoutClass: z.boolean().default(false).describe('publish Ingresses that name no class as well'),
  ingressClassName: z
    .array(z.string().min(1))
    .default([])
    .describe('classes that are ours by name, without an IngressClass that says so'),
  classAddresses: z
    .record(z.string(), addresses)
    .default({})
    .describe('like ingressStatusAddress, for Ingresses of single classes'),
  healthHost: z
    .string()
    .min(1)
    .optional()
    .describe(
      'the address at which /healthz, /readyz and /metrics are served; all addresses, IPv4 and IPv6, when not given',
    ),
  healthPort: z.int().min(0).max(65_535).default(8080).describe('the port for them; 0 takes a free one'),
  metricsAuthentication: z
    .boolean()
    .default(false)
    .describe(
      'let only those read /metrics who send a token of somebody whom the API server lets get that URL (TokenReview, SubjectAccessReview)',
    ),
  logLevel: z
    .enum(['debug', 'info', 'warn', 'error'])
    .default('info')
    .describe('the least that is worth a line in the log'),
  leaderElection: z
    .boolean()
    .default(true)
    .describe('stand for election; switch it off only where no second operator can run'),
})
