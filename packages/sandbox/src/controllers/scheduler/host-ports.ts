import type { DeepReadonly } from '@portcullis/kube'
import type { Pod } from 'kubernetes-types/core/v1'

export interface HostPort {
  readonly port: number
  readonly protocol: string
  readonly ip: string
}

const everyIp = '0.0.0.0'

/** The ports of its node that a pod takes, sidecars included. */
export function hostPortsOf({ spec }: DeepReadonly<Pick<Pod, 'spec'>>): HostPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  return [...(spec?.containers ?? []), ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .flatMap(({ hostPort, protocol, hostIP }) =>
      hostPort ? [{ port: hostPort, protocol: protocol ?? 'TCP', ip: hostIP || everyIp }] : [],
    )
}

/** One port can serve two pods only if they listen on different addresses, or speak different protocols. */
export function portsConflict(a: HostPort, b: HostPort): boolean {
  return (
    a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === everyIp || b.ip === everyIp)
  )
}
