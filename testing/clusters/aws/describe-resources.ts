import type { AwsApi } from './aws-api.ts'
import { listAt, textAt, type XmlElement } from './xml.ts'

/** A load balancer as AWS describes it, whatever anybody wrote on a Service. */
export interface LoadBalancer {
  readonly type: 'Classic' | 'NLB'
  readonly name: string
  /** `namespace/name`, by its tag. */
  readonly service: string
  readonly scheme: 'internal' | 'internet-facing'
  readonly hostname: string
  readonly subnets: readonly string[]
  readonly securityGroups: readonly string[]
  /** Ids of the instances that it sends to. */
  readonly targets: readonly string[]
}

export interface SecurityGroup {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly ingress: readonly IngressRule[]
}

export interface IngressRule {
  readonly protocol: string
  readonly port: string
  readonly ranges: readonly string[]
  readonly description: string
}

export interface TargetGroup {
  readonly arn: string
  readonly name: string
  readonly service: string
}

const serviceTag = 'kubernetes.io/service-name'

/**
 * What is described one after the other may vanish in between, and that is an error: ask again then.
 *
 * @param service `namespace/name`; those of all Services unless given
 */
export async function describeLoadBalancers(api: AwsApi, service?: string): Promise<readonly LoadBalancer[]> {
  const isWanted = (each: string | undefined) => service === undefined || each === service
  return [...(await classicOnes(api, isWanted)), ...(await networkOnes(api, isWanted))]
}

type IsWanted = (service: string | undefined) => boolean

async function classicOnes(api: AwsApi, isWanted: IsWanted): Promise<LoadBalancer[]> {
  const answer = await api.call('elb', 'DescribeLoadBalancers')
  const found = listAt(answer, 'DescribeLoadBalancersResult', 'LoadBalancerDescriptions')
  const names = found.map((each) => textAt(each, 'LoadBalancerName'))
  if (names.length === 0) return []
  const tags = await api.call('elb', 'DescribeTags', { LoadBalancerNames: names })
  const serviceOf = services(listAt(tags, 'DescribeTagsResult', 'TagDescriptions'), 'LoadBalancerName')
  const wanted = found.filter((each) => isWanted(serviceOf.get(textAt(each, 'LoadBalancerName'))))
  return wanted.map((each) => {
    const name = textAt(each, 'LoadBalancerName')
    return {
      type: 'Classic',
      name,
      service: serviceOf.get(name) ?? '',
      scheme: textAt(each, 'Scheme') as LoadBalancer['scheme'],
      hostname: textAt(each, 'DNSName'),
      subnets: texts(listAt(each, 'Subnets')),
      securityGroups: texts(listAt(each, 'SecurityGroups')),
      targets: listAt(each, 'Instances').map((instance) => textAt(instance, 'InstanceId')),
    }
  })
}

async function networkOnes(api: AwsApi, isWanted: IsWanted): Promise<LoadBalancer[]> {
  const answer = await api.call('elbv2', 'DescribeLoadBalancers')
  const found = listAt(answer, 'DescribeLoadBalancersResult', 'LoadBalancers')
  const serviceOf = await servicesByArn(
    api,
    found.map((each) => textAt(each, 'LoadBalancerArn')),
  )
  const wanted = found.filter((each) => isWanted(serviceOf.get(textAt(each, 'LoadBalancerArn'))))
  return Promise.all(
    wanted.map(async (each) => {
      const arn = textAt(each, 'LoadBalancerArn')
      return {
        type: 'NLB',
        name: textAt(each, 'LoadBalancerName'),
        service: serviceOf.get(arn) ?? '',
        scheme: textAt(each, 'Scheme') as LoadBalancer['scheme'],
        hostname: textAt(each, 'DNSName'),
        subnets: listAt(each, 'AvailabilityZones').map((zone) => textAt(zone, 'SubnetId')),
        securityGroups: texts(listAt(each, 'SecurityGroups')),
        targets: await targetsBehind(api, arn),
      }
    }),
  )
}

async function targetsBehind(api: AwsApi, loadBalancer: string): Promise<string[]> {
  const groups = await api.call('elbv2', 'DescribeTargetGroups', { LoadBalancerArn: loadBalancer })
  const targets = new Set<string>()
  for (const group of listAt(groups, 'DescribeTargetGroupsResult', 'TargetGroups')) {
    const TargetGroupArn = textAt(group, 'TargetGroupArn')
    const health = await api.call('elbv2', 'DescribeTargetHealth', { TargetGroupArn })
    for (const each of listAt(health, 'DescribeTargetHealthResult', 'TargetHealthDescriptions')) {
      targets.add(textAt(each, 'Target', 'Id'))
    }
  }
  return [...targets].sort()
}

export async function describeTargetGroups(api: AwsApi): Promise<readonly TargetGroup[]> {
  const answer = await api.call('elbv2', 'DescribeTargetGroups')
  const found = listAt(answer, 'DescribeTargetGroupsResult', 'TargetGroups').map((group) => ({
    arn: textAt(group, 'TargetGroupArn'),
    name: textAt(group, 'TargetGroupName'),
  }))
  const serviceOf = await servicesByArn(
    api,
    found.map(({ arn }) => arn),
  )
  return found.map((group) => ({ ...group, service: serviceOf.get(group.arn) ?? '' }))
}

/** Those of one network. */
export async function describeSecurityGroups(api: AwsApi, vpc: string): Promise<readonly SecurityGroup[]> {
  const answer = await api.call('ec2', 'DescribeSecurityGroups', {
    Filter: [{ Name: 'vpc-id', Value: [vpc] }],
  })
  return listAt(answer, 'securityGroupInfo').map((group) => ({
    id: textAt(group, 'groupId'),
    name: textAt(group, 'groupName'),
    description: textAt(group, 'groupDescription'),
    ingress: listAt(group, 'ipPermissions').map(ingressRule),
  }))
}

function ingressRule(rule: XmlElement): IngressRule {
  const ranges = listAt(rule, 'ipRanges')
  const [description] = ranges.flatMap((range) => texts(range.children.filter(isDescription)))
  return {
    protocol: textAt(rule, 'ipProtocol'),
    port: texts(rule.children.filter(({ name }) => name === 'fromPort')).join(),
    ranges: ranges.map((range) => textAt(range, 'cidrIp')).sort(),
    description: description ?? '',
  }
}

function isDescription({ name }: XmlElement): boolean {
  return name === 'description'
}

async function servicesByArn(api: AwsApi, arns: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (arns.length === 0) return new Map()
  const tags = await api.call('elbv2', 'DescribeTags', { ResourceArns: arns })
  return services(listAt(tags, 'DescribeTagsResult', 'TagDescriptions'), 'ResourceArn')
}

/** Which Service each belongs to. */
function services(descriptions: readonly XmlElement[], by: string): ReadonlyMap<string, string> {
  return new Map(
    descriptions.flatMap((each) =>
      listAt(each, 'Tags')
        .filter((tag) => textAt(tag, 'Key') === serviceTag)
        .map((tag) => [textAt(each, by), textAt(tag, 'Value')] as const),
    ),
  )
}

function texts(elements: readonly XmlElement[]): string[] {
  return elements.map(({ text }) => text).sort()
}
