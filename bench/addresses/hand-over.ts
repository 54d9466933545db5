import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { crds } from '../../src/api/crds.ts'
import type { Client } from '../../src/kube/client.ts'
import { Ingress, Lease, Namespace } from '../../src/kube/kinds.ts'
import { kind } from '../../src/kube/objects.ts'
import { connect, nameOf, namespace } from '../ingresses.ts'
import { say } from '../say.ts'
import type { Row } from '../table.ts'

const address = '10.201.0.1'
const operators = 'operators'
const CustomResourceDefinition = kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition')

/** What a peer takes, as its reference says; the least where that gives a span. */
const peers = {
  SIGTERM: { name: 'Contour', seconds: 2, told: '2 to 4.4 s' },
  SIGKILL: { name: 'Contour', seconds: 15, told: 'up to 19 s' },
} as const

/**
 * From the signal that ends the leader to the address of an Ingress that was created at the same moment: for so long
 * nobody tells. The successor finds all the others right, and must not write to them.
 */
export async function measureHandOver(kubeconfig: string, count: number): Promise<Row[]> {
  say(`Handing over ${count} Ingresses from one operator to the next, by SIGTERM and by SIGKILL`)
  const client = await connect(kubeconfig, 16)
  await install(client)
  const rows: Row[] = []
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const { seconds, strayWrites } = await handOver(client, kubeconfig, count, signal)
    const { name, told, seconds: theirs } = peers[signal]
    rows.push(
      {
        name: `hand-over by ${signal}, against ${name} (reference, not measured here)`,
        ours: `${seconds.toFixed(2)} s`,
        theirs: told,
        ratio: theirs / seconds,
      },
      {
        name: `  writes to ${count} Ingresses that were right already`,
        ours: String(strayWrites),
        theirs: '0',
        ratio: strayWrites === 0 ? 1 : 0,
        bar: 1,
      },
    )
  }
  await client.close()
  return rows
}

async function handOver(client: Client, kubeconfig: string, count: number, signal: NodeJS.Signals) {
  // As a holder leaves it that gave it back: the first operator need not wait.
  const spec = { holderIdentity: '', renewTime: '2020-01-01T00:00:00.000000Z' }
  const lease = { namespace: operators, name: 'portcullis' }
  await client.patch(Lease, lease, { type: 'apply', body: { metadata: lease, spec }, force: true }, byBench)
  const first = new Operator(kubeconfig)
  let second: Operator | undefined
  try {
    await first.says('Leading')
    second = new Operator(kubeconfig)
    await second.says('All stores have synced')
    await allTold(client, count)
    const { resourceVersion } = await client.list(Ingress, { namespace })
    const stop = new AbortController()
    const watched = { namespace, resourceVersion, timeoutSeconds: 60, signal: stop.signal }
    const stream = await client.watchOnce(Ingress, watched)
    const name = `late-${signal.toLowerCase()}`
    const start = performance.now()
    first.send(signal)
    await client.create(Ingress, lateIngress(name))
    let strayWrites = 0
    for await (const events of stream) {
      const late = events.filter(({ object }) => 'metadata' in object && object.metadata.name === name)
      strayWrites += events.filter(({ type }) => type === 'MODIFIED').length
      const isTold = late.some(
        (event) =>
          event.type === 'MODIFIED' && event.object.status?.loadBalancer?.ingress?.[0]?.ip === address,
      )
      if (isTold) break
    }
    const seconds = (performance.now() - start) / 1000
    stop.abort(new Error('measured'))
    return { seconds, strayWrites: strayWrites - 1 }
  } finally {
    await Promise.all([first.end(), second?.end()])
  }
}

/** `portcullis operator` as people run it, built. */
class Operator {
  readonly #process: ChildProcess
  readonly #said = new Set<string>()

  constructor(kubeconfig: string) {
    const flags = `--kubeconfig ${kubeconfig} --health-port 0 --operator-namespace ${operators} --ingress-class-name portcullis --ingress-status-address ${address}`
    this.#process = spawn(process.execPath, ['dist/portcullis.js', 'operator', ...flags.split(' ')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: this.#process.stdout as NodeJS.ReadableStream })
    lines.on('line', (line) => this.#said.add((JSON.parse(line) as { msg: string }).msg))
  }

  async says(message: string): Promise<void> {
    await until(async () => this.#said.has(message), `an operator says "${message}"`)
  }

  send(signal: NodeJS.Signals): void {
    this.#process.kill(signal)
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.send('SIGKILL')
    await ended
  }
}

const byBench = { fieldManager: 'bench' }

const lateIngress = (name: string) => ({
  metadata: { namespace, name },
  spec: {
    ingressClassName: 'portcullis',
    defaultBackend: { service: { name: 'web', port: { number: 80 } } },
  },
})

async function install(client: Client): Promise<void> {
  for (const crd of crds) {
    await client.create(CustomResourceDefinition, crd)
    const { group, names, versions } = crd.spec
    const served = kind(`${group}/${versions[0]?.name}`, names.kind)
    await until(async () => {
      await client.list(served)
      return true
    }, `${names.kind} is served`)
  }
  await client.create(Namespace, { metadata: { name: operators } })
}

async function allTold(client: Client, count: number): Promise<void> {
  await until(
    async () => {
      const { items } = await client.list(Ingress, { namespace })
      const told = items.filter(({ status }) => status?.loadBalancer?.ingress?.[0]?.ip === address)
      return told.length >= count
    },
    `${nameOf(0)} and all others say ${address}`,
  )
}

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`In vain we waited a minute until ${what}.`)
    await pause(100)
  }
}
