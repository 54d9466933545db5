import { Node as NodeKind } from '@portcullis/kube'
import {
  allPaths,
  clusterDomain,
  type Ip,
  type KnownNodes,
  knownNodes,
  machineConfig,
  type NamedNode,
  type Node,
  type Role,
  readVirtualIps,
  renderNode,
  roles,
  usualPorts,
} from '@portcullis/onprem'
import { Infrastructure } from '@portcullis/operator'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { ClusterChoice } from '../../connection/connect.ts'
import { withCluster } from '../../connection/with-cluster.ts'
import type { CommandIO } from '../../io/command-io.ts'
import { yamlText } from '../../io/yaml-text.ts'
import { collectIps, ipOf } from '../../options/addresses.ts'
import { readInfrastructureFile } from '../../options/infrastructure-file.ts'
import { writeNodeFiles } from './node-files.ts'

interface Options extends ClusterChoice {
  readonly infrastructure: string
  readonly role: Role
  readonly out?: string
  readonly machineConfig: boolean
  readonly force: boolean
  readonly domain?: string
  readonly controlPlane?: readonly Ip[]
  readonly workers?: readonly Ip[]
  readonly nodeIp?: readonly Ip[]
  readonly name?: readonly NamedNode[]
  readonly upstream?: readonly Ip[]
  readonly interface: string
  readonly vrrp: Node['vrrp']
  readonly haproxyImage: string
  readonly keepalivedImage: string
  readonly corednsImage: string
}

/** `portcullis render`: writes the static pods that serve the virtual IPs and DNS of an on-premises node. */
export function renderCommand(io: CommandIO): Command {
  return new Command('render')
    .description('write the static pods that serve the virtual IPs and their DNS names on a node')
    .requiredOption(
      '--infrastructure <file>',
      'a file with the Infrastructure, - for standard input, or live to read it from the cluster',
    )
    .addOption(new Option('--role <role>', 'role of the node').choices(roles).makeOptionMandatory())
    .option('--out <directory>', 'directory to write the files to, at their paths on the node')
    .option('--machine-config', 'print the files as a MachineConfig instead', false)
    .option(
      '--force',
      'overwrite files with other content, and remove files that the node must not have',
      false,
    )
    .option('--domain <domain>', 'domain of the cluster (default: from the Infrastructure)')
    .option(
      '--control-plane <ip...>',
      'addresses of the API servers, for HAProxy (default: from the nodes, if live)',
      collectIps,
    )
    .option(
      '--workers <ip...>',
      'addresses of the other nodes that may run routers (default: from the nodes, if live)',
      collectIps,
    )
    .option(
      '--name <name=ip...>',
      'a node whose name is served in DNS (default: from the nodes, if live)',
      collectNames,
    )
    .option('--node-ip <ip...>', "the node's own addresses; DNS is then served on these only", collectIps)
    .option('--upstream <ip...>', 'DNS servers for other names (default: those of the network)', collectIps)
    .option('--interface <name>', 'network interface for the virtual IPs', parseInterface, 'br-ex')
    .addOption(
      new Option(
        '--vrrp <how>',
        'how keepalived elects the holder of the virtual IPs; unicast needs --node-ip',
      )
        .choices(['multicast', 'unicast'])
        .default('multicast'),
    )
    .option('--haproxy-image <image>', 'image with haproxy', 'quay.io/openshift/origin-haproxy-router:4.22')
    .option(
      '--keepalived-image <image>',
      'image with keepalived and curl',
      'quay.io/openshift/origin-keepalived-ipfailover:4.22',
    )
    .option('--coredns-image <image>', 'image with coredns', 'quay.io/openshift/origin-coredns:4.22')
    .option('--kubeconfig <file>', 'path of the kubeconfig, if live (default: found as kubectl finds it)')
    .option('--context <name>', 'context of the kubeconfig')
    .addHelpText(
      'after',
      [
        '',
        'Nothing is written if a file exists with other content, unless --force is given.',
        '',
        'Examples:',
        '  portcullis render --infrastructure infrastructure.yaml --role worker --out worker',
        '  portcullis render --infrastructure live --role master --machine-config',
      ].join('\n'),
    )
    .action((options: Options) => run(options, io))
}

async function run(options: Options, io: CommandIO): Promise<void> {
  const { role, out, force } = options
  if ((out !== undefined) === options.machineConfig)
    throw new Error('Specify either --out with a directory, or --machine-config.')
  const files = renderNode(await nodeOf(options, io))
  if (out === undefined) {
    io.print(yamlText(machineConfig(role, files)))
    return
  }
  for (const line of await writeNodeFiles({ directory: out, files, allPaths, force })) io.print(line)
  if (files.length === 0)
    io.print(
      `A ${role} runs no static pods: vSphere without virtual IPs relies on your own load balancer and DNS.`,
    )
}

async function nodeOf(options: Options, io: CommandIO): Promise<Node> {
  const { infrastructure, nodes } = await observe(options, io)
  const { controlPlane = nodes.controlPlane, workers = nodes.workers, name = nodes.names } = options
  return {
    role: options.role,
    vips: readVirtualIps(infrastructure),
    domain: clusterDomain(infrastructure, options.domain),
    controlPlane,
    workers,
    own: options.nodeIp ?? [],
    names: name,
    upstreams: options.upstream ?? [],
    interface: options.interface,
    vrrp: options.vrrp,
    images: {
      haproxy: options.haproxyImage,
      keepalived: options.keepalivedImage,
      coredns: options.corednsImage,
    },
    ports: usualPorts,
  }
}

async function observe({ infrastructure: source, ...cluster }: Options, io: CommandIO) {
  if (source !== 'live') {
    const nodes: KnownNodes = { controlPlane: [], workers: [], names: [] }
    return { infrastructure: await readInfrastructureFile(io, source), nodes }
  }
  return withCluster(io, cluster, async (client) => ({
    infrastructure: await client.get(Infrastructure, { name: 'cluster' }),
    nodes: knownNodes((await client.list(NodeKind)).items),
  }))
}

function collectNames(text: string, before: readonly NamedNode[] = []): readonly NamedNode[] {
  const [name = '', ip = ''] = text.split('=')
  if (!/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(name))
    throw new InvalidArgumentError(
      `"${text}" is not a node's name and address; write it as worker-1=192.0.2.21.`,
    )
  return [...before, { name, ip: ipOf(ip) }]
}

function parseInterface(text: string): string {
  if (!/^[^\s/"{}#!]{1,15}$/.test(text))
    throw new InvalidArgumentError('It must be the name of a network interface, such as br-ex.')
  return text
}
