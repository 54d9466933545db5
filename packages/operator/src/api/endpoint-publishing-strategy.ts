import { z } from 'zod'
import type { SchemaInput } from './crd/schema-input.ts'
import { loadBalancerStrategy } from './load-balancer-strategy.ts'

/** How the routers of a controller are reached from outside. The member that belongs to `type` has its parameters. */
export type EndpointPublishingStrategy = SchemaInput<typeof endpointPublishingStrategy>
export type StrategyType = EndpointPublishingStrategy['type']
export type LoadBalancerStrategy = SchemaInput<typeof loadBalancerStrategy>
export type Scope = LoadBalancerStrategy['scope']

const protocol = z
  .enum(['', 'TCP', 'PROXY'])
  .describe(
    'What routers expect on each connection: plain TCP (also if empty or absent), or first a PROXY protocol ' +
      'header with the address of the client. Choose PROXY only if the load balancer in front of the routers sends ' +
      'that header on every connection: connections without it are rejected.',
  )

const port = z.int32().min(1).max(65535)

const hostNetworkStrategy = z.object({
  httpPort: port
    .default(80)
    .describe(
      'The port of the node on which routers accept HTTP. Two controllers can share nodes if their ports differ. ' +
        "Stay out of the cluster's range for node ports (30000-32767 unless configured otherwise), where a " +
        'Service may take the port at any time.',
    ),
  httpsPort: port
    .default(443)
    .describe('The port of the node on which routers accept HTTPS; see httpPort for what to choose.'),
  statsPort: port
    .default(1936)
    .describe(
      'The port of the node on which routers answer health checks and serve metrics; see httpPort for what to ' +
        'choose. A load balancer of your own should ask for /healthz/ready on this port, every 5 or 10 seconds ' +
        'with a timeout of 5 seconds, and act on two equal answers in a row: it must send nothing to a node ' +
        'before its router is ready, and nothing more 45 seconds after it says that it is not.',
    ),
  protocol: protocol.optional(),
})

export const strategyTypes = ['LoadBalancerService', 'HostNetwork', 'Private', 'NodePortService'] as const

export const endpointPublishingStrategy = z.object({
  type: z
    .enum(strategyTypes)
    .describe(
      'LoadBalancerService: the cloud provides a load balancer. HostNetwork: routers listen on ports of the nodes ' +
        'that they run on. NodePortService: every node forwards a port to them. Private: nothing is published; ' +
        'routers are reachable inside the cluster only.',
    ),
  loadBalancer: loadBalancerStrategy
    .optional()
    .describe(
      'The load balancer, for type LoadBalancerService. If absent, a new load balancer is External, and an ' +
        'existing one keeps its scope.',
    ),
  hostNetwork: hostNetworkStrategy
    .optional()
    .describe('The ports on the nodes, for type HostNetwork. If absent, they are 80, 443 and 1936.'),
  nodePort: z
    .object({ protocol: protocol.optional() })
    .optional()
    .describe('Settings for type NodePortService.'),
  private: z.object({ protocol: protocol.optional() }).optional().describe('Settings for type Private.'),
})
