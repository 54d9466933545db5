import { readFile } from 'node:fs/promises'

/** Settings of the machine's kernel, below /proc/sys, that a node would change: its kubelet, its kube-proxy, or its pod network. */
const changedByNodes = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'kernel/keys/root_maxbytes',
  'net/ipv4/ip_forward',
  'net/ipv4/conf/all/forwarding',
  'net/ipv4/conf/all/route_localnet',
  'net/ipv4/conf/all/rp_filter',
  'net/ipv4/conf/default/rp_filter',
  'net/ipv4/ip_unprivileged_port_start',
  'net/ipv4/ip_local_port_range',
  'net/ipv4/tcp_tw_reuse',
  'net/ipv4/vs/conntrack',
  'net/ipv6/conf/all/forwarding',
  'net/ipv6/conf/default/accept_ra',
  'net/ipv6/conf/default/accept_dad',
  'net/bridge/bridge-nf-call-iptables',
  'net/bridge/bridge-nf-call-ip6tables',
  'net/netfilter/nf_conntrack_max',
  'net/netfilter/nf_conntrack_tcp_timeout_established',
  'net/netfilter/nf_conntrack_tcp_timeout_close_wait',
  'net/netfilter/nf_conntrack_tcp_be_liberal',
]

/** What they are now; those that the kernel does not have are left out. */
export async function kernelSettings(): Promise<Readonly<Record<string, string>>> {
  const values = await Promise.all(
    changedByNodes.map(
      async (path) => [path, await readFile(`/proc/sys/${path}`, 'utf8').catch(() => '')] as const,
    ),
  )
  return Object.fromEntries(
    values.filter(([, value]) => value !== '').map(([path, value]) => [path, value.trim()]),
  )
}

/** Those that differ, each as a line. One that the kernel did not have before has come with a module, and is not counted. */
export function changedSettings(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(before)
    .filter(([path, value]) => after[path] !== value)
    .map(([path, value]) => `${path} was ${value}, and is ${after[path] ?? 'not there'}`)
}
