import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { infrastructurePlatforms } from '../infrastructure-platforms.ts'
import { isOnPremises } from '../install-config/platforms.ts'
import { aNode, ip, ofBothFamilies, vips } from '../testing/a-node.ts'
import { machineConfig } from './machine-config.ts'
import { type Node, roles } from './node.ts'
import { allPaths, renderNode } from './render.ts'

const platforms = Object.keys(infrastructurePlatforms).filter(isOnPremises)
const pods = (node: Node) =>
  renderNode(node)
    .map(({ path }) => /manifests\/(\w+)\.yaml$/.exec(path)?.[1])
    .filter(Boolean)
const content = (node: Node, name: string) =>
  renderNode(node).find(({ path }) => path.endsWith(`/${name}`))?.content

describe.each(platforms)('rendering on %s', (platform) => {
  const served = { ...vips, platform }

  test.each([
    ['bootstrap', ['keepalived', 'coredns']],
    ['master', ['haproxy', 'keepalived', 'coredns']],
    ['worker', ['keepalived', 'coredns']],
  ] as const)("The nodes' load balancer has a %s run %j", (role, programs) => {
    expect(pods(aNode({ role, vips: served }))).toEqual(programs)
  })

  test.each(roles)('The load balancer of the user has a %s run CoreDNS alone', (role) => {
    const node = aNode({ role, vips: { ...served, servedBy: 'customer' }, controlPlane: [] })
    expect(renderNode(node).map(({ path }) => path)).toEqual([
      'etc/kubernetes/manifests/coredns.yaml',
      'etc/kubernetes/static-pod-resources/coredns/Corefile',
    ])
  })

  test('The pods are in the namespace of the platform', () => {
    const pod: unknown = parse(content(aNode({ vips: served }), 'coredns.yaml') ?? '')
    const { namespace } = infrastructurePlatforms[platform]
    expect(pod).toMatchObject({ metadata: { namespace }, spec: { hostNetwork: true } })
  })
})

test.each(roles)('Without virtual IPs a %s runs nothing', (role) => {
  expect(renderNode(aNode({ role, vips: { ...vips, api: [], ingress: [], servedBy: 'customer' } }))).toEqual(
    [],
  )
})

test('A pod mounts the directory of its configuration, and runs its image', () => {
  expect(parse(content(aNode(), 'haproxy.yaml') ?? '')).toMatchObject({
    spec: {
      containers: [
        {
          image: 'an/haproxy',
          command: ['haproxy', '-W', '-db', '-f', '/etc/haproxy/haproxy.cfg'],
          volumeMounts: [{ name: 'configuration', mountPath: '/etc/haproxy' }],
        },
      ],
      volumes: [
        { name: 'configuration', hostPath: { path: '/etc/kubernetes/static-pod-resources/haproxy' } },
      ],
    },
  })
})

test('Every path that is written is listed', () => {
  const written = renderNode(aNode()).map(({ path }) => path)
  expect(written.toSorted()).toEqual(allPaths.toSorted())
})

test('HAProxy without API servers is an error', () => {
  expect(() => renderNode(aNode({ controlPlane: [] }))).toThrow('give each as --control-plane')
  expect(pods(aNode({ role: 'worker', controlPlane: [] }))).toEqual(['keepalived', 'coredns'])
})

test('The Corefile answers for one family, and has no other records of the names', () => {
  const text = content(aNode(), 'Corefile')
  expect(text).toContain('template IN A api.shop.example.com {')
  expect(text).toContain('template IN ANY api-int.shop.example.com {')
  expect(text).not.toContain('AAAA')
})

test.each(roles)('The Corefile answers for both families on a %s', (role) => {
  const text = content(aNode({ role, vips: ofBothFamilies }), 'Corefile')
  expect(text).toContain('answer "{{ .Name }} 60 IN {{ .Type }} 2001:db8::5"')
  expect(text).toContain('answer "{{ .Name }} 60 IN {{ .Type }} 2001:db8::7"')
})

test.each(roles)('The Corefile has no records on a %s where they are outside', (role) => {
  const node = aNode({ role, vips: { ...vips, servedBy: 'customer', dnsRecords: 'External' } })
  expect(content(node, 'Corefile')).not.toContain('template')
  expect(content(node, 'Corefile')).toContain('forward . /var/run/NetworkManager/resolv.conf')
})

test("The Corefile listens on the node's own addresses where they are known", () => {
  expect(content(aNode(), 'Corefile')).not.toContain('bind')
  const own = [ip('192.0.2.20'), ip('2001:db8::20')]
  expect(content(aNode({ own }), 'Corefile')).toContain('bind 127.0.0.1 ::1 192.0.2.20 2001:db8::20\n')
})

test('The Corefile forwards to the servers that are given, and needs no file of the network then', () => {
  const node = aNode({ upstreams: [ip('192.0.2.1'), ip('2001:db8::1')] })
  expect(content(node, 'Corefile')).toContain('forward . 192.0.2.1 2001:db8::1 {')
  expect(content(node, 'coredns.yaml')).not.toContain('NetworkManager')
  expect(content(aNode(), 'coredns.yaml')).toContain('NetworkManager')
})

test('The configuration of keepalived gives the API to bootstrap first, and no ingress', () => {
  const text = content(aNode({ role: 'bootstrap' }), 'keepalived.conf')
  expect(text).toContain('priority 70')
  expect(text).not.toContain('ingress_0')
})

test('The configuration of keepalived gives workers the ingress alone', () => {
  const text = content(aNode({ role: 'worker' }), 'keepalived.conf')
  expect(text).toContain('192.0.2.7/32')
  expect(text).not.toContain('192.0.2.5')
})

test('The configuration of keepalived has an instance for each virtual IP, and other router IDs in another cluster', () => {
  const ids = (node: Node) =>
    [...(content(node, 'keepalived.conf') ?? '').matchAll(/virtual_router_id (\d+)/g)].map(([, id]) =>
      Number(id),
    )
  const [api = 0, second, ingress, last] = ids(aNode({ vips: ofBothFamilies }))
  expect([second, ingress, last]).toEqual([api, api + 1, api + 1])
  expect(ids(aNode({ domain: 'till.example.com' }))[0]).not.toBe(api)
})

test('The configuration of keepalived sends to its peers alone, in the family of the address', () => {
  const own = [ip('192.0.2.20'), ip('2001:db8::20')]
  const others = { controlPlane: [ip('192.0.2.20'), ip('192.0.2.21'), ip('2001:db8::21')], workers: [] }
  const text = content(aNode({ vips: ofBothFamilies, vrrp: 'unicast', own, ...others }), 'keepalived.conf')
  expect(text).toContain('unicast_src_ip 192.0.2.20\n  unicast_peer {\n    192.0.2.21\n  }')
  expect(text).toContain('unicast_src_ip 2001:db8::20\n  unicast_peer {\n    2001:db8::21\n  }')
})

test('The configuration of keepalived is an error without peers, or without an address of its own', () => {
  const own = [ip('192.0.2.20')]
  expect(() => renderNode(aNode({ vrrp: 'unicast' }))).toThrow('give it as --node-ip')
  expect(() => renderNode(aNode({ vrrp: 'unicast', own, controlPlane: own }))).toThrow(
    'give them as --control-plane and --workers',
  )
})

test('The virtual IPs of the API are redirected to HAProxy, in their family', () => {
  const text = content(aNode({ vips: ofBothFamilies }), 'portcullis-api.nft')
  expect(text).toContain('ip daddr 192.0.2.5 fib daddr type local tcp dport 6443 redirect to :9445')
  expect(text).toContain('ip6 daddr 2001:db8::5 fib daddr type local tcp dport 6443 redirect to :9445')
})

test('A MachineConfig has every file, and units as units', () => {
  const files = renderNode(aNode())
  const { metadata, spec } = machineConfig('master', files)
  expect(metadata.labels).toEqual({ 'machineconfiguration.openshift.io/role': 'master' })
  const { storage, systemd } = spec.config
  const written = storage.files.map(({ path, contents }) => ({
    path: path.slice(1),
    content: Buffer.from(contents.source.split('base64,')[1] ?? '', 'base64').toString(),
  }))
  const [unit] = systemd.units
  expect(unit).toMatchObject({ name: 'portcullis-api-redirect.service', enabled: true })
  const asFile = { path: `etc/systemd/system/${unit?.name}`, content: unit?.contents }
  expect([...written, asFile]).toEqual(expect.arrayContaining([...files]))
  expect(written).toHaveLength(files.length - 1)
})

test('A MachineConfig is not rendered for bootstrap', () => {
  expect(() => machineConfig('bootstrap', [])).toThrow('write its files with --out')
})
