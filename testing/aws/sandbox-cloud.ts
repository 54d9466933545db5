import { isNetworkLoadBalancer } from '@portcullis/sandbox/internal/controllers/cloud/addresses.ts'
import type { CloudFault as SandboxFault } from '@portcullis/sandbox/internal/controllers/cloud/faults.ts'
import { expect } from 'vitest'
import type { CloudFault } from '../clusters/aws/cloud-faults.ts'
import { eventually } from '../clusters/eventually.ts'
import type { Cluster } from '../e2e/cluster.ts'
import type { Router } from '../e2e/router.ts'
import type { Claim, Cloud } from './cloud.ts'

/** The sandbox's simulated cloud. A load balancer there is a host name, which shows its type and scheme. */
export class SandboxCloud implements Cloud {
  readonly #cluster: Cluster

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  async has(router: Router, { type, scheme }: Claim): Promise<void> {
    await eventually(async () => {
      const hostname = await router.address()
      if (hostname === undefined) throw new Error(`There is no load balancer of ${router.name}.`)
      const isNetwork = isNetworkLoadBalancer(hostname)
      if (type !== undefined) expect(isNetwork).toBe(type === 'NLB')
      if (scheme !== undefined && !isNetwork) {
        expect(hostname.startsWith('internal-')).toBe(scheme === 'internal')
      }
    })
  }

  async fails(fault: CloudFault, action: string, router: Router): Promise<void> {
    const { namespace, name } = router.operandRef
    this.#cluster.faults.inject(played(fault, action), { service: `${namespace}/${name}` })
  }

  async repair(): Promise<void> {
    this.#cluster.faults.repairAll()
  }

  async leftBehind(): Promise<readonly string[]> {
    return []
  }
}

/** It knows fewer faults. */
function played({ type }: CloudFault, action: string): SandboxFault {
  if (type === 'denied' || type === 'quota') return type
  if (type === 'slow' && action === 'DeleteLoadBalancer') return 'slowDeletion'
  throw new Error(`The cloud that the sandbox plays does not know a ${type} ${action}.`)
}
