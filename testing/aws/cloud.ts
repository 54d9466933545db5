import type { CloudFault } from '../clusters/aws/cloud-faults.ts'
import type { LoadBalancer } from '../clusters/aws/describe-resources.ts'
import type { Router } from '../e2e/router.ts'

/** What is claimed of a load balancer. */
export interface Claim extends Partial<Pick<LoadBalancer, 'type' | 'scheme'>> {
  /** Those of which kind it stands in. */
  readonly subnets?: 'public' | 'private'
  /** From where it lets traffic in. */
  readonly sourceRanges?: readonly string[]
  /** Whether it sends to all nodes, or to none. */
  readonly targets?: 'all' | 'none'
}

/** The cloud of one story: the real one, or the one that we play. */
export interface Cloud {
  /** Waits until the cloud itself says so of a router's load balancer. */
  has(router: Router, claim: Claim): Promise<void>
  /** Lets an action go wrong for one router, until it is repaired. */
  fails(fault: CloudFault, action: string, router: Router): Promise<void>
  repair(): Promise<void>
  /** What remains of the story's load balancers, as sentences. */
  leftBehind(): Promise<readonly string[]>
}
