import { formatEndpoint, formatIp, type Ip } from '../ip.ts'
import type { NamedNode, Node } from './node.ts'

const ttl = 60

/** The DNS servers of the node's network configuration, before the node's own was put in front of them. */
export const resolversOfTheNetwork = '/var/run/NetworkManager/resolv.conf'

/** The configuration of the DNS server that every node runs for itself. */
export function corefile(node: Node): string {
  const { domain, own, names, upstreams, ports } = node
  const [first] = own
  const lines = [
    ...(first === undefined ? [] : [`bind ${listening(own).join(' ')}`]),
    'errors',
    'bufsize 1232',
    `health ${first === undefined ? `:${ports.dnsHealth}` : formatEndpoint(first, ports.dnsHealth)}`,
    'reload',
    'cache 30',
    ...records(node),
    ...hosts(names, domain),
    `forward . ${upstreams.length === 0 ? resolversOfTheNetwork : upstreams.map(formatIp).join(' ')} {`,
    '    policy sequential',
    '}',
  ]
  return [
    '# Written by portcullis render.',
    `.:${ports.dns} {`,
    ...lines.map((line) => `    ${line}`),
    '}',
    '',
  ].join('\n')
}

function listening(own: readonly Ip[]): readonly string[] {
  const loopback = own.some(({ family }) => family === 6) ? ['127.0.0.1', '::1'] : ['127.0.0.1']
  return [...loopback, ...own.map(formatIp)]
}

function records({ vips, domain }: Node): string[] {
  if (vips.dnsRecords === 'External') return []
  return [
    ...answers([`api.${domain}`, `api-int.${domain}`], (name) => `^${escape(name)}$`, vips.api),
    ...answers([`apps.${domain}`], (name) => String.raw`^.+\.${escape(name)}$`, vips.ingress),
  ]
}

/**
 * The addresses of each family, and nothing for any other question: if that went to another server, its "there is no
 * such name" would hold for the addresses as well.
 */
function answers(names: readonly string[], pattern: (name: string) => string, ips: readonly Ip[]): string[] {
  return names.flatMap((name) => [
    ...ips.flatMap((ip) => [
      `template IN ${ip.family === 4 ? 'A' : 'AAAA'} ${name} {`,
      `    match "${pattern(`${name}.`)}"`,
      `    answer "{{ .Name }} ${ttl} IN {{ .Type }} ${formatIp(ip)}"`,
      '    fallthrough',
      '}',
    ]),
    `template IN ANY ${name} {`,
    `    match "${pattern(`${name}.`)}"`,
    `    authority "${name}. ${ttl} IN SOA ns.${name}. hostmaster.${name}. 1 7200 1800 86400 ${ttl}"`,
    '    fallthrough',
    '}',
  ])
}

function escape(name: string): string {
  return name.replaceAll('.', String.raw`\.`)
}

/** Names without dots are answered with the cluster's domain appended, too. */
function hosts(names: readonly NamedNode[], domain: string): string[] {
  if (names.length === 0) return []
  return [
    'hosts {',
    ...names.map(
      ({ name, ip }) => `    ${formatIp(ip)} ${name}${name.includes('.') ? '' : ` ${name}.${domain}`}`,
    ),
    `    ttl ${ttl}`,
    '    fallthrough',
    '}',
  ]
}
