import {
  type Certificate,
  certificateAuthority,
  servingCertificate,
} from '@portcullis/kube/internal/certificates.ts'
import type { Node } from '@portcullis/onprem'
import { aNode, ip } from '@portcullis/onprem/testing'
import { beforeAll, expect, test } from 'vitest'
import type { Component } from '../clusters/component.ts'
import type { Workspace } from '../clusters/workspace.ts'
import { debianProgram } from './install-programs.ts'
import type { NetworkNamespace } from './network-namespace.ts'
import { aNetworkNamespace, aWorkspace, until, writeNode } from './rendered-node.ts'

const programs = { haproxy: '', keepalived: '', nft: '' }
let certificate: Certificate

beforeAll(async () => {
  programs.haproxy = await debianProgram('haproxy')
  programs.keepalived = await debianProgram('keepalived')
  programs.nft = await debianProgram('nft', 'nftables')
  await debianProgram('ip', 'iproute2')
  await debianProgram('curl')
  certificate = await servingCertificate(await certificateAuthority('portcullis-test-authority'))
}, 600_000)

const vip = '192.0.2.5'
const addresses = ['192.0.2.20', '192.0.2.21'] as const

/** A node with everything that is rendered for it, and a stub of its API server, which says whose it is. */
class RunningNode {
  readonly address: string
  readonly #workspace: Workspace
  readonly #network: NetworkNamespace
  readonly #processes = new Map<string, Component>()

  private constructor(address: string, workspace: Workspace, network: NetworkNamespace) {
    this.address = address
    this.#workspace = workspace
    this.#network = network
  }

  static async start(
    address: string,
    network: NetworkNamespace,
    changes: Partial<Node>,
  ): Promise<RunningNode> {
    const started = new RunningNode(address, await aWorkspace(), network)
    const node = aNode({ controlPlane: addresses.map(ip), own: [ip(address)], workers: [], ...changes })
    const file = await writeNode(node, started.#workspace)
    started.#launch('api', programs.haproxy, '-db', '-f', await started.#stub(address))
    if (node.role === 'master') {
      await network.must(programs.nft, '-f', file('portcullis-api.nft'))
      started.#launch('haproxy', programs.haproxy, '-db', '-f', file('haproxy.cfg'))
    }
    const pids = [
      '--pid',
      started.#workspace.path('main.pid'),
      '--vrrp_pid',
      started.#workspace.path('vrrp.pid'),
    ]
    const how = ['--dont-fork', '--vrrp', '--log-console', '--use-file', file('keepalived.conf')]
    started.#launch('keepalived', programs.keepalived, ...how, ...pids)
    return started
  }

  async holds(): Promise<boolean> {
    return (await this.#network.must('ip', 'addr')).includes(`${vip}/32`)
  }

  /** Who answers at the virtual IP, seen from here. */
  async answer(): Promise<string> {
    const asked = ['-ks', '--max-time', '2', `https://${vip}:6443/version`]
    return (await this.#network.run('curl', ...asked)).stdout
  }

  async stop(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.#processes.get(name)?.stop()
  }

  #launch(name: string, command: string, ...args: readonly string[]): void {
    this.#processes.set(name, this.#workspace.launch(name, ...this.#network.inside(command, ...args)))
  }

  async #stub(address: string): Promise<string> {
    const pem = await this.#workspace.write('stub.pem', `${certificate.certificate}\n${certificate.key}`)
    return this.#workspace.write(
      'stub.cfg',
      `defaults
  mode http
  timeout client 5s
  timeout server 5s
  timeout connect 5s
frontend api
  bind 0.0.0.0:6443 ssl crt ${pem}
  http-request return status 200 content-type text/plain string "${address}"
`,
    )
  }
}

/** Two machines in one network. */
async function twoNetworks(): Promise<readonly [NetworkNamespace, NetworkNamespace]> {
  const [one, other] = [await aNetworkNamespace(), await aNetworkNamespace()]
  await one.connect('br-ex', `${addresses[0]}/24`)
  await other.connect('br-ex', `${addresses[1]}/24`)
  await one.joinWith(other, 'br-ex')
  return [one, other]
}

test.each(['multicast', 'unicast'] as const)(
  'One of two nodes holds the virtual IP, balances between both, and hands it over when it can no longer serve (%s)',
  async (vrrp) => {
    const [here, there] = await twoNetworks()
    const one = await RunningNode.start(addresses[0], here, { vrrp })
    const other = await RunningNode.start(addresses[1], there, { vrrp })
    const holders = async () => [await one.holds(), await other.holds()].filter(Boolean).length
    const seen = new Set<string>()
    await until('both API servers answer at the virtual IP, wherever one asks', async () => {
      for (const node of [one, other]) seen.add(await node.answer())
      return addresses.every((address) => seen.has(address)) && (await holders()) === 1
    })

    const [holder, heir] = (await one.holds()) ? [one, other] : [other, one]
    await holder.stop('haproxy', 'api')
    const took = await until(
      'the other one holds it',
      async () => (await heir.holds()) && (await holders()) === 1,
    )
    expect(took).toBeLessThan(30_000)
    expect(await heir.answer()).toBe(heir.address)
    expect(await holder.answer(), 'from where it was').toBe(heir.address)
  },
)

test('Bootstrap holds the virtual IP of the API as long as it is there', async () => {
  const [here, there] = await twoNetworks()
  const bootstrap = await RunningNode.start(addresses[0], here, { role: 'bootstrap' })
  await until('bootstrap holds it', () => bootstrap.holds())
  const master = await RunningNode.start(addresses[1], there, {})
  await until('both serve', async () => (await master.answer()) === addresses[0])
  expect(await master.holds()).toBe(false)
  await bootstrap.stop('keepalived')
  await until('the control plane holds it', () => master.holds())
})
