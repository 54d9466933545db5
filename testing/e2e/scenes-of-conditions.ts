import type { Claim } from './router.ts'

/** An IngressController of a scene, and what is waited for. */
export interface SceneController {
  /** In its scene. */
  readonly name: string
  readonly spec: { readonly replicas: number; readonly endpointPublishingStrategy: object }
  /** How many of its routers find a node; the next controller comes when they have. */
  readonly placed: number
  /** What holds when nothing will change any more. */
  readonly ends: Readonly<Record<string, Claim>>
}

/** What happens to IngressControllers on three nodes of AWS, and must end in the same conditions wherever it is played. */
export interface Scene {
  readonly title: string
  readonly controllers: readonly SceneController[]
  /** No node of its routers has their image, and none can pull it. */
  readonly imageIsMissing?: true
  /** Why it cannot be played where kwok stands in for kubelets. */
  readonly leftOutOnKwok?: string
}

const settled = {
  Available: { status: 'True' },
  Progressing: { status: 'False' },
  DeploymentRollingOut: { status: 'False' },
  DeploymentReplicasAllAvailable: { status: 'True' },
  // While routers have to stay up before they count, a slow machine is degraded for a moment.
  Degraded: { status: 'False' },
} as const satisfies Record<string, Claim>

const published = { Published: { status: 'True' } } as const satisfies Record<string, Claim>

const hostPorts = (first: number) => ({ httpPort: first, httpsPort: first + 1, statsPort: first + 2 })

const onHost = (hostNetwork: object) => ({ type: 'HostNetwork', hostNetwork })

/** Controllers of all scenes share the nodes where these are few: each has ports of its own, and none that messages propose. */
export const scenes: readonly Scene[] = [
  {
    title: 'A network load balancer of scope External is settled with two routers',
    controllers: [
      {
        name: 'nlb',
        spec: {
          replicas: 2,
          endpointPublishingStrategy: {
            type: 'LoadBalancerService',
            loadBalancer: { scope: 'External', providerParameters: { type: 'AWS', aws: { type: 'NLB' } } },
          },
        },
        placed: 2,
        ends: { ...settled, ...published, LoadBalancerReady: { status: 'True' } },
      },
    ],
  },
  {
    title: 'Ports of the nodes are settled with two routers',
    controllers: [
      {
        name: 'host',
        spec: { replicas: 2, endpointPublishingStrategy: onHost(hostPorts(8270)) },
        placed: 2,
        ends: { ...settled, ...published },
      },
    ],
  },
  {
    title: 'Node ports are settled with two routers',
    controllers: [
      {
        name: 'port',
        spec: { replicas: 2, endpointPublishingStrategy: { type: 'NodePortService' } },
        placed: 2,
        ends: { ...settled, ...published },
      },
    ],
  },
  {
    title: 'A private controller is settled with two routers',
    controllers: [
      {
        name: 'private',
        spec: { replicas: 2, endpointPublishingStrategy: { type: 'Private' } },
        placed: 2,
        ends: settled,
      },
    ],
  },
  {
    title: 'Of three controllers on all nodes the third wants a port of the second',
    controllers: [
      {
        name: 'first',
        spec: { replicas: 3, endpointPublishingStrategy: onHost(hostPorts(8220)) },
        placed: 3,
        ends: settled,
      },
      {
        name: 'second',
        spec: { replicas: 3, endpointPublishingStrategy: onHost(hostPorts(8230)) },
        placed: 3,
        ends: settled,
      },
      {
        name: 'third',
        spec: {
          replicas: 3,
          endpointPublishingStrategy: onHost({ ...hostPorts(8240), httpPort: 8230 }),
        },
        placed: 0,
        ends: {
          PodsScheduled: { status: 'False', reason: 'PortConflict', message: /^3 of 3 / },
          Available: { status: 'False' },
          Degraded: { status: 'True' },
        },
      },
    ],
  },
  {
    title: 'A controller has one router more than there are nodes with its ports',
    controllers: [
      {
        name: 'crowd',
        spec: { replicas: 4, endpointPublishingStrategy: onHost(hostPorts(8250)) },
        placed: 3,
        ends: {
          PodsScheduled: { status: 'False', reason: 'TooFewNodes' },
          Available: { status: 'True' },
          DeploymentReplicasMinAvailable: { status: 'True' },
          Degraded: { status: 'False' },
        },
      },
    ],
  },
  {
    title: 'A controller with one port for two purposes is not admitted',
    controllers: [
      {
        name: 'invalid',
        spec: { replicas: 2, endpointPublishingStrategy: onHost({ ...hostPorts(8260), httpsPort: 8260 }) },
        placed: 0,
        ends: { Admitted: { status: 'False' }, Degraded: { status: 'True' } },
      },
    ],
  },
  {
    title: 'The image of routers cannot be pulled',
    imageIsMissing: true,
    leftOutOnKwok: 'Its pods run whatever their image is: it pulls none.',
    controllers: [
      {
        name: 'unpulled',
        spec: { replicas: 1, endpointPublishingStrategy: { type: 'Private' } },
        placed: 1,
        ends: {
          PodsStarted: { status: 'False', reason: 'ImagePullFailed' },
          Available: { status: 'False' },
          Degraded: { status: 'True' },
        },
      },
    ],
  },
]
