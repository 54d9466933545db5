import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { ControlPlaneHandle } from '../control-plane-handle.ts'
import { type Inside, mustInside } from '../inside.ts'
import { type CommandResult, run } from '../run-command.ts'
import { asProcessOf } from './bed-directory.ts'
import { cableOf } from './network.ts'
import { type BedNamespace, insideNamespace } from './network-namespace.ts'
import {
  bootNode,
  firstProcessOf,
  insideNode,
  killNode,
  logOf,
  type NodePlace,
  processesNamed,
} from './node.ts'
import { childrenOf, killProcess } from './process-identity.ts'

const stoppedWithinMs = 5_000

/** A process on a node that is no pod. */
export interface NodeProcess {
  stop(): Promise<void>
}

/** One node, and what a test can do to it. */
export class NodeHandle {
  readonly #plane: ControlPlaneHandle
  readonly #place: NodePlace
  readonly #cloud: BedNamespace

  /** @param cloud the router between the node and clients */
  constructor(plane: ControlPlaneHandle, place: NodePlace, cloud: BedNamespace) {
    this.#plane = plane
    this.#place = place
    this.#cloud = cloud
  }

  get name(): string {
    return this.#place.layout.name
  }

  get ipv4(): string {
    return this.#place.layout.ipv4
  }

  get ipv6(): string {
    return this.#place.layout.ipv6
  }

  /** Where the log of `containerd`, `kubelet`, `kube-proxy` or `init` is. */
  logFile(service: string): string {
    return logOf(this.#place, service)
  }

  /** As a process of the node; it changes when the node boots anew. */
  async inside(): Promise<Inside> {
    return insideNode(this.#place, await firstProcessOf(this.#place))
  }

  /** Runs a program on the node to its end. */
  async run(command: string, ...args: readonly string[]): Promise<CommandResult> {
    return run(...(await this.inside())(command, args))
  }

  /** Takes its power away. Everything in memory is gone; the disk stays. */
  kill(): Promise<void> {
    return killNode(this.#place)
  }

  /** Turns the power on again. */
  boot(): Promise<void> {
    return bootNode(this.#place, asProcessOf(this.#place.bed))
  }

  async reboot(): Promise<void> {
    await this.kill()
    await this.boot()
  }

  /** Moves its pods elsewhere, as an administrator does before maintenance. Resolves when they are gone. */
  async drain(): Promise<void> {
    const { code, stderr } = await this.#plane.kubectl([
      'drain',
      this.name,
      '--ignore-daemonsets',
      '--delete-emptydir-data',
      '--timeout=180s',
    ])
    if (code !== 0) throw new Error(`${this.name} could not be drained: ${stderr}`)
  }

  async uncordon(): Promise<void> {
    await this.#plane.kubectl(['uncordon', this.name])
  }

  /** Pulls its cable: neither clients nor the API server reach it. */
  async cutOff(): Promise<void> {
    await this.#setCable('down')
  }

  async heal(): Promise<void> {
    await this.#setCable('up')
  }

  /** The node and its pods from the API server alone; clients and other nodes reach them as before. */
  async cutOffFromApiServer(): Promise<void> {
    const { ipv4, ipv6, podsIpv4, podsIpv6 } = this.#place.layout
    const [own4, own6] = [`{ ${ipv4}, ${podsIpv4} }`, `{ ${ipv6}, ${podsIpv6} }`]
    await mustInside(
      this.#insidePlane,
      'nft',
      ['-f', '-'],
      `table inet ${this.#cutOffTable} {
  chain arrived { type filter hook input priority 0; policy accept; ip saddr ${own4} drop; ip6 saddr ${own6} drop; }
  chain leaving { type filter hook output priority 0; policy accept; ip daddr ${own4} drop; ip6 daddr ${own6} drop; }
}
`,
    )
  }

  async reconnectToApiServer(): Promise<void> {
    await mustInside(this.#insidePlane, 'nft', ['delete', 'table', 'inet', this.#cutOffTable])
  }

  /**
   * Loses this share of the packets between the node and clients, in both directions, at random. (To delay them would take the
   * kernel's `netem`, which not every kernel has.)
   */
  async losePackets(percent: number): Promise<void> {
    const { ipv4, ipv6 } = this.#place.layout
    const rules = [`ip saddr ${ipv4}`, `ip daddr ${ipv4}`, `ip6 saddr ${ipv6}`, `ip6 daddr ${ipv6}`]
    await mustInside(
      this.#insideCloud,
      'nft',
      ['-f', '-'],
      `table inet ${this.#lossTable} {
  chain forward {
    type filter hook forward priority 0; policy accept;
    ${rules.map((rule) => `${rule} numgen random mod 100 < ${percent} drop`).join('\n    ')}
  }
}
`,
    )
  }

  async loseNoPackets(): Promise<void> {
    await mustInside(this.#insideCloud, 'nft', ['delete', 'table', 'inet', this.#lossTable])
  }

  /** SIGKILL for a program that the node keeps running and then starts again; true if there was one. */
  async killService(name: 'kubelet' | 'kube-proxy' | 'containerd' | 'network-policy'): Promise<boolean> {
    const found = await processesNamed(this.#place, name)
    return found.map(killProcess).includes(true)
  }

  /** Starts a process that is no pod; it takes ports and memory of the node like any other. */
  async startProcess(command: string, ...args: readonly string[]): Promise<NodeProcess> {
    const [file, all] = (await this.inside())(command, args)
    const child = spawn(file, all, { stdio: 'ignore' })
    await once(child, 'spawn')
    return { stop: () => stopNsenter(child) }
  }

  /** Resolves when the node has been Ready, or not, for this moment; rejects after a minute. */
  async becomes(condition: 'Ready' | 'NotReady', signal?: AbortSignal): Promise<void> {
    const deadline = performance.now() + 60_000
    while ((await this.isReady()) !== (condition === 'Ready')) {
      if (performance.now() > deadline)
        throw new Error(`${this.name} did not become ${condition} in a minute.`)
      await pause(200, undefined, { signal })
    }
  }

  async isReady(): Promise<boolean> {
    const path = '{.status.conditions[?(@.type=="Ready")].status}'
    const { stdout } = await this.#plane.kubectl(['get', 'node', this.name, `--output=jsonpath=${path}`])
    return stdout === 'True'
  }

  get #insidePlane(): Inside {
    return insideNamespace(this.#place.plane, asProcessOf(this.#place.bed))
  }

  get #insideCloud(): Inside {
    return insideNamespace(this.#cloud, asProcessOf(this.#place.bed))
  }

  get #lossTable(): string {
    return `loss-${this.name}`
  }

  get #cutOffTable(): string {
    return `cut-off-${this.name}`
  }

  async #setCable(state: 'up' | 'down'): Promise<void> {
    await mustInside(this.#insidePlane, 'ip', ['link', 'set', cableOf(this.name), state])
  }
}

/** `nsenter` does not hand on signals to the process that it forked into the node, or is about to fork. */
async function stopNsenter(nsenter: ChildProcess): Promise<void> {
  const hasEnded = () => nsenter.exitCode !== null || nsenter.signalCode !== null
  const deadline = performance.now() + stoppedWithinMs
  while (!hasEnded()) {
    for (const child of childrenOf(nsenter.pid ?? 0)) killProcess(child)
    if (performance.now() > deadline) {
      nsenter.kill('SIGKILL')
      throw new Error(
        `Process ${nsenter.pid} did not end within ${stoppedWithinMs / 1000} s, and was killed.`,
      )
    }
    await pause(10)
  }
}
