import { type Finding, findingAtKey } from '../finding.ts'
import type { InstallConfig } from '../install-config.ts'
import { platforms } from '../platforms.ts'
import type { Value } from '../value.ts'

const ofRoot = ['baseDomain', 'featureSet', 'metadata', 'networking', 'platform', 'proxy']
const ofNetworking = [
  'machineNetwork',
  'clusterNetwork',
  'serviceNetwork',
  'networkType',
  'ovnKubernetesConfig',
]
const deprecated = ['machineCIDR', 'serviceCIDR', 'clusterNetworks', 'type']
const ofProxy = ['httpProxy', 'httpsProxy', 'noProxy']

/** Fields that are nearly right. The documents themselves print `bare-metal` and `machineNetworks`. */
export function* checkFieldNames({ root, platform }: InstallConfig): Iterable<Finding> {
  yield* nearlyRight(root, ofRoot)
  yield* nearlyRight(root.field('platform'), Object.keys(platforms))
  yield* nearlyRight(root.field('networking'), [...ofNetworking, ...deprecated])
  yield* nearlyRight(root.field('proxy'), ofProxy)
  if (platform === undefined) return
  const { api, ingress } = platform.fields
  const names = [api.list, api.single, ingress.list, ingress.single, 'loadBalancer', 'dnsRecordsType']
  yield* nearlyRight(platform.value, names)
  yield* nearlyRight(platform.value.field('loadBalancer'), ['type'])
  for (const key of platform.value.keys) {
    if (bare(key.name) !== 'loadbalancertype') continue
    yield findingAtKey('field-name', key, `There is no field ${key.name}; write type below loadBalancer.`)
  }
}

function* nearlyRight(map: Value | undefined, names: readonly string[]): Iterable<Finding> {
  for (const key of map?.keys ?? []) {
    if (names.includes(key.name)) continue
    const inOtherCase = names.find((name) => name.toLowerCase() === key.name.toLowerCase())
    const alike = names.filter((name) => bare(name) === bare(key.name))
    const nearest = alike.find((name) => name.endsWith('s') === key.name.endsWith('s')) ?? alike[0]
    if (inOtherCase !== undefined) {
      const message = `${key.name} is accepted, but the field is called ${inOtherCase}; write it like that.`
      yield findingAtKey('field-case', key, message)
    } else if (nearest !== undefined) {
      const message = `There is no field ${key.name}, which the installer refuses; write ${nearest}.`
      yield findingAtKey('field-name', key, message)
    }
  }
}

/** A name without what differs between spellings. */
function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '').replace(/s$/, '')
}
