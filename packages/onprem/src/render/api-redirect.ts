import { formatIp } from '../ip.ts'
import type { Node } from './node.ts'

const table = 'inet portcullis_api'

export const redirectPath = 'etc/nftables/portcullis-api.nft'

/**
 * API servers hold port 6443 on every address; what comes for the virtual IPs is led to the balancer instead. Only on
 * the node that holds the address at the moment: elsewhere it belongs to another node.
 */
export function apiRedirect({ vips, ports }: Node): string {
  const redirects = vips.api.map(
    (ip) =>
      `${ip.family === 4 ? 'ip' : 'ip6'} daddr ${formatIp(ip)} fib daddr type local tcp dport ${ports.api} redirect to :${ports.balancer}`,
  )
  return [
    '# Written by portcullis render.',
    `table ${table}`,
    `delete table ${table}`,
    `table ${table} {`,
    '  chain from_elsewhere {',
    '    type nat hook prerouting priority dstnat; policy accept;',
    ...redirects.map((redirect) => `    ${redirect}`),
    '  }',
    '  chain from_here {',
    '    type nat hook output priority -100; policy accept;',
    ...redirects.map((redirect) => `    ${redirect}`),
    '  }',
    '}',
    '',
  ].join('\n')
}

/** Puts the redirect into force before anything asks for the API. */
export function redirectUnit(): string {
  return `# Written by portcullis render.
[Unit]
Description=Lead the virtual IPs of the API to HAProxy
After=network-pre.target nftables.service
Before=kubelet.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/sbin/nft -f /${redirectPath}
ExecStop=/usr/sbin/nft delete table ${table}

[Install]
WantedBy=multi-user.target
`
}
