import { type AwsApi, type Parameters, region } from './aws-api.ts'
import { listAt, textAt } from './xml.ts'

/** How resources in the account are known to belong to the cluster. */
export const clusterName = 'portcullis'
const clusterTag = { Key: `kubernetes.io/cluster/${clusterName}`, Value: 'owned' }

const internet = '0.0.0.0/0'
const zones = ['a', 'b'].map((letter) => `${region}${letter}`)

/** What the cluster has in its AWS account before there are load balancers: plain data. */
export interface Account {
  readonly vpc: string
  readonly gateway: string
  /** The route table through which subnets are public. */
  readonly publicRoutes: string
  /** Subnets, one in each zone. */
  readonly subnets: { readonly public: readonly string[]; readonly private: readonly string[] }
  readonly nodeSecurityGroup: string
  readonly instances: readonly Instance[]
}

export interface Instance {
  readonly id: string
  readonly zone: string
  /** By which a node is called. */
  readonly privateDnsName: string
  readonly privateIp: string
}

/** Sets up a network with public and private subnets in two zones, and one instance in each private subnet. */
export async function openAccount(api: AwsApi): Promise<Account> {
  const ec2 = (action: string, parameters?: Parameters) => api.call('ec2', action, parameters)
  const vpc = textAt(await ec2('CreateVpc', { CidrBlock: '10.0.0.0/16', ...tagged('vpc') }), 'vpc', 'vpcId')
  const gateway = textAt(await ec2('CreateInternetGateway'), 'internetGateway', 'internetGatewayId')
  await ec2('AttachInternetGateway', { InternetGatewayId: gateway, VpcId: vpc })

  const routeTable = async () =>
    textAt(
      await ec2('CreateRouteTable', { VpcId: vpc, ...tagged('route-table') }),
      'routeTable',
      'routeTableId',
    )
  const [publicRoutes, privateRoutes] = [await routeTable(), await routeTable()]
  await openTheGateway(api, { publicRoutes, gateway })

  const subnet = async (AvailabilityZone: string, CidrBlock: string, routes: string, role: string) => {
    const tags = tagged('subnet', { Key: `kubernetes.io/role/${role}`, Value: '1' })
    const answer = await ec2('CreateSubnet', { VpcId: vpc, AvailabilityZone, CidrBlock, ...tags })
    const SubnetId = textAt(answer, 'subnet', 'subnetId')
    await ec2('AssociateRouteTable', { RouteTableId: routes, SubnetId })
    return SubnetId
  }
  const subnets = { public: [] as string[], private: [] as string[] }
  for (const [index, zone] of zones.entries()) {
    subnets.public.push(await subnet(zone, `10.0.${index}.0/24`, publicRoutes, 'elb'))
    subnets.private.push(await subnet(zone, `10.0.${10 + index}.0/24`, privateRoutes, 'internal-elb'))
  }

  const group = await ec2('CreateSecurityGroup', {
    VpcId: vpc,
    GroupName: 'nodes',
    GroupDescription: 'The nodes of the cluster',
    ...tagged('security-group'),
  })
  const nodeSecurityGroup = textAt(group, 'groupId')
  const [image] = listAt(await ec2('DescribeImages'), 'imagesSet')
  const ImageId = image === undefined ? '' : textAt(image, 'imageId')
  const instances: Instance[] = []
  for (const [index, SubnetId] of subnets.private.entries()) {
    const run = await ec2('RunInstances', {
      ImageId,
      InstanceType: 't3.medium',
      MinCount: '1',
      MaxCount: '1',
      SubnetId,
      SecurityGroupId: [nodeSecurityGroup],
      ...tagged('instance'),
    })
    const [instance] = listAt(run, 'instancesSet')
    if (instance === undefined) throw new Error('RunInstances has started no instance.')
    instances.push({
      id: textAt(instance, 'instanceId'),
      zone: zones[index] ?? '',
      privateDnsName: textAt(instance, 'privateDnsName'),
      privateIp: textAt(instance, 'privateIpAddress'),
    })
  }
  return { vpc, gateway, publicRoutes, subnets, nodeSecurityGroup, instances }
}

/** Without its way to the internet no subnet is public, and an internet-facing load balancer finds none to stand in. */
export async function closeTheGateway(
  api: AwsApi,
  { publicRoutes }: Pick<Account, 'publicRoutes'>,
): Promise<void> {
  await api.call('ec2', 'DeleteRoute', { RouteTableId: publicRoutes, DestinationCidrBlock: internet })
}

export async function openTheGateway(
  api: AwsApi,
  { publicRoutes, gateway }: Pick<Account, 'publicRoutes' | 'gateway'>,
): Promise<void> {
  await api.call('ec2', 'CreateRoute', {
    RouteTableId: publicRoutes,
    DestinationCidrBlock: internet,
    GatewayId: gateway,
  })
}

function tagged(ResourceType: string, ...more: readonly { Key: string; Value: string }[]): Parameters {
  return { TagSpecification: [{ ResourceType, Tag: [clusterTag, ...more] }] }
}
