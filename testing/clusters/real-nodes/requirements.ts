import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { debianProgram, installDebianPackage } from '../../onprem/install-programs.ts'
import { cgroupRoot, hierarchies } from './end-bed.ts'

/** Programs, and Debian's packages that bring them. */
const programs: Readonly<Record<string, string>> = {
  containerd: 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  nft: 'nftables',
  conntrack: 'conntrack',
  ip: 'iproute2',
  unshare: 'util-linux',
  nsenter: 'util-linux',
}

/** Where Debian puts it: no directory of programs. */
const podNetworkPlugin = '/usr/lib/cni/bridge'

/** What a machine is like, as far as real nodes care. */
export interface Machine {
  readonly platform: NodeJS.Platform
  readonly uid: number | undefined
  /** Of the first version. */
  readonly cgroups: readonly string[]
  readonly hasIpv6: boolean
}

export async function thisMachine(): Promise<Machine> {
  const cgroups: string[] = []
  for (const hierarchy of hierarchies)
    if (await exists(join(cgroupRoot, hierarchy, 'cgroup.procs'))) cgroups.push(hierarchy)
  return {
    platform: process.platform,
    uid: process.getuid?.(),
    cgroups,
    hasIpv6: await exists('/proc/sys/net/ipv6'),
  }
}

/** Why there can be no real nodes on a machine, in one line; undefined where there can. */
export function whyNoRealNodes({ platform, uid, cgroups, hasIpv6 }: Machine): string | undefined {
  if (platform !== 'linux') return `Real nodes need Linux; this is ${platform}.`
  if (uid !== 0) return 'Real nodes need root, for namespaces, mounts and cgroups.'
  const missing = hierarchies.filter((hierarchy) => !cgroups.includes(hierarchy))
  if (missing.length > 0)
    return `Real nodes need the first version of cgroups at ${cgroupRoot}; there is no ${missing.join(', ')}.`
  if (!hasIpv6) return 'Real nodes need IPv6 in the kernel.'
  return undefined
}

/** Installs what is missing, from Debian's packages. */
export async function installNodePrograms(): Promise<void> {
  for (const [program, packageName] of Object.entries(programs)) await debianProgram(program, packageName)
  if (!(await exists(podNetworkPlugin))) await installDebianPackage('containernetworking-plugins')
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
