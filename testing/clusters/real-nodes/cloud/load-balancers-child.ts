// The load balancers, as a process in the network namespace of the cloud: asks targets for their health, and forwards to the healthy.
import { execFile } from 'node:child_process'
import { request } from 'node:http'
import { connect, isIPv6, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { messagesOfParent, sendToParent } from '../../child-messages.ts'
import { forwardingRules } from './forwarding-rules.ts'
import { Listener } from './listener.ts'
import type {
  Health,
  HealthCheck,
  LoadBalancer,
  LoadBalancersReport,
  Target,
  WantedLoadBalancers,
} from './load-balancer.ts'
import { afterCheck, type TargetHealth, unknownHealth } from './target-health.ts'

const execute = promisify(execFile)
/** Nothing of the parent's environment comes in here. */
const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }

/** One target of one load balancer, under observation. */
interface Watched {
  readonly loadBalancer: string
  readonly target: Target
  readonly check: HealthCheck
  health: TargetHealth
  timer: NodeJS.Timeout | undefined
}

const watched = new Map<string, Watched>()
/** Of load balancers that make connections of their own, by address and port. */
const listeners = new Map<string, Listener>()
const ownIps = new Set<string>()
let wanted: WantedLoadBalancers = { version: 0, loadBalancers: [] }
let applied = Promise.resolve()

function watchTargets(): void {
  const keys = new Set<string>()
  for (const { name, targets, healthCheck } of wanted.loadBalancers) {
    for (const target of targets) {
      const key = `${name} ${JSON.stringify([target, healthCheck])}`
      keys.add(key)
      if (watched.has(key)) continue
      const one = { loadBalancer: name, target, check: healthCheck, health: unknownHealth, timer: undefined }
      watched.set(key, one)
      void checkAgain(one)
    }
  }
  for (const [key, one] of watched) {
    if (keys.has(key)) continue
    clearTimeout(one.timer)
    watched.delete(key)
  }
}

async function checkAgain(one: Watched): Promise<void> {
  const begun = performance.now()
  const result = await check(one.target.ipv4, one.check)
  if (![...watched.values()].includes(one)) return
  const before = one.health.state
  one.health = afterCheck(one.health, result === 'passed', one.check)
  if (one.health.state !== before) {
    apply()
    // Who answers nothing at all is gone, and its connections with it; who answers that it wants no more may end what it has.
    if (one.health.state === 'unhealthy' && result === 'silent') void forgetConnections(one.target)
  }
  const pause = Math.max(0, one.check.intervalMs - (performance.now() - begun))
  one.timer = setTimeout(() => void checkAgain(one), pause)
}

type CheckResult = 'passed' | 'refused' | 'silent'

function check(host: string, { port, path, timeoutMs }: HealthCheck): Promise<CheckResult> {
  return new Promise((resolve) => {
    const refused = ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'ECONNREFUSED' ? 'refused' : 'silent')
    if (path === undefined) {
      const socket: Socket = connect({ host, port, timeout: timeoutMs })
      socket.once('connect', () => socket.end(() => resolve('passed')))
      socket.once('timeout', () => socket.destroy(new Error('silent')))
      socket.once('error', refused)
      return
    }
    const asking = request({ host, port, path, agent: false, signal: AbortSignal.timeout(timeoutMs) })
    asking.once('response', (response) => {
      response.resume()
      resolve(response.statusCode === 200 ? 'passed' : 'refused')
    })
    asking.once('error', refused)
    asking.end()
  })
}

async function forgetConnections({ ipv4, ipv6 }: Target): Promise<void> {
  // It fails where there is none.
  for (const [family, address] of [
    ['ipv4', ipv4],
    ['ipv6', ipv6],
  ] as const)
    await execute('conntrack', ['--delete', '--family', family, '--reply-src', address], { env }).catch(
      () => undefined,
    )
}

/** One after the other, each with what is newest then. */
function apply(): void {
  applied = applied.then(applyNow, applyNow)
}

async function applyNow(): Promise<void> {
  const { version, loadBalancers } = wanted
  const health = healthNow()
  await setIps(loadBalancers)
  setListeners(loadBalancers)
  await nft(forwardingRules(loadBalancers, health))
  sendToParent({ version, health } satisfies LoadBalancersReport)
}

function healthNow(): Health {
  const health: Record<string, Record<string, TargetHealth['state']>> = {}
  for (const { name } of wanted.loadBalancers) health[name] = {}
  for (const { loadBalancer, target, health: each } of watched.values())
    (health[loadBalancer] ??= {})[target.node] = each.state
  return health
}

async function setIps(loadBalancers: readonly LoadBalancer[]): Promise<void> {
  const lines: string[] = []
  const all = new Map(loadBalancers.flatMap(({ ips, scope }) => ips.map((ip) => [ip, scope.toLowerCase()])))
  for (const [ip, device] of all)
    if (!ownIps.has(`${ip} ${device}`)) lines.push(`addr replace ${withPrefix(ip)} dev ${device} nodad`)
  const now = new Set([...all].map(([ip, device]) => `${ip} ${device}`))
  for (const each of ownIps) {
    const [ip = '', device = ''] = each.split(' ')
    if (!now.has(each)) lines.push(`addr del ${withPrefix(ip)} dev ${device}`)
  }
  if (lines.length > 0)
    await withInput('ip', ['-batch', '-'], lines.join('\n').replaceAll(/(\d\/32 .*) nodad/g, '$1'))
  ownIps.clear()
  for (const each of now) ownIps.add(each)
}

function withPrefix(ip: string): string {
  return `${ip}/${isIPv6(ip) ? 128 : 32}`
}

function nft(script: string): Promise<void> {
  return withInput('nft', ['-f', '-'], script)
}

async function withInput(command: string, args: readonly string[], input: string): Promise<void> {
  const running = execute(command, args, { env })
  running.child.stdin?.end(input)
  try {
    await running
  } catch (error) {
    console.error(`${String(error)}\n${input}`)
    process.exit(1)
  }
}

function healthyTargetsOf({ name, targets }: LoadBalancer): readonly Target[] {
  const health = healthNow()[name] ?? {}
  return targets.filter(({ node }) => health[node] === 'healthy')
}

function setListeners(loadBalancers: readonly LoadBalancer[]): void {
  const keys = new Set<string>()
  for (const loadBalancer of loadBalancers) {
    if (loadBalancer.forwarding === 'direct') continue
    for (const ip of loadBalancer.ips) {
      for (const port of loadBalancer.ports.filter(({ protocol }) => protocol === 'TCP')) {
        const key = `${ip} ${port.port}`
        keys.add(key)
        const listener = listeners.get(key)
        const way = { loadBalancer, port, healthyTargets: () => healthyTargetsOf(loadBalancer) }
        if (listener === undefined) listeners.set(key, new Listener(ip, way))
        else listener.change(way)
      }
    }
  }
  for (const [key, listener] of listeners) {
    if (keys.has(key)) continue
    listener.close()
    listeners.delete(key)
  }
}

for await (const message of messagesOfParent<WantedLoadBalancers>()) {
  wanted = message
  watchTargets()
  apply()
}
process.exit()
