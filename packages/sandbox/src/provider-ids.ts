import type { CloudPlatformName } from './controllers/cloud/platforms.ts'

/** A cloud, or machines of one's own. */
export type SandboxPlatform = CloudPlatformName | 'BareMetal'

/** How each cloud names its machines: they show the platform of a cluster. */
export const providerIds: Readonly<Record<SandboxPlatform, (number: number) => string>> = {
  AWS: (number) => `aws:///us-east-1a/i-${String(number).padStart(17, '0')}`,
  Azure: (number) =>
    `azure:///subscriptions/sandbox/resourceGroups/sandbox/providers/Microsoft.Compute/virtualMachines/worker-${number}`,
  GCP: (number) => `gce://sandbox/us-central1-a/worker-${number}`,
  IBMCloud: (number) => `ibm://sandbox///sandbox/worker-${number}`,
  PowerVS: (number) => `ibmpowervs://sandbox/sandbox/sandbox/worker-${number}`,
  OpenStack: (number) => `openstack:///worker-${number}`,
  BareMetal: (number) => `baremetalhost:///sandbox/worker-${number}`,
}
