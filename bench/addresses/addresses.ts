import { startControlPlane } from '../../test/clusters/control-plane.ts'
import { type Result, runContender, type Task } from '../contender.ts'
import { connect, createIngresses } from '../ingresses.ts'
import { say } from '../say.ts'
import { median, type Row } from '../table.ts'

export interface AddressesResult extends Result {
  readonly writes: number
}

const sizes = [1000, 10_000]
const concurrency = 32
const rounds = 3
/** What peers write, from their own limits and from runs on a machine like this one; not measured here. */
const peers = [
  { name: 'Contour as shipped', perSecond: 5.2 },
  { name: 'Contour, its limit lifted', perSecond: 275 },
  { name: 'ingress-nginx', perSecond: 2.5 },
]

/** Telling every Ingress a new address, against a bare loop of the same PATCHes on the same API server. */
export async function benchAddresses(): Promise<Row[]> {
  const rows: Row[] = []
  for (const count of sizes) {
    const plane = await startControlPlane({ parts: 'etcd+apiserver', log: say })
    try {
      say(`Creating ${count} Ingresses`)
      const client = await connect(plane.kubeconfigPath, 16)
      await createIngresses(client, count)
      await client.close()
      const { kubeconfigPath: kubeconfig, server, ca, adminToken: token } = plane
      rows.push(...(await measureAt({ kubeconfig, server, ca, token, count, concurrency, round: 0 })))
    } finally {
      await plane.stop()
    }
  }
  return rows
}

async function measureAt(task: Task): Promise<Row[]> {
  const { count } = task
  say(
    `Telling ${count} Ingresses a new address: ours and a bare loop, ${rounds} rounds each; the first one is cold`,
  )
  const ours: AddressesResult[] = []
  const ratios: number[] = []
  let bareRate = 0
  for (let round = 1; round <= rounds; round++) {
    const result = await runContender<AddressesResult>('addresses/portcullis.ts', { ...task, round })
    const bare = await runContender('patch/bare.ts', { ...task, round: round + 50 })
    ours.push(result)
    bareRate = count / bare.seconds
    ratios.push(bare.seconds / result.seconds)
  }
  const warm = await runContender<AddressesResult>('addresses/portcullis.ts', { ...task, round: rounds + 1 })
  const again = await runContender<AddressesResult>('addresses/portcullis.ts', { ...task, round: rounds + 1 })
  const rate = median(ours.map(({ seconds }) => count / seconds))
  const exact = [...ours, warm].every(({ writes }) => writes === count)
  return [
    {
      name: `tell ${count} Ingresses, against a bare PATCH loop`,
      ours: `${rate.toFixed(0)}/s, ${median(ours.map(({ residentMb }) => residentMb)).toFixed(0)} MB`,
      theirs: `${bareRate.toFixed(0)}/s`,
      ratio: median(ratios),
      bar: 0.8,
    },
    {
      name: `  writes for ${count} Ingresses: exactly as many`,
      ours: String(ours[0]?.writes),
      theirs: String(count),
      ratio: exact ? 1 : 0,
      bar: 1,
    },
    {
      name: '  a successor that finds everything right writes nothing',
      ours: `${again.writes} writes`,
      theirs: '0',
      ratio: again.writes === 0 ? 1 : 0,
      bar: 1,
    },
    ...peers.map(({ name, perSecond }) => ({
      name: `  ${name} (reference, not measured here)`,
      ours: `${rate.toFixed(0)}/s`,
      theirs: `${perSecond}/s`,
      ratio: rate / perSecond,
    })),
  ]
}
