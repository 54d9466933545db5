import { operatorConfiguration } from '../api/operator-configuration.ts'

/** The configuration with which the operator starts. */
export interface Settings {
  /** Where IngressControllers are looked for. */
  readonly operatorNamespace: string
  /** Where routers and their Services live. */
  readonly operandNamespace: string
  readonly routerImage: string
  /** These amounts are as the API server writes them, or they would never be as wanted. */
  readonly routerCpuRequest: string
  readonly routerMemoryRequest: string
  readonly routerMemoryLimit: string
  /** No controller may ask for more routers. */
  readonly maxReplicas: number
  /** For controllers whose spec names no domain. */
  readonly defaultDomain: string | undefined
  /** For where neither Infrastructure nor the nodes show the platform. */
  readonly platform: string | undefined
  /** Where the cluster's range of node ports begins: from there on no port of a node is safe to take. */
  readonly firstNodePort: number
  /** For how long what led in before stays once a new way in is ready: twice the TTL of OpenShift's DNS records. */
  readonly clientsFollowSeconds: number
  /** What people on this cluster type: `oc` on OpenShift. */
  readonly commandLine: 'kubectl' | 'oc'
}

const {
  operatorNamespace,
  operandNamespace,
  routerImage,
  routerCpuRequest,
  routerMemoryRequest,
  routerMemoryLimit,
  maxReplicas,
  firstNodePort,
} = operatorConfiguration.parse({})

export const defaultSettings: Settings = {
  operatorNamespace,
  operandNamespace,
  routerImage,
  routerCpuRequest,
  routerMemoryRequest,
  routerMemoryLimit,
  maxReplicas,
  firstNodePort,
  clientsFollowSeconds: 60,
  defaultDomain: undefined,
  platform: undefined,
  commandLine: 'kubectl',
}
