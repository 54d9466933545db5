import type { CloudPlatformName } from './controllers/cloud/platforms.ts'

/** How each cloud names its machines: by this the platform of a cluster can be told. */
export const providerIds: Readonly<Record<CloudPlatformName, (number: number) => string>> = {
  AWS: (number) => `aws:///us-east-1a/i-${String(number).padStart(17, '0')}`,
  Azure: (number) =>
    `azure:///subscriptions/sandbox/resourceGroups/sandbox/providers/Microsoft.Compute/virtualMachines/worker-${number}`,
  GCP: (number) => `gce://sandbox/us-central1-a/worker-${number}`,
  IBMCloud: (number) => `ibm://sandbox///sandbox/worker-${number}`,
  PowerVS: (number) => `ibmpowervs://sandbox/sandbox/sandbox/worker-${number}`,
  OpenStack: (number) => `openstack:///worker-${number}`,
}
