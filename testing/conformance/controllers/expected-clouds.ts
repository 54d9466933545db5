import type { CloudPlatformName } from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import { expect } from 'vitest'

/** How one scope looks on one platform. */
interface Scope {
  readonly annotations: Readonly<Record<string, string>>
  readonly address: unknown
}

/** What a user of a platform sees of it. */
export interface ExpectedCloud {
  readonly External: Scope
  readonly Internal: Scope
  readonly changesInPlace: boolean
  /** Part of what is said when no further load balancer may be made. */
  readonly quota: RegExp
}

const publicIp = { ip: expect.stringMatching(/^(203\.0\.113|198\.51\.100)\.\d+$/), ipMode: 'VIP' }
const privateIp = { ip: expect.stringMatching(/^10\.\d+\.\d+\.\d+$/), ipMode: 'VIP' }
const elb = (prefix: string) => ({
  hostname: expect.stringMatching(
    new RegExp(`^${prefix}a[0-9a-f]{31}-\\d+\\.us-east-1\\.elb\\.amazonaws\\.com$`),
  ),
})
const ibmHost = { hostname: expect.stringMatching(/^[0-9a-f]{8}-us-south\.lb\.appdomain\.cloud$/) }
const ibm = (value: string) => ({
  'service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type': value,
})

export const expectedClouds: Readonly<Record<CloudPlatformName, ExpectedCloud>> = {
  AWS: {
    External: { annotations: {}, address: elb('') },
    Internal: {
      annotations: { 'service.beta.kubernetes.io/aws-load-balancer-internal': 'true' },
      address: elb('internal-'),
    },
    changesInPlace: false,
    quota: /operation error Elastic Load Balancing: CreateLoadBalancer, .* TooManyLoadBalancers: /,
  },
  Azure: {
    External: { annotations: {}, address: publicIp },
    Internal: {
      annotations: { 'service.beta.kubernetes.io/azure-load-balancer-internal': 'true' },
      address: privateIp,
    },
    changesInPlace: true,
    quota: /PublicIPCountLimitReached/,
  },
  GCP: {
    External: { annotations: {}, address: publicIp },
    Internal: { annotations: { 'cloud.google.com/load-balancer-type': 'Internal' }, address: privateIp },
    changesInPlace: true,
    quota: /quotaExceeded/,
  },
  IBMCloud: {
    External: { annotations: ibm('public'), address: ibmHost },
    Internal: { annotations: ibm('private'), address: ibmHost },
    changesInPlace: false,
    quota: /over_quota/,
  },
  PowerVS: {
    External: { annotations: ibm('public'), address: publicIp },
    Internal: { annotations: ibm('private'), address: privateIp },
    changesInPlace: false,
    quota: /over_quota/,
  },
  OpenStack: {
    External: { annotations: {}, address: publicIp },
    Internal: {
      annotations: { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' },
      address: privateIp,
    },
    changesInPlace: false,
    quota: /Quota has been met/,
  },
}
