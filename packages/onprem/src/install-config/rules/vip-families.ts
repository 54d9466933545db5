import { sameIp } from '../../ip.ts'
import { type Finding, finding } from '../finding.ts'
import {
  type InstallConfig,
  installerTrustsCustomer,
  type OnPremises,
  type Vip,
  type Vips,
} from '../install-config.ts'
import { isDualStack, type Networking } from '../networking.ts'

/** How virtual IPs go together: families that differ, in the order of the networks, not one address for two uses. */
export function* checkVipFamilies(config: InstallConfig): Iterable<Finding> {
  const { platform, networking } = config
  if (platform === undefined) return
  for (const vips of [platform.api, platform.ingress]) {
    yield* checkPair(vips)
    const [first] = inOrderOfInstaller(platform, vips)
    if (first === undefined) continue
    yield* checkOrder(platform, vips)
    if (isDualStack(networking)) yield* checkAgainstNetworks(vips, first, networking)
  }
  if (!installerTrustsCustomer(config)) yield* checkShared(platform)
}

function* checkPair({ field, values, addresses }: Vips): Iterable<Finding> {
  const [one, other] = addresses
  if (values.length !== 2 || one?.ip.family !== other?.ip.family || other === undefined) return
  const message = `${other.value.text} is the second IPv${other.ip.family} address of ${field}; keep one of the two, or replace it by an IPv${other.ip.family === 4 ? 6 : 4} address.`
  yield finding('vip-same-family', other.value, message)
}

/** Where IPv6 cannot come first, the installer puts IPv4 there without a word. */
function inOrderOfInstaller({ mayPreferIpv6 }: OnPremises, { addresses }: Vips): readonly Vip[] {
  return mayPreferIpv6 ? addresses : addresses.toSorted((one, other) => one.ip.family - other.ip.family)
}

function* checkOrder(platform: OnPremises, vips: Vips): Iterable<Finding> {
  const [first] = vips.addresses
  if (first === undefined || inOrderOfInstaller(platform, vips)[0] === first) return
  const message = `${first.value.text} stands before an IPv4 address, which the installer turns round on ${platform.title}; write IPv4 first.`
  yield finding('vip-order-rewritten', first.value, message)
}

function* checkAgainstNetworks(vips: Vips, first: Vip, networking: Networking): Iterable<Finding> {
  const { family } = first.ip
  const lists = [networking.machine, networking.cluster, networking.service]
  const others = lists.filter(
    ({ all: [network] }) => network !== undefined && network.network.family !== family,
  )
  if (others.length > 0) {
    const names = others.map(({ use }) => `${use}Network`).join(', ')
    const message = `${first.value.text} is IPv${family}, but IPv${family === 4 ? 6 : 4} comes first in ${names}; put the same family first everywhere.`
    yield finding('vip-family-order', first.value, message)
  }
  if (vips.values.length !== 1) return
  const message = `${first.value.text} is the only address in ${vips.field} of a cluster with IPv4 and IPv6; add one that is IPv${family === 4 ? 6 : 4}, or it is reached by one family alone.`
  yield finding('vip-one-family', first.value, message)
}

function* checkShared({ api, ingress, loadBalancer }: OnPremises): Iterable<Finding> {
  for (const { value, ip } of api.addresses) {
    if (!ingress.addresses.some((other) => sameIp(other.ip, ip))) continue
    const remedy =
      loadBalancer === 'UserManaged'
        ? 'choose another for one of them, or install OpenShift 4.15 or later'
        : 'choose another for one of them, or write UserManaged as loadBalancer.type if the load balancer is your own'
    yield finding('vip-shared', value, `${value.text} is for the API and for ingress at once; ${remedy}.`)
  }
}
