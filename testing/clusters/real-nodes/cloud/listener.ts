import { connect, createServer, isIPv6, type Server, type Socket } from 'node:net'
import type { LoadBalancer, LoadBalancerPort, Target } from './load-balancer.ts'
import { proxyHeader } from './proxy-header.ts'

/** Where the connections to one address and port of a load balancer go. */
export interface ConnectionRoute {
  readonly loadBalancer: LoadBalancer
  readonly port: LoadBalancerPort
  readonly healthyTargets: () => readonly Target[]
}

/** Accepts connections at an address of a load balancer, and makes others to its targets. */
export class Listener {
  readonly #server: Server
  #route: ConnectionRoute
  #turn = 0

  constructor(ip: string, route: ConnectionRoute) {
    this.#route = route
    this.#server = createServer({ noDelay: true }, (client) => this.#forward(client))
    this.#server.listen({ host: ip, port: route.port.port })
  }

  change(route: ConnectionRoute): void {
    this.#route = route
  }

  /** Connections that there are go on. */
  close(): void {
    this.#server.close()
  }

  #forward(client: Socket): void {
    const { loadBalancer, port, healthyTargets } = this.#route
    const healthy = healthyTargets()
    const target = healthy[this.#turn++ % Math.max(1, healthy.length)]
    client.on('error', () => client.destroy())
    if (target === undefined) return void client.resetAndDestroy()
    const host = isIPv6(client.localAddress ?? '') ? target.ipv6 : target.ipv4
    const server = connect({ host, port: port.targetPort, noDelay: true })
    server.on('error', () => client.resetAndDestroy())
    if (loadBalancer.forwarding === 'connection-with-proxy-header')
      server.write(
        proxyHeader(
          { ip: client.remoteAddress ?? '', port: client.remotePort ?? 0 },
          { ip: client.localAddress ?? '', port: client.localPort ?? 0 },
        ),
      )
    client.pipe(server).pipe(client)
    client.once('close', () => server.destroy())
    server.once('close', () => client.destroy())
  }
}
