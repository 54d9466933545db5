import type { ClusterName } from '../../dns/cluster-names.ts'
import type { DnsAnswer } from '../../dns/dns-answer.ts'
import { type ServiceName, serviceNames, services } from '../../load-balancer/services.ts'
import type { Destination } from '../../probe/attempt.ts'
import type { ObservedByName, ObservedFrontEnd, ObservedMember, Target } from '../observations.ts'
import { addressesOf, expectedOf, responderOf } from '../pool.ts'
import { connectTo, type ProbeContext, wait } from './probe-context.ts'

/** Where a service is reached at one of its virtual IPs. */
export function destinationOf(
  service: ServiceName,
  address: string,
  { frontPortOffset }: Target,
  name?: string,
): Destination {
  const { port, isTls, path } = services[service]
  return { address, port: port + frontPortOffset, isTls, name, path }
}

export function vipsOf(service: ServiceName, { apiVips, ingressVips }: Target): readonly string[] {
  return services[service].use === 'api' ? apiVips : ingressVips
}

/**
 * Connects to every front end, often enough for every member to get its turn; again and again until all do, or the time
 * is over in which a load balancer must have found them.
 */
export async function observeFrontEnds(
  target: Target,
  members: readonly ObservedMember[],
  probeContext: ProbeContext,
): Promise<readonly ObservedFrontEnd[]> {
  const places = serviceNames.flatMap((service) =>
    vipsOf(service, target).map((address) => ({ service, address })),
  )
  const until = probeContext.now() + probeContext.timing.settleMs
  return Promise.all(
    places.map(async ({ service, address }) => {
      for (;;) {
        const observed = await observeFrontEnd(service, address, target, probeContext)
        const isEnough = isWhole(observed, target, members) || probeContext.now() > until
        if (isEnough) return observed
        await wait(probeContext.timing.pollMs, probeContext)
      }
    }),
  )
}

/** Connects often enough for every member to get its turn. */
export async function observeFrontEnd(
  service: ServiceName,
  address: string,
  target: Target,
  probeContext: ProbeContext,
): Promise<ObservedFrontEnd> {
  const to = destinationOf(service, address, target)
  const times = Math.max(12, 4 * expectedOf(service, target).length)
  const attempts = await Promise.all(Array.from({ length: times }, () => connectTo(to, probeContext)))
  return { service, address, port: to.port, attempts }
}

/** Whether there is nothing left to wait for. */
function isWhole(
  { service, attempts }: ObservedFrontEnd,
  target: Target,
  members: readonly ObservedMember[],
): boolean {
  if (members.length === 0) return true
  if (service === 'machine-config' && target.vantage === 'outside') return true
  const who = addressesOf(attempts.map(({ outcome }) => responderOf(outcome, service, members)))
  const isSteady = attempts.every(({ outcome }) => outcome.kind === 'answered')
  // A client may stay with its router.
  if (services[service].use === 'ingress') return isSteady
  const isUnseen = (address: string) =>
    members.some((each) => each.address === address && each.unseen.some((one) => one.service === service))
  return isSteady && expectedOf(service, target).every((address) => who.has(address) || isUnseen(address))
}

/** Comes by each name to the addresses that it leads to, if they are those of the cluster. */
export async function observeByName(
  target: Target,
  names: readonly ClusterName[],
  answers: readonly DnsAnswer[],
  probeContext: ProbeContext,
): Promise<readonly ObservedByName[]> {
  const places = names.flatMap(({ use, name }) => {
    const addresses = answers
      .filter((answer) => answer.name === name)
      .flatMap(({ outcome }) => (outcome.kind === 'addresses' ? outcome.addresses : []))
    return servicesBehind[use].flatMap((service) =>
      [...new Set(addresses)]
        .filter((address) => vipsOf(service, target).includes(address))
        .map((address) => ({ service, name, address })),
    )
  })
  return Promise.all(
    places.map(async ({ service, name, address }) => {
      const to = destinationOf(service, address, target, name)
      const first = await connectTo(to, probeContext)
      // Once may be chance.
      const attempt = first.outcome.kind === 'answered' ? first : await connectTo(to, probeContext)
      return { service, name, attempt }
    }),
  )
}

const servicesBehind: Readonly<Record<ClusterName['use'], readonly ServiceName[]>> = {
  api: ['api'],
  'api-int': ['api', 'machine-config'],
  apps: ['https', 'http'],
}
