import { sameIp } from '../../ip.ts'
import { contains, formatNetwork, roleIn } from '../../network.ts'
import { type Finding, finding, listed, type Rule } from '../finding.ts'
import {
  type InstallConfig,
  installerTrustsCustomer,
  type OnPremises,
  type Vip,
  vipsOf,
} from '../install-config.ts'
import { gatewaysIn, machinesIn } from '../known-addresses.ts'
import type { Networking, WrittenNetwork } from '../networking.ts'
import { specialUseOf } from '../special-addresses.ts'

/** Where virtual IPs lie: among the nodes, and nowhere that is taken. */
export function* checkVipLocations(config: InstallConfig): Iterable<Finding> {
  const { platform, networking } = config
  if (platform === undefined) return
  yield* checkApart(config, platform)
  const [gateways, machines] = [gatewaysIn(platform), machinesIn(platform)]
  for (const vip of vipsOf(config)) {
    if (specialUseOf(vip.ip) !== undefined) continue
    const taken = [...checkTaken(vip, networking)]
    yield* taken
    if (taken.length === 0) yield* checkMachineNetworks(vip, config, platform)
    const gateway = gateways.find(({ ip }) => sameIp(ip, vip.ip))
    if (gateway !== undefined) yield at('vip-gateway-address', vip, `is the gateway of ${gateway.path}`)
    else yield* checkRole(vip, networking)
    const machine = machines.find(({ ip }) => sameIp(ip, vip.ip))
    if (machine !== undefined)
      yield at('vip-host-address', vip, `is the address of a machine (${machine.path})`)
  }
}

function at(rule: Rule, { value }: Vip, trouble: string): Finding {
  return finding(rule, value, `${value.text} ${trouble}; choose an address that is free.`)
}

/** Nodes of 4.13 are taken for remote ones, which get no routers, if they are not where both addresses are. */
function* checkApart(
  { release, networking: { machine } }: InstallConfig,
  platform: OnPremises,
): Iterable<Finding> {
  if (release !== 13) return
  const networkOf = ({ ip }: Vip) => machine.all.find(({ network }) => contains(network, ip))?.network
  for (const vip of platform.ingress.addresses) {
    const here = networkOf(vip)
    const other = platform.api.addresses.find(({ ip }) => ip.family === vip.ip.family)
    const there = other && networkOf(other)
    if (here === undefined || there === undefined || here === there) continue
    const message = `${vip.value.text} lies in ${formatNetwork(here)} and ${other?.value.text}, for the API, in ${formatNetwork(there)}, which kept routers off nodes in OpenShift 4.13; choose both from one network, or install 4.14 or later.`
    yield finding('vip-networks-apart', vip.value, message)
  }
}

/** Inside of what the cluster uses within itself, where nothing from outside arrives. */
function* checkTaken({ value, ip }: Vip, { cluster, service, ovn }: Networking): Iterable<Finding> {
  const message = ({ network }: WrittenNetwork, description: string) =>
    `${value.text} lies in ${formatNetwork(network)}, ${description}; choose an address outside of it.`
  const around = ({ network }: WrittenNetwork) => contains(network, ip)
  const [pods, services, internal] = [cluster.all.find(around), service.all.find(around), ovn.find(around)]
  if (pods)
    yield finding('vip-in-cluster-network', value, message(pods, "the pods' network (clusterNetwork)"))
  if (services)
    yield finding(
      'vip-in-service-network',
      value,
      message(services, "the Services' network (serviceNetwork)"),
    )
  if (internal) {
    const description = `the ${internal.purpose} network of OVN-Kubernetes`
    yield finding('vip-in-ovn-network', value, message(internal, description))
  }
}

function* checkMachineNetworks(
  { value, ip }: Vip,
  config: InstallConfig,
  platform: OnPremises,
): Iterable<Finding> {
  const { machine } = config.networking
  if (machine.all.some(({ network }) => contains(network, ip))) return
  const { outsideMachineNetworks, loadBalancer, title } = platform
  const isTrusted = installerTrustsCustomer(config)
  const refuser = outsideMachineNetworks[isTrusted ? 'UserManaged' : 'OpenShiftManagedDefault']
  const networks = listed(machine.all.map(({ network }) => formatNetwork(network)))
  const note = machine.written === undefined ? ', its default' : ''
  const place = `outside of machineNetwork (${networks || 'none that is valid'}${note})`
  const remedy =
    loadBalancer === 'UserManaged'
      ? 'add its network to machineNetwork'
      : 'choose an address in it, or correct machineNetwork'
  if (refuser !== undefined) {
    const time = refuser === 'installer' ? '' : ' after the installation'
    const message = `${value.text} lies ${place}, which the ${refuser} refuses${time}; ${remedy}.`
    yield finding('vip-outside-machine-networks', value, message)
  } else if (loadBalancer !== 'UserManaged') {
    const message = `${value.text} lies ${place}, where the nodes of ${title} cannot take it over from each other; ${remedy}.`
    yield finding('vip-outside-machine-networks', value, message, 'warning')
  }
}

function* checkRole(vip: Vip, { machine }: Networking): Iterable<Finding> {
  const around = machine.all.find(({ network }) => contains(network, vip.ip))
  if (around === undefined) return
  const text = formatNetwork(around.network)
  switch (roleIn(around.network, vip.ip)) {
    case 'network':
      yield at('vip-network-address', vip, `is the address of the network ${text} itself`)
      break
    case 'broadcast':
      yield at('vip-broadcast-address', vip, `is the broadcast address of ${text}`)
      break
    case 'first':
      yield finding(
        'vip-first-address',
        vip.value,
        `${vip.value.text} is the first address of ${text}, where the gateway usually is; make sure that it is free, or choose another.`,
      )
      break
    case 'host':
      break
  }
}
