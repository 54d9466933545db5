import { setTimeout as pause } from 'node:timers/promises'
import { type Client, Deployment, Ingress } from '@portcullis/kube'
import { IngressController } from '@portcullis/operator'
import { createIngresses, inParallel, namespace } from '../ingresses.ts'
import { InstalledCluster, lineOf, operandNamespace, operatorNamespace } from '../installed-cluster.ts'
import type { OperatorProcess } from '../operator-process.ts'
import { logProgress } from '../progress.ts'
import type { Measured } from '../table.ts'
import { waitUntil } from '../wait-until.ts'

/** A sixteenth, a quarter, and the whole. */
const sizes = [
  { ingresses: 625, controllers: 3 },
  { ingresses: 2_500, controllers: 12 },
  { ingresses: 10_000, controllers: 50 },
]
const idleSeconds = 120
/** At the smaller sizes, which only show how it grows. */
const briefIdleSeconds = 30
const mostMb = 150
const address = '10.202.0.1'
const flags =
  `--platform None --domain apps.example.com --ingress-class-name portcullis --ingress-status-address ${address}`.split(
    ' ',
  )

/**
 * A start, and then nothing to do: how soon the operator leads and says the first thing that is right, and what it takes
 * while nobody changes anything.
 */
export async function benchIdle(): Promise<Measured> {
  const cluster = await InstalledCluster.create()
  try {
    const all: { readonly start: Start; readonly idle: Idle }[] = []
    let before: (typeof sizes)[number] = { ingresses: 0, controllers: 0 }
    for (const size of sizes) {
      logProgress(`${size.ingresses} Ingresses, ${size.controllers} controllers`)
      await fill(cluster.client, before, size)
      await settle(cluster, size)
      before = size
      const operator = cluster.operator(flags)
      try {
        const start = await measureStart(cluster.client, operator, size)
        const forSeconds = size === sizes.at(-1) ? idleSeconds : briefIdleSeconds
        all.push({ start, idle: await measureIdle(cluster, operator, forSeconds) })
      } finally {
        await operator.end()
      }
    }
    return formatted(all)
  } finally {
    await cluster.close()
  }
}

type Size = (typeof sizes)[number]

async function fill(client: Client, from: Size, to: Size): Promise<void> {
  await createIngresses(client, to.ingresses, from.ingresses)
  await inParallel(to.controllers - from.controllers, 16, (at) => {
    const name = `edge-${from.controllers + at}`
    const endpointPublishingStrategy = { type: 'Private' as const }
    const spec = { domain: `${name}.example.com`, endpointPublishingStrategy }
    return client.create(IngressController, { metadata: { namespace: operatorNamespace, name }, spec })
  })
}

/** Has an operator do all that there is to do. */
async function settle(cluster: InstalledCluster, { controllers, ingresses }: Size): Promise<void> {
  const operator = cluster.operator(flags)
  try {
    await waitUntil(
      async () => {
        const { items } = await cluster.client.list(Deployment, { namespace: operandNamespace })
        return items.length >= controllers && (await countAddressed(cluster.client)) >= ingresses
      },
      'everything is as it should be',
      { seconds: 300, everyMs: 1_000 },
    )
  } finally {
    await operator.end()
  }
}

async function countAddressed(client: Client): Promise<number> {
  const { items } = await client.list(Ingress, { namespace })
  return items.filter(({ status }) => status?.loadBalancer?.ingress?.[0]?.ip === address).length
}

interface Start extends Size {
  readonly syncedSeconds: number
  readonly leadingSeconds: number
  readonly firstStatusSeconds: number
  readonly cpuSeconds: number
  readonly residentMb: number
}

/** One Ingress has come while nobody led; the others are right. */
async function measureStart(client: Client, operator: OperatorProcess, size: Size): Promise<Start> {
  const name = `new-${size.ingresses}`
  await client.create(Ingress, {
    metadata: { namespace, name },
    spec: {
      ingressClassName: 'portcullis',
      defaultBackend: { service: { name: 'web', port: { number: 80 } } },
    },
  })
  const isAddressWritten = async () => {
    const { status } = await client.get(Ingress, { namespace, name })
    return status?.loadBalancer?.ingress?.[0]?.ip === address
  }
  await waitUntil(isAddressWritten, `${name} gets its address`)
  const firstStatusSeconds = (performance.now() - operator.startedAt) / 1000
  const syncedSeconds = await operator.logged('All caches have synced')
  const leadingSeconds = await operator.logged('Leading')
  await pause(2_000)
  const [cpuSeconds, residentMb] = [await operator.cpuSeconds(), await operator.residentMb()]
  return { ...size, syncedSeconds, leadingSeconds, firstStatusSeconds, cpuSeconds, residentMb }
}

interface Idle {
  readonly forSeconds: number
  /** Beside watches and the lease. */
  readonly requests: readonly string[]
  readonly cpuSeconds: number
  readonly residentMb: number
}

/** No kubelet runs routers here. The status says so at once, and changes for the last time after a minute. */
const lastNewsMs = 65_000

async function measureIdle(
  cluster: InstalledCluster,
  operator: OperatorProcess,
  forSeconds: number,
): Promise<Idle> {
  await pause(lastNewsMs)
  logProgress(`Nothing happens for ${forSeconds} s`)
  await cluster.resetRequests()
  const before = await operator.cpuSeconds()
  await pause(forSeconds * 1000)
  const cpuSeconds = (await operator.cpuSeconds()) - before
  const asked = await cluster.requests()
  const isExpected = (line: string) => line.startsWith('watch ') || line === 'update leases'
  return {
    forSeconds,
    requests: asked.map(lineOf).filter((line) => !isExpected(line)),
    cpuSeconds,
    residentMb: await operator.residentMb(),
  }
}

function formatted(all: readonly { readonly start: Start; readonly idle: Idle }[]): Measured {
  const last = all.at(-1)
  if (last === undefined) throw new Error('Nothing was measured.')
  const { ingresses, controllers } = last.start
  const { requests, cpuSeconds, residentMb } = last.idle
  const seconds = (value: number) => `${value.toFixed(2)} s`
  return {
    rows: [
      {
        name: `idle for ${idleSeconds} s with ${ingresses} Ingresses and ${controllers} controllers: requests beside watches and lease`,
        ours: requests.length === 0 ? '0' : [...new Set(requests)].join(', '),
        theirs: '0',
        ratio: requests.length === 0 ? 1 : 0,
        bar: 1,
      },
      {
        name: `  resident then (bar: ${mostMb} MB)`,
        ours: `${residentMb.toFixed(0)} MB`,
        theirs: `${mostMb} MB`,
        ratio: mostMb / residentMb,
        bar: 1,
      },
      {
        name: '  cluster-ingress-operator: resident with 51 controllers and no Ingresses (reference, not measured here)',
        ours: `${residentMb.toFixed(0)} MB`,
        theirs: '199 MB',
        ratio: 199 / residentMb,
      },
      {
        name: `  processor time in those ${idleSeconds} s, against one core`,
        ours: seconds(cpuSeconds),
        theirs: `${idleSeconds} s`,
        ratio: idleSeconds / cpuSeconds,
      },
    ],
    growth: {
      columns: [
        'Ingresses',
        'controllers',
        'all lists there after',
        'leads after',
        'first right status after',
        'processor time by then',
        'resident then',
        'requests when idle',
        'processor time in a minute then',
        'resident when idle',
      ],
      rows: all.map(({ start, idle }) => [
        String(start.ingresses),
        String(start.controllers),
        seconds(start.syncedSeconds),
        seconds(start.leadingSeconds),
        seconds(start.firstStatusSeconds),
        seconds(start.cpuSeconds),
        `${start.residentMb.toFixed(0)} MB`,
        String(idle.requests.length),
        seconds((idle.cpuSeconds * 60) / idle.forSeconds),
        `${idle.residentMb.toFixed(0)} MB`,
      ]),
    },
  }
}
