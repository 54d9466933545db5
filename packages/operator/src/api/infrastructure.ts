import type { ObjectMeta } from 'kubernetes-types/meta/v1'
import { z } from 'zod'
import { atomicList, openObject, setList } from './crd/markers.ts'
import type { SchemaInput } from './crd/schema-input.ts'
import { onPremisesSpec, onPremisesStatus } from './on-premises-platform.ts'

/** `config.openshift.io/v1`: what the cluster runs on. There is one, called `cluster`. */
export interface Infrastructure {
  apiVersion?: string
  kind?: string
  metadata?: ObjectMeta
  spec?: InfrastructureSpec
  status?: InfrastructureStatus
}

export type InfrastructureSpec = SchemaInput<typeof infrastructureSpec>
export type InfrastructureStatus = SchemaInput<typeof infrastructureStatus>

const platformType = z.enum([
  '',
  'AWS',
  'Azure',
  'BareMetal',
  'GCP',
  'Libvirt',
  'OpenStack',
  'None',
  'VSphere',
  'oVirt',
  'IBMCloud',
  'KubeVirt',
  'EquinixMetal',
  'PowerVS',
  'AlibabaCloud',
  'Nutanix',
  'External',
])

const name = z.string().optional()

const platformStatus = openObject({
  type: platformType.optional().describe('The platform; the member of the same name describes it.'),
  aws: openObject({ region: name.describe('The region of the cluster.') }).optional(),
  azure: openObject({
    cloudName: name.describe('Which of the Azure clouds, such as AzurePublicCloud.'),
    resourceGroupName: name.describe(
      'The resource group of the resources that were created for the cluster.',
    ),
    networkResourceGroupName: name.describe("The resource group of the cluster's network."),
  }).optional(),
  gcp: openObject({
    projectID: name.describe('The project of the cluster.'),
    region: name.describe('The region of the cluster.'),
  }).optional(),
  ibmcloud: openObject({
    location: name.describe('Where the cluster runs.'),
    resourceGroupName: name.describe(
      'The resource group of the resources that were created for the cluster.',
    ),
    providerType: name.describe('The kind of infrastructure, such as VPC.'),
  }).optional(),
  powervs: openObject({
    region: name.describe('The region of the cluster.'),
    zone: name.describe('The zone of the cluster.'),
  }).optional(),
  baremetal: onPremisesStatus(atomicList).optional(),
  nutanix: onPremisesStatus(setList).optional(),
  openstack: onPremisesStatus(atomicList).optional(),
  ovirt: onPremisesStatus(setList).optional(),
  vsphere: onPremisesStatus(atomicList).optional(),
})

const infrastructureSpec = openObject({
  platformSpec: openObject({
    type: platformType.optional().describe('The platform; the member of the same name describes it.'),
    baremetal: onPremisesSpec.optional(),
    openstack: onPremisesSpec.optional(),
    vsphere: onPremisesSpec.optional(),
  })
    .optional()
    .describe('The desired state of the platform.'),
}).describe('The desired state.')

const infrastructureStatus = openObject({
  infrastructureName: name.describe('A name of the cluster that is unique and never changes.'),
  platform: platformType.optional().describe('Deprecated: use platformStatus.type.'),
  platformStatus: platformStatus.optional().describe('The platform that the cluster runs on.'),
  apiServerURL: name.describe('The URL at which users reach the Kubernetes API.'),
  apiServerInternalURI: name.describe('The URI at which the cluster itself reaches the Kubernetes API.'),
  etcdDiscoveryDomain: name.describe(
    'Deprecated: the domain in which etcd members once discovered each other.',
  ),
  controlPlaneTopology: z
    .enum(['HighlyAvailable', 'HighlyAvailableArbiter', 'SingleReplica', 'DualReplica', 'External'])
    .default('HighlyAvailable')
    .describe('The number of nodes of the control plane, or External if it runs outside of the cluster.'),
  infrastructureTopology: z
    .enum(['HighlyAvailable', 'SingleReplica'])
    .default('HighlyAvailable')
    .describe('Whether workloads such as routers have several nodes to run on, or a single one.'),
}).describe('The observed state.')

/** The schema of the whole object, as far as it is not the same for all kinds. */
export const infrastructure = z
  .object({ spec: infrastructureSpec.optional(), status: infrastructureStatus.optional() })
  .describe('What the cluster runs on.')
