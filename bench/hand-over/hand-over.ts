import { type Client, Ingress } from '@portcullis/kube'
import { createIngresses, nameOf, namespace } from '../ingresses.ts'
import { InstalledCluster } from '../installed-cluster.ts'
import type { OperatorProcess } from '../operator-process.ts'
import { logProgress } from '../progress.ts'
import { type Measured, median, type Row } from '../table.ts'
import { waitUntil } from '../wait-until.ts'

/** What is claimed is of the second; the others show how it grows. */
const sizes = [250, 1000, 4000]
const claimed = 1000
const address = '10.201.0.1'
const flags = ['--ingress-class-name', 'portcullis', '--ingress-status-address', address]

/** What a peer takes, as its reference says; the least where that gives a span. */
const peers = {
  SIGTERM: { name: 'Contour', seconds: 2, measured: '2 to 4.4 s' },
  SIGKILL: { name: 'Contour', seconds: 15, measured: 'up to 19 s' },
} as const

/** Enough for a median: when the successor looks for its turn is left to chance. */
const times = 5
/** Each waits for a lease to run out; where nothing is claimed, one shows whether it grows. */
const timesByKill = (count: number) => (count === claimed ? times : 1)

/**
 * From the signal that ends the leader to the address of an Ingress that was created when it had ended: for so long
 * no addresses are written. The successor finds all the others right, and must not write to them.
 */
export async function benchHandOver(): Promise<Measured> {
  const cluster = await InstalledCluster.create()
  try {
    const rows: Row[] = []
    const growth: string[][] = []
    let before = 0
    for (const count of sizes) {
      logProgress(`Handing over ${count} Ingresses from one operator to the next`)
      await createIngresses(cluster.client, count, before)
      before = count
      const graceful = await handOvers(cluster, 'SIGTERM', count, times)
      const abrupt = await handOvers(cluster, 'SIGKILL', count, timesByKill(count))
      growth.push([
        String(count),
        formatted(graceful),
        formatted(abrupt),
        String(graceful.strayWrites + abrupt.strayWrites),
      ])
      if (count === claimed) rows.push(...rowsOf('SIGTERM', graceful), ...rowsOf('SIGKILL', abrupt))
    }
    const columns = ['Ingresses', 'hand-over by SIGTERM', 'hand-over by SIGKILL', 'stray writes']
    return { rows, growth: { columns, rows: growth } }
  } finally {
    await cluster.close()
  }
}

interface HandOvers {
  readonly seconds: readonly number[]
  readonly strayWrites: number
}

async function handOvers(
  cluster: InstalledCluster,
  signal: keyof typeof peers,
  count: number,
  howOften: number,
): Promise<HandOvers> {
  const all: Awaited<ReturnType<typeof handOver>>[] = []
  for (let number = 1; number <= howOften; number++)
    all.push(await handOver(cluster, signal, `late-${signal.toLowerCase()}-${count}-${number}`, count))
  return {
    seconds: all.map(({ seconds }) => seconds),
    strayWrites: all.reduce((sum, each) => sum + each.strayWrites, 0),
  }
}

function rowsOf(signal: keyof typeof peers, measured: HandOvers): Row[] {
  const { name, measured: theirs, seconds } = peers[signal]
  return [
    {
      name: `hand-over by ${signal}, ${times} times, against ${name} (reference, not measured here)`,
      ours: formatted(measured),
      theirs,
      ratio: seconds / median(measured.seconds),
    },
    {
      name: `  writes to ${claimed} Ingresses that were right already`,
      ours: String(measured.strayWrites),
      theirs: '0',
      ratio: measured.strayWrites === 0 ? 1 : 0,
      bar: 1,
    },
  ]
}

function formatted({ seconds }: HandOvers): string {
  const middle = `${median(seconds).toFixed(2)} s`
  if (seconds.length === 1) return middle
  return `${middle} (${Math.min(...seconds).toFixed(2)} to ${Math.max(...seconds).toFixed(2)} s)`
}

async function handOver(cluster: InstalledCluster, signal: NodeJS.Signals, late: string, count: number) {
  const { client } = cluster
  await cluster.freeLease()
  const first = cluster.operator(flags)
  let second: OperatorProcess | undefined
  try {
    await first.logged('Leading')
    second = cluster.operator(flags)
    await second.logged('All caches have synced')
    await allAddressed(client, count)
    const { resourceVersion } = await client.list(Ingress, { namespace })
    const stop = new AbortController()
    const watched = { namespace, resourceVersion, timeoutSeconds: 60, signal: stop.signal }
    const stream = await client.watchOnce(Ingress, watched)
    const start = performance.now()
    first.send(signal)
    await first.hasEnded()
    await client.create(Ingress, lateIngress(late))
    let writes = 0
    for await (const events of stream) {
      writes += events.filter(({ type }) => type === 'MODIFIED').length
      const isAddressed = events.some(
        (event) =>
          event.type === 'MODIFIED' &&
          event.object.metadata.name === late &&
          event.object.status?.loadBalancer?.ingress?.[0]?.ip === address,
      )
      if (isAddressed) break
    }
    const seconds = (performance.now() - start) / 1000
    stop.abort(new Error('measured'))
    return { seconds, strayWrites: writes - 1 }
  } finally {
    await Promise.all([first.end('SIGKILL'), second?.end('SIGKILL')])
  }
}

const lateIngress = (name: string) => ({
  metadata: { namespace, name },
  spec: {
    ingressClassName: 'portcullis',
    defaultBackend: { service: { name: 'web', port: { number: 80 } } },
  },
})

async function allAddressed(client: Client, count: number): Promise<void> {
  await waitUntil(
    async () => {
      const { items } = await client.list(Ingress, { namespace })
      const written = items.filter(({ status }) => status?.loadBalancer?.ingress?.[0]?.ip === address)
      return written.length >= count
    },
    `${nameOf(0)} and all others say ${address}`,
  )
}
