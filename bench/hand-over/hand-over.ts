import type { Client } from '../../src/kube/client.ts'
import { Ingress } from '../../src/kube/kinds.ts'
import { createIngresses, nameOf, namespace } from '../ingresses.ts'
import type { OperatorProcess } from '../operator-process.ts'
import { say } from '../say.ts'
import { Stage } from '../stage.ts'
import type { Row } from '../table.ts'
import { until } from '../until.ts'

const count = 1000
const address = '10.201.0.1'
const flags = ['--ingress-class-name', 'portcullis', '--ingress-status-address', address]

/** What a peer takes, as its reference says; the least where that gives a span. */
const peers = {
  SIGTERM: { name: 'Contour', seconds: 2, told: '2 to 4.4 s' },
  SIGKILL: { name: 'Contour', seconds: 15, told: 'up to 19 s' },
} as const

/** Enough for a median: when the successor looks for its turn is left to chance. */
const times = 5

/**
 * From the signal that ends the leader to the address of an Ingress that was created when it had ended: for so long
 * nobody tells. The successor finds all the others right, and must not write to them.
 */
export async function benchHandOver(): Promise<Row[]> {
  const stage = await Stage.open()
  try {
    say(`Creating ${count} Ingresses`)
    await createIngresses(stage.client, count)
    return await measureHandOvers(stage)
  } finally {
    await stage.close()
  }
}

async function measureHandOvers(stage: Stage): Promise<Row[]> {
  say(`Handing over ${count} Ingresses from one operator to the next, by SIGTERM and by SIGKILL`)
  const rows: Row[] = []
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const measured: Awaited<ReturnType<typeof handOver>>[] = []
    for (let number = 1; number <= times; number++) measured.push(await handOver(stage, signal, number))
    const all = measured.map(({ seconds }) => seconds).sort((one, other) => one - other)
    const median = all[(times - 1) / 2] as number
    const strayWrites = measured.reduce((sum, each) => sum + each.strayWrites, 0)
    const { name, told, seconds: theirs } = peers[signal]
    rows.push(
      {
        name: `hand-over by ${signal}, ${times} times, against ${name} (reference, not measured here)`,
        ours: `${median.toFixed(2)} s (${all[0]?.toFixed(2)} to ${all.at(-1)?.toFixed(2)} s)`,
        theirs: told,
        ratio: theirs / median,
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
  return rows
}

async function handOver(stage: Stage, signal: 'SIGTERM' | 'SIGKILL', number: number) {
  const { client } = stage
  await stage.freeLease()
  const first = stage.operator(flags)
  let second: OperatorProcess | undefined
  try {
    await first.says('Leading')
    second = stage.operator(flags)
    await second.says('All stores have synced')
    await allTold(client)
    const { resourceVersion } = await client.list(Ingress, { namespace })
    const stop = new AbortController()
    const watched = { namespace, resourceVersion, timeoutSeconds: 60, signal: stop.signal }
    const stream = await client.watchOnce(Ingress, watched)
    const name = `late-${signal.toLowerCase()}-${number}`
    const start = performance.now()
    first.send(signal)
    await first.hasEnded()
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

async function allTold(client: Client): Promise<void> {
  await until(
    async () => {
      const { items } = await client.list(Ingress, { namespace })
      const told = items.filter(({ status }) => status?.loadBalancer?.ingress?.[0]?.ip === address)
      return told.length >= count
    },
    `${nameOf(0)} and all others say ${address}`,
  )
}
