import { createServer, type Server } from 'node:https'
import {
  type Certificate,
  certificateAuthority,
  servingCertificate,
} from '@portcullis/kube/internal/certificates.ts'
import { type Node, roles } from '@portcullis/onprem'
import { infrastructurePlatforms } from '@portcullis/onprem/internal/infrastructure-platforms.ts'
import { isOnPremises } from '@portcullis/onprem/internal/install-config/platforms.ts'
import { aNode, ip, ofBothFamilies, vips } from '@portcullis/onprem/testing'
import { Agent, request } from 'undici'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../clusters/free-port.ts'
import { run } from '../clusters/run-command.ts'
import { coredns, debianProgram } from './install-programs.ts'
import { aNetworkNamespace, aWorkspace, until, writeNode } from './rendered-node.ts'

const platforms = Object.keys(infrastructurePlatforms).filter(isOnPremises)
const programs = { haproxy: '', keepalived: '', coredns: '', dig: '', nft: '' }
let certificate: Certificate

beforeAll(async () => {
  programs.haproxy = await debianProgram('haproxy')
  programs.keepalived = await debianProgram('keepalived')
  programs.dig = await debianProgram('dig', 'dnsutils')
  programs.nft = await debianProgram('nft', 'nftables')
  await debianProgram('ip', 'iproute2')
  await debianProgram('curl')
  programs.coredns = await coredns()
  certificate = await servingCertificate(await certificateAuthority('portcullis-test-authority'))
}, 600_000)

describe.each(platforms)('Rendered configuration on %s', (platform) => {
  const own = [ip('192.0.2.20'), ip('2001:db8::20')]
  const others = {
    controlPlane: [...own, ip('192.0.2.21'), ip('2001:db8::21')],
    workers: [ip('192.0.2.30'), ip('2001:db8::30')],
  }
  const kinds: readonly [string, Partial<Node>][] = [
    ['one family', {}],
    ['both families', { vips: { ...ofBothFamilies, platform } }],
    ['both families and unicast', { vips: { ...ofBothFamilies, platform }, vrrp: 'unicast', own, ...others }],
  ]
  test.each(kinds)('The programs accept their configuration with %s', async (_, changes) => {
    const [workspace, namespace] = [await aWorkspace(), await aNetworkNamespace()]
    await namespace.connect('br-ex', '192.0.2.20/24', '2001:db8::20/64')
    for (const role of roles) {
      const file = await writeNode(aNode({ vips: { ...vips, platform }, ...changes, role }), workspace)
      const checked = await namespace.run(programs.keepalived, '-t', '-f', file('keepalived.conf'))
      expect(checked, role).toEqual({ code: 0, stdout: '', stderr: '' })
      if (role !== 'master') continue
      const balanced = await run(programs.haproxy, ['-c', '-f', file('haproxy.cfg')])
      expect(balanced).toEqual({ code: 0, stdout: 'Configuration file is valid\n', stderr: '' })
      await namespace.must(programs.nft, '-f', file('portcullis-api.nft'))
      await namespace.must(programs.nft, '-f', file('portcullis-api.nft'))
    }
  })
})

describe('A real CoreDNS', () => {
  const upstream = `.:53 {
    bind 127.0.0.9
    hosts {
        198.51.100.1 elsewhere.example.net apps.shop.example.com db.shop.example.com
        198.51.100.2 api.shop.example.com api-int.shop.example.com shop.apps.shop.example.com
    }
}
`
  /** Answers of a node's own DNS server, with another one behind it that knows what the network knows. */
  async function asking(changes: Partial<Node>) {
    const [workspace, namespace] = [await aWorkspace(), await aNetworkNamespace()]
    const node = aNode({ upstreams: [ip('127.0.0.9')], own: [ip('127.0.0.2')], ...changes })
    const file = await writeNode(node, workspace)
    const behind = await workspace.write('Corefile.upstream', upstream)
    for (const [name, configuration] of [
      ['upstream', behind],
      ['coredns', file('Corefile')],
    ] as const)
      workspace.launch(name, ...namespace.inside(programs.coredns, '-conf', configuration))
    const dig = (...args: string[]) =>
      namespace.run(programs.dig, '@127.0.0.1', '+time=2', '+tries=1', ...args)
    await until('health', async () => {
      const { code } = await namespace.run('curl', '-fs', 'http://127.0.0.2:18080/health')
      return code === 0 && (await dig('elsewhere.example.net')).code === 0
    })
    return {
      short: async (...args: string[]) =>
        (await dig('+short', ...args)).stdout.trim().split('\n').sort().join(' '),
      whole: async (...args: string[]) => (await dig(...args)).stdout,
    }
  }

  test.each(['nodes', 'customer'] as const)(
    'CoreDNS answers with the virtual IPs that the %s serve, and forwards the rest',
    async (servedBy) => {
      const { short, whole } = await asking({ role: 'worker', vips: { ...vips, servedBy } })
      expect(await short('api.shop.example.com')).toBe('192.0.2.5')
      expect(await short('api-int.shop.example.com')).toBe('192.0.2.5')
      expect(await short('ApI-iNt.ShOp.eXample.com')).toBe('192.0.2.5')
      expect(await short('shop.apps.shop.example.com')).toBe('192.0.2.7')
      expect(await short('a.b.apps.shop.example.com')).toBe('192.0.2.7')
      expect(await short('elsewhere.example.net')).toBe('198.51.100.1')
      expect(await short('db.shop.example.com')).toBe('198.51.100.1')
      expect(await short('apps.shop.example.com'), 'the wildcard itself').toBe('198.51.100.1')
      expect(await short('+tcp', 'api.shop.example.com')).toBe('192.0.2.5')
      const nothing = await whole('AAAA', 'api.shop.example.com')
      expect(nothing, 'a name without IPv6 exists all the same').toMatch(
        /status: NOERROR.*ANSWER: 0, AUTHORITY: 1/s,
      )
      expect(await whole('api.shop.example.com')).toMatch(
        /api\.shop\.example\.com\.\s+(60|5\d|30|2\d)\s+IN\s+A/,
      )
    },
  )

  test.each(roles)('CoreDNS answers with both families on a %s', async (role) => {
    const { short } = await asking({ role, vips: { ...ofBothFamilies, servedBy: 'customer' } })
    for (const name of ['api.shop.example.com', 'api-int.shop.example.com']) {
      expect(await short('A', name)).toBe('192.0.2.5')
      expect(await short('AAAA', name)).toBe('2001:db8::5')
    }
    expect(await short('A', 'x.apps.shop.example.com')).toBe('192.0.2.7')
    expect(await short('AAAA', 'x.apps.shop.example.com')).toBe('2001:db8::7')
  })

  test.each(roles)('CoreDNS forwards the names on a %s where records are external', async (role) => {
    const { short } = await asking({ role, vips: { ...vips, servedBy: 'customer', dnsRecords: 'External' } })
    expect(await short('api-int.shop.example.com')).toBe('198.51.100.2')
    expect(await short('shop.apps.shop.example.com')).toBe('198.51.100.2')
  })

  test('CoreDNS resolves the names of nodes, with the domain and without', async () => {
    const names = [
      { name: 'm-1', ip: ip('192.0.2.20') },
      { name: 'm-1', ip: ip('2001:db8::20') },
      { name: 'w-1.rack.example.com', ip: ip('192.0.2.30') },
    ]
    const { short } = await asking({ names })
    expect(await short('m-1')).toBe('192.0.2.20')
    expect(await short('AAAA', 'm-1.shop.example.com')).toBe('2001:db8::20')
    expect(await short('w-1.rack.example.com')).toBe('192.0.2.30')
  })
})

describe('A real HAProxy', () => {
  class StubApiServer {
    readonly #server: Server
    ready = true

    constructor(address: string) {
      this.#server = createServer(
        { cert: certificate.certificate, key: certificate.key },
        (asked, answer) => {
          const isAsked = asked.url === '/readyz'
          answer.writeHead(isAsked && !this.ready ? 500 : 200, { connection: 'close' }).end(address)
        },
      )
    }

    listen(address: string, port: number): Promise<void> {
      onTestFinished(() => void this.#server.close())
      return new Promise((resolve) => this.#server.listen(port, address, resolve))
    }
  }

  test('HAProxy balances between API servers, drops one that is not ready in time, and takes it back', async () => {
    const workspace = await aWorkspace()
    const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
    const [api, balancer, balancerReady, balancerStatistics] = await Promise.all([
      freePort(),
      freePort(),
      freePort(),
      freePort(),
    ])
    const { ports } = aNode()
    const settings = {
      api,
      balancer,
      balancerReady,
      balancerStatistics,
      balancerAddresses: [ip('127.0.0.1')],
    }
    const controlPlane = addresses.map(ip)
    const file = await writeNode(aNode({ controlPlane, ports: { ...ports, ...settings } }), workspace)
    const servers = new Map(addresses.map((address) => [address, new StubApiServer(address)]))
    for (const [address, server] of servers) await server.listen(address, api)
    const haproxy = workspace.launch('haproxy', programs.haproxy, ['-db', '-f', file('haproxy.cfg')])
    const agent = new Agent({ connect: { rejectUnauthorized: false }, pipelining: 0 })
    onTestFinished(() => agent.destroy())

    const ask = async (url: string) => (await request(url, { dispatcher: agent })).body.text()
    await haproxy.ready(() =>
      ask(`http://127.0.0.1:${balancerReady}/haproxy_ready`).then(Boolean, () => false),
    )
    const answering = async () => {
      const answers = Array.from({ length: 12 }, () => ask(`https://127.0.0.1:${balancer}/version`))
      return (await Promise.all(answers)).sort()
    }
    // Until its first check has passed, a server is dropped by a single one that fails.
    await until('all have been found ready', async () => {
      const statistics = await ask(`http://127.0.0.1:${balancerStatistics}/;csv`)
      return statistics.split('\n').filter((line) => line.includes('L7OK')).length === addresses.length
    })
    const turns = await answering()
    for (const address of addresses)
      expect(turns.filter((each) => each === address).length, turns.join()).toBeGreaterThan(2)

    const tired = servers.get('127.0.0.3') ?? new StubApiServer('nowhere')
    tired.ready = false
    const dropped = await until('one is left alone', async () => !(await answering()).includes('127.0.0.3'))
    expect(dropped).toBeGreaterThan(5000)
    expect(dropped).toBeLessThan(20_000)
    tired.ready = true
    const back = await until('it is used again', async () => (await answering()).includes('127.0.0.3'))
    expect(back).toBeLessThan(10_000)
  })
})
