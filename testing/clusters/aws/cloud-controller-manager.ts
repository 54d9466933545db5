import type { ControlPlaneHandle } from '../control-plane-handle.ts'
import { createNodes } from '../nodes.ts'
import type { Workspace } from '../workspace.ts'
import { type Account, clusterName } from './account.ts'
import { region } from './aws-api.ts'

export interface CloudControllerManagerSettings {
  readonly binary: string
  /** Where it takes AWS to be. */
  readonly aws: string
  readonly account: Account
}

/**
 * Starts the cloud controller manager of AWS. Resolves when it has made itself known to every node: each loses the
 * taint that keeps pods away until then.
 */
export async function startCloudControllerManager(
  workspace: Workspace,
  plane: ControlPlaneHandle,
  { binary, aws, account }: CloudControllerManagerSettings,
  signal?: AbortSignal,
): Promise<void> {
  const config = await workspace.write('cloud.conf', cloudConfig(aws, account))
  const flags = [
    '--cloud-provider=aws',
    `--cloud-config=${config}`,
    `--kubeconfig=${plane.kubeconfigPath}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--authentication-skip-lookup=true',
    '--configure-cloud-routes=false',
    '--v=2',
  ]
  const manager = workspace.launch('aws-cloud-controller-manager', binary, flags, {
    AWS_ACCESS_KEY_ID: 'nobody',
    AWS_SECRET_ACCESS_KEY: 'checks',
    AWS_REGION: region,
    // There is no such service here, and to find that out takes long.
    AWS_EC2_METADATA_DISABLED: 'true',
  })
  await manager.ready(async () => {
    const taints = ['get', 'nodes', '-o', 'jsonpath={.items[*].spec.taints[*].key}']
    const { code, stdout } = await plane.kubectl(taints, { signal })
    return code === 0 && !stdout.includes(uninitialized)
  }, signal)
}

const uninitialized = 'node.cloudprovider.kubernetes.io/uninitialized'

/** The machines of the account as nodes that no cloud has looked at yet. */
export function joinNodes(
  plane: ControlPlaneHandle,
  { instances }: Account,
  signal?: AbortSignal,
): Promise<void> {
  const nodes = instances.map(({ id, zone, privateDnsName, privateIp }) => ({
    name: privateDnsName,
    internalIp: privateIp,
    spec: {
      providerID: `aws:///${zone}/${id}`,
      taints: [{ key: uninitialized, value: 'true', effect: 'NoSchedule' }],
    },
  }))
  return createNodes(plane, nodes, signal)
}

/** VPC, subnet and cluster together spare it the question on which instance it runs itself. */
function cloudConfig(aws: string, { vpc, subnets, instances }: Account): string {
  const services = [
    ['EC2', 'ec2'],
    ['Elastic Load Balancing', 'elasticloadbalancing'],
    ['Elastic Load Balancing v2', 'elasticloadbalancing'],
  ]
  const overrides = services.map(
    ([service, signedAs], index) => `
[ServiceOverride "${index + 1}"]
Service = ${service}
Region = ${region}
URL = ${aws}
SigningRegion = ${region}
SigningMethod = v4
SigningName = ${signedAs}
`,
  )
  return `[Global]
Region = ${region}
Zone = ${instances[0]?.zone}
VPC = ${vpc}
SubnetID = ${subnets.private[0]}
KubernetesClusterID = ${clusterName}
${overrides.join('')}`
}
