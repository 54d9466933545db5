import { serviceNames, services } from '../../load-balancer/services.ts'
import type { ObservedDial, ObservedMember, Target } from '../observations.ts'
import { destinationOf, vipsOf } from './front-ends.ts'
import { commandBackend, connectTo, type ProbeContext } from './probe-context.ts'

export function machinesOf({ controlPlane, routers, bootstrap }: Target): readonly string[] {
  return [...new Set([...(bootstrap === undefined ? [] : [bootstrap]), ...controlPlane, ...routers])]
}

/** Asks every fake backend for its identity and the probes that it received since they were last cleared. */
export function observeFakeBackends(
  target: Target,
  probeContext: ProbeContext,
  options: { readonly forget?: boolean } = {},
): Promise<readonly ObservedMember[]> {
  return Promise.all(
    machinesOf(target).map(async (address) => {
      const { fingerprint, receivedProbes } = await commandBackend(address, '/state', options, probeContext)
      const fingerprints = { api: fingerprint, 'machine-config': fingerprint, https: fingerprint }
      return { address, saysWho: true, fingerprints, unseen: [], receivedProbes }
    }),
  )
}

/**
 * Connects to each node itself, past the load balancer, to know it by its certificate. As at the virtual IPs one comes
 * without a name: servers have several certificates, and choose by it.
 */
export function observeNodes(target: Target, probeContext: ProbeContext): Promise<readonly ObservedMember[]> {
  const { controlPlane, routers, ports } = target
  return Promise.all(
    machinesOf(target).map(async (address) => {
      const mine = serviceNames
        .filter((service) => services[service].isTls)
        .filter((service) => (services[service].use === 'api' ? controlPlane : routers).includes(address))
      const seen = await Promise.all(
        mine.map(async (service) => {
          const { path } = services[service]
          const port = ports[service]
          const { outcome } = await connectTo(
            { address, port, isTls: true, name: undefined, path },
            probeContext,
          )
          const print = 'certificate' in outcome ? outcome.certificate?.fingerprint : undefined
          return { service, port, outcome, print }
        }),
      )
      return {
        address,
        saysWho: false,
        fingerprints: Object.fromEntries(
          seen.flatMap(({ service, print }) => (print === undefined ? [] : [[service, print]])),
        ),
        unseen: seen
          .filter(({ print }) => print === undefined)
          .map(({ service, port, outcome }) => ({ service, port, outcome })),
        receivedProbes: [],
      }
    }),
  )
}

/**
 * Lets each fake backend connect to the virtual IPs, from its own address: one after another, since all of them at once would
 * prove nothing but what a load balancer does under load.
 */
export async function observeDials(
  target: Target,
  probeContext: ProbeContext,
): Promise<readonly ObservedDial[]> {
  const times = Math.max(target.controlPlane.length + 1, target.routers.length)
  const dials: ObservedDial[] = []
  for (const from of machinesOf(target)) {
    for (const service of serviceNames) {
      const [address] = vipsOf(service, target)
      if (address === undefined) continue
      const asked = { to: destinationOf(service, address, target), times, timeoutMs: probeContext.timeoutMs }
      const { attempts } = await commandBackend(from, '/dial', asked, probeContext)
      dials.push({ from, service, attempts })
    }
  }
  return dials
}
