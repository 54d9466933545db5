import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type CommandIO, commandIO } from '@portcullis/cli/internal/io/command-io.ts'
import { run as runPortcullis } from '@portcullis/cli/internal/testing/captured-io.ts'
import { type CheckResult, FakeBackend, type MemberPorts, memberPorts } from '@portcullis/onprem'
import { command } from '@portcullis/onprem/internal/fake-backends/control-client.ts'
import { loopbackNetwork } from '@portcullis/onprem/testing'
import { run } from '../clusters/run-command.ts'
import { coredns, debianProgram } from './install-programs.ts'
import { type Running, start } from './running-program.ts'

export const offset = 10_000
const ports = memberPorts(offset)
const controlPort = 9936 + offset
const token = 'a token for the tests'

/** The site of a customer on loopback addresses: fake backends for nodes, a load balancer, a DNS server. */
export class Site {
  readonly network = loopbackNetwork()
  readonly api = this.network.address(10)
  readonly ingress = this.network.address(11)
  readonly bootstrap = this.network.address(20)
  readonly controlPlane = [this.network.address(21), this.network.address(22)]
  readonly workers = [this.network.address(31), this.network.address(32)]
  readonly resolver = `${this.network.address(53)}:5353`
  readonly #directory: string
  readonly #fakeBackends: FakeBackend[] = []
  readonly #running: Running[] = []

  private constructor(directory: string) {
    this.#directory = directory
  }

  static async open(): Promise<Site> {
    const site = new Site(await mkdtemp(join(tmpdir(), 'portcullis-site-')))
    await writeFile(site.#installConfig, site.installConfigText())
    return site
  }

  get #installConfig(): string {
    return join(this.#directory, 'install-config.yaml')
  }

  async close(): Promise<void> {
    for (const backend of this.#fakeBackends) backend.close()
    await Promise.all(this.#running.map((running) => running.stop()))
    await rm(this.#directory, { recursive: true })
  }

  async startFakeBackends(...addresses: string[]): Promise<void> {
    await this.startFakeBackendsOn(ports, ...addresses)
  }

  async startFakeBackendsOn(ports: MemberPorts, ...addresses: string[]): Promise<void> {
    for (const address of addresses) {
      const now = () => performance.now()
      const options = { address, ports, controlPort, token, now }
      this.#fakeBackends.push(await FakeBackend.start(options))
    }
  }

  /** Lets a fake backend for a worker be ready, or not, as its router says. */
  async setRouterReady(address: string, isReady: boolean): Promise<void> {
    await command({ address, port: controlPort, token, timeoutMs: 4000 }, '/ready', {
      check: 'router',
      isReady,
    })
  }

  /** What our own command writes, with checks that are quick. */
  async configuration(program: 'haproxy' | 'nginx', ...args: string[]): Promise<string> {
    const flags = `--for ${program} --install-config ${this.#installConfig} --port-offset ${offset}
      --check-interval 500ms --check-timeout 1s`
    const members = `--bootstrap ${this.bootstrap} --control-plane ${this.controlPlane.join(' ')}
      --workers ${this.workers.join(' ')}`
    const named = args.includes('--subnet') ? [] : words(members)
    const command = ['load-balancer', 'config', ...words(flags), ...named, ...args]
    const { stdout, stderr, code } = await runPortcullis(command)
    if (code !== 0) throw new Error(stderr)
    return `${stdout}\n`
  }

  async write(name: string, text: string): Promise<string> {
    const file = this.file(name)
    await writeFile(file, text)
    return file
  }

  /** Where a file of that name belongs. */
  file(name: string): string {
    return join(this.#directory, name)
  }

  async haproxy(configuration: string): Promise<void> {
    const file = await this.write('haproxy.cfg', configuration)
    const haproxy = await debianProgram('haproxy')
    await accepts(haproxy, '-c', '-f', file)
    this.#running.push(start(haproxy, ['-db', '-f', file]))
  }

  async nginx(configuration: string): Promise<void> {
    await debianProgram('nginx', 'libnginx-mod-stream')
    const file = await this.write('nginx.conf', configuration)
    const nginx = await debianProgram('nginx')
    const place = `daemon off; pid ${this.#directory}/nginx.pid; error_log ${this.#directory}/nginx.log;`
    const args = ['-c', file, '-e', `${this.#directory}/nginx.log`, '-g', place]
    await accepts(nginx, '-t', ...args)
    this.#running.push(start(nginx, args))
  }

  /** A CoreDNS that knows these names, `*` for all under apps. */
  async dns(records: Readonly<Record<string, string>> = this.records()): Promise<void> {
    const [address = '', port = ''] = this.resolver.split(':')
    const templates = Object.entries(records).map(([name, ip]) => {
      const pattern = `^${name.replaceAll('.', '[.]').replace('*', '[^.]+')}[.]$`
      return `  template IN A edge.example.com {\n    match "${pattern}"\n    answer "{{ .Name }} 60 IN A ${ip}"\n    fallthrough\n  }`
    })
    const nothing = ['A', 'AAAA'].map(
      (type) =>
        `  template IN ${type} edge.example.com {\n    rcode ${type === 'A' ? 'NXDOMAIN' : 'NOERROR'}\n  }`,
    )
    const file = await this.write(
      'Corefile',
      `.:${port} {\n  bind ${address}\n${[...templates, ...nothing].join('\n')}\n}\n`,
    )
    this.#running.push(start(await coredns(), ['-conf', file]))
  }

  records(): Record<string, string> {
    return {
      'api.edge.example.com': this.api,
      'api-int.edge.example.com': this.api,
      '*.apps.edge.example.com': this.ingress,
    }
  }

  /** Everything as it should be, but for what is given. */
  async run(parts: {
    haproxy?: string
    nginx?: string
    dns?: Readonly<Record<string, string>>
  }): Promise<void> {
    await this.startFakeBackends(this.bootstrap, ...this.controlPlane, ...this.workers)
    await this.dns(parts.dns)
    if (parts.haproxy !== undefined) await this.haproxy(parts.haproxy)
    if (parts.nginx !== undefined) await this.nginx(parts.nginx)
    // A load balancer takes its members for healthy until it has asked.
    await delay(1500)
  }

  /** Runs the preflight as a user would, only with less patience. */
  preflight(...args: string[]): Promise<PreflightResult> {
    const flags = `--install-config ${this.#installConfig} --port-offset ${offset}
      --bootstrap ${this.bootstrap} --control-plane ${this.controlPlane.join(' ')} --workers ${this.workers.join(' ')}
      --resolver ${this.resolver} --dns-timeout 500ms --source ${this.network.address(1)}
      --idle 1500ms --drop-limit 4s --router-drop-limit 4s --settle 2s --connect-timeout 4s --poll 100ms`
    return preflight(...words(flags), '--token', token, ...args)
  }

  installConfigText(): string {
    return `apiVersion: v1
baseDomain: example.com
metadata:
  name: edge
networking:
  machineNetwork:
    - cidr: ${this.network.cidr}
platform:
  vsphere:
    loadBalancer:
      type: UserManaged
    apiVIPs: [${this.api}]
    ingressVIPs: [${this.ingress}]
`
  }
}

/** The program's own opinion of a configuration. */
async function accepts(program: string, ...args: string[]): Promise<void> {
  const { code, stderr } = await run(program, args)
  if (code !== 0) throw new Error(`${program} refuses its configuration:\n${stderr}`)
}

export interface PreflightResult {
  readonly results: readonly CheckResult[]
  /** As `check-clear-text in reach api`. */
  readonly found: readonly string[]
  readonly output: string
  readonly stderr: string
  readonly code: number
}

/** Flags as one writes them, with line breaks where one likes. */
export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

/** `portcullis preflight`, in this process. */
export async function preflight(...args: string[]): Promise<PreflightResult> {
  // A kubeconfig among the arguments leads to a real cluster.
  const connect: CommandIO['connect'] = (choice) => commandIO(process).connect(choice)
  const ran = await runPortcullis(['preflight', '-o', 'json', ...args], { connect })
  const { stdout: output, stderr, code } = ran
  const isJson = output.startsWith('{')
  const { checks = [] } = (isJson ? JSON.parse(output) : {}) as { checks?: readonly CheckResult[] }
  const found = checks.flatMap(({ check, findings }) => findings.map(({ id }) => `${id} in ${check}`))
  return { results: checks, found, output, stderr, code }
}
