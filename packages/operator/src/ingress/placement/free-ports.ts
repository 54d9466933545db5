import type { Snapshot } from '../snapshot.ts'
import type { HostPort } from './host-ports.ts'
import { hostPortsIn } from './port-holders.ts'
import { reservedUse } from './reserved-ports.ts'

const firstChoice = { httpPort: 8080, httpsPort: 8443, statsPort: 8936 } as const

/** Where a range of node ports leaves room below the first choice only. */
const lowest = 1024

/** Ports that no pod and no Service takes on any node, one for each of those that cannot be had. */
export function freePorts(
  {
    hostPortPods,
    nodePortServices,
    settings,
  }: Pick<Snapshot, 'hostPortPods' | 'nodePortServices' | 'settings'>,
  replaced: readonly HostPort[],
  wanted: readonly HostPort[],
): Readonly<Record<string, number>> {
  const taken = new Set([
    ...wanted.map(({ number }) => number),
    ...hostPortPods.flatMap(hostPortsIn),
    ...nodePortServices.flatMap(({ spec }) => (spec?.ports ?? []).map(({ nodePort }) => nodePort)),
  ])
  const isFree = (port: number) => !taken.has(port) && reservedUse(port) === undefined
  const chosen: Record<string, number> = {}
  for (const { field } of replaced) {
    const port = firstFree(firstChoice[field], settings.firstNodePort, isFree)
    if (port === undefined) continue
    taken.add(port)
    chosen[field] = port
  }
  return chosen
}

function firstFree(from: number, end: number, isFree: (port: number) => boolean): number | undefined {
  for (let port = from; port < end; port++) if (isFree(port)) return port
  for (let port = lowest; port < Math.min(from, end); port++) if (isFree(port)) return port
  return undefined
}
