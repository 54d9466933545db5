/** What must be refused, the field of the spec that is blamed, and what is said of it; {} is the field's full path. */
type Refusal = readonly [what: string, spec: object, field: string, problem: string]

export const badSpecs: readonly Refusal[] = [
  [
    'replicas below zero',
    { replicas: -1 },
    'replicas',
    'Invalid value: -1: {} in body should be greater than or equal to 0',
  ],
  [
    'replicas in words',
    { replicas: 'two' },
    'replicas',
    'Invalid value: "string": {} in body must be of type integer: "string"',
  ],
  [
    'a domain in capitals',
    { domain: 'Apps.Example.com' },
    'domain',
    'Invalid value: "Apps.Example.com": domain must be a DNS name: lower-case letters, digits, "-" and ".", with a letter or digit at both ends of each label, such as apps.example.com.',
  ],
  [
    'a domain with an empty label',
    { domain: 'apps..example.com' },
    'domain',
    'Invalid value: "apps..example.com": domain must be a DNS name: lower-case letters, digits, "-" and ".", with a letter or digit at both ends of each label, such as apps.example.com.',
  ],
  [
    'a domain with a long label',
    { domain: `${'a'.repeat(64)}.example.com` },
    'domain',
    'Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example.com": domain must have no label longer than 63 characters; shorten what stands between two dots.',
  ],
  [
    'a domain that is too long',
    { domain: `${'a.'.repeat(122)}a` },
    'domain',
    'Too long: may not be more than 244 bytes',
  ],
  [
    'a domain that is too long for the name',
    { domain: `${'a.'.repeat(121)}a` },
    'domain',
    'Invalid value: domain is too long for this name: router-<name>.<domain> must have no more than 253 characters; shorten either.',
  ],
  [
    'a policy that does not exist',
    { httpHeaders: { forwardedHeaderPolicy: 'Sometimes' } },
    'httpHeaders.forwardedHeaderPolicy',
    'Unsupported value: "Sometimes": supported values: "Append", "Replace", "IfNone", "Never"',
  ],
  [
    'a requirement without a key',
    { namespaceSelector: { matchExpressions: [{ operator: 'Exists' }] } },
    'namespaceSelector.matchExpressions[0].key',
    'Required value',
  ],
  [
    'a label that is a number',
    { routeSelector: { matchLabels: { shard: 1 } } },
    'routeSelector.matchLabels.shard',
    'Invalid value: "integer": {} in body must be of type string: "integer"',
  ],
  [
    'a toleration in words',
    { nodePlacement: { tolerations: ['all'] } },
    'nodePlacement.tolerations[0]',
    'Invalid value: "string": {} in body must be of type object: "string"',
  ],
]

const loadBalancer = (settings: object) => ({
  endpointPublishingStrategy: { type: 'LoadBalancerService', loadBalancer: settings },
})
const onProvider = (type: string, settings: object, scope = 'External') =>
  loadBalancer({ scope, providerParameters: { type, ...settings } })
const nlb = (settings: object, scope?: string) =>
  onProvider('AWS', { aws: { type: 'NLB', networkLoadBalancer: settings } }, scope)
const classic = (settings: object) =>
  onProvider('AWS', { aws: { type: 'Classic', classicLoadBalancer: settings } })
const hostNetwork = (settings: object) => ({
  endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork: settings },
})
const subnet = (n: number) => `subnet-${String(n).padStart(17, '0')}`
const eip = (n: number) => `eipalloc-${String(n).padStart(17, '0')}`
const upTo = (n: number) => Array.from({ length: n }, (_, index) => index)

export const badStrategies: readonly Refusal[] = [
  [
    'a strategy without a type',
    { endpointPublishingStrategy: { private: {} } },
    'endpointPublishingStrategy.type',
    'Required value',
  ],
  [
    'a type that does not exist',
    { endpointPublishingStrategy: { type: 'Loadbalancer' } },
    'endpointPublishingStrategy.type',
    'Unsupported value: "Loadbalancer": supported values: "LoadBalancerService", "HostNetwork", "Private", "NodePortService"',
  ],
  [
    'a load balancer without a scope',
    loadBalancer({}),
    'endpointPublishingStrategy.loadBalancer.scope',
    'Required value',
  ],
  [
    'a scope that does not exist',
    loadBalancer({ scope: 'internal' }),
    'endpointPublishingStrategy.loadBalancer.scope',
    'Unsupported value: "internal": supported values: "Internal", "External"',
  ],
  [
    'a DNS policy that does not exist',
    loadBalancer({ scope: 'External', dnsManagementPolicy: 'No' }),
    'endpointPublishingStrategy.loadBalancer.dnsManagementPolicy',
    'Unsupported value: "No": supported values: "Managed", "Unmanaged"',
  ],
  [
    'an address as a range',
    loadBalancer({ scope: 'External', allowedSourceRanges: ['10.0.0.0/8', '10.0.0.1'] }),
    'endpointPublishingStrategy.loadBalancer.allowedSourceRanges[1]',
    'Invalid value: "10.0.0.1": allowedSourceRanges must list address ranges in CIDR notation, such as 198.51.100.0/24 or 2001:db8::/32; write a single address as /32 or /128.',
  ],
  [
    'a range with too many bits',
    loadBalancer({ scope: 'External', allowedSourceRanges: ['10.0.0.0/33'] }),
    'endpointPublishingStrategy.loadBalancer.allowedSourceRanges[0]',
    'Invalid value: "10.0.0.0/33": allowedSourceRanges must list address ranges in CIDR notation, such as 198.51.100.0/24 or 2001:db8::/32; write a single address as /32 or /128.',
  ],
  [
    'an IPv6 range with text in it',
    loadBalancer({ scope: 'External', allowedSourceRanges: ['fe80::d:s/640'] }),
    'endpointPublishingStrategy.loadBalancer.allowedSourceRanges[0]',
    'Invalid value: "fe80::d:s/640": allowedSourceRanges must list address ranges in CIDR notation, such as 198.51.100.0/24 or 2001:db8::/32; write a single address as /32 or /128.',
  ],
  [
    'a range that is text',
    loadBalancer({ scope: 'External', allowedSourceRanges: 'all' }),
    'endpointPublishingStrategy.loadBalancer.allowedSourceRanges',
    'Invalid value: "string": {} in body must be of type array: "string"',
  ],
  [
    'parameters without a provider',
    loadBalancer({ scope: 'External', providerParameters: { gcp: {} } }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.type',
    'Required value',
  ],
  [
    'a provider that does not exist',
    onProvider('Alibaba', {}),
    'endpointPublishingStrategy.loadBalancer.providerParameters.type',
    'Unsupported value: "Alibaba": supported values: "AWS", "Azure", "BareMetal", "GCP", "Nutanix", "OpenStack", "VSphere", "IBM"',
  ],
  [
    'AWS parameters without a type',
    onProvider('AWS', { aws: {} }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.aws.type',
    'Required value',
  ],
  [
    'a type of load balancer that does not exist',
    onProvider('AWS', { aws: { type: 'ALB' } }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.aws.type',
    'Unsupported value: "ALB": supported values: "Classic", "NLB"',
  ],
  [
    'a client access that does not exist',
    onProvider('GCP', { gcp: { clientAccess: 'global' } }, 'Internal'),
    'endpointPublishingStrategy.loadBalancer.providerParameters.gcp.clientAccess',
    'Unsupported value: "global": supported values: "Global", "Local"',
  ],
  [
    'an empty client access',
    onProvider('GCP', { gcp: { clientAccess: '' } }, 'Internal'),
    'endpointPublishingStrategy.loadBalancer.providerParameters.gcp.clientAccess',
    'Unsupported value: "": supported values: "Global", "Local"',
  ],
  [
    'a client access that is a switch',
    onProvider('GCP', { gcp: { clientAccess: true } }, 'Internal'),
    'endpointPublishingStrategy.loadBalancer.providerParameters.gcp.clientAccess',
    'Invalid value: "boolean": {} in body must be of type string: "boolean"',
  ],
  [
    'a floating IP that is none',
    onProvider('OpenStack', { openstack: { floatingIP: 'fip-1' } }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.openstack.floatingIP',
    'Invalid value: "fip-1": floatingIP must be an IPv4 or IPv6 address, such as 203.0.113.10.',
  ],
  [
    'a floating IP on an internal load balancer',
    onProvider('OpenStack', { openstack: { floatingIP: '203.0.113.1' } }, 'Internal'),
    'endpointPublishingStrategy.loadBalancer.providerParameters.openstack.floatingIP',
    'Forbidden: floatingIP is a public address, which a load balancer with scope Internal cannot have; remove it, or set scope to External.',
  ],
  [
    'OpenStack parameters for another provider',
    onProvider('AWS', { openstack: { floatingIP: '203.0.113.1' } }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.openstack',
    'Forbidden: openstack is allowed only with type OpenStack; remove it, or set type to OpenStack.',
  ],
  [
    'a protocol that does not exist at IBM',
    onProvider('IBM', { ibm: { protocol: 'UDP' } }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.ibm.protocol',
    'Unsupported value: "UDP": supported values: "", "TCP", "PROXY"',
  ],
  [
    'Elastic IPs on an internal load balancer',
    nlb({ eipAllocations: [eip(1)] }, 'Internal'),
    'endpointPublishingStrategy.loadBalancer.providerParameters.aws.networkLoadBalancer.eipAllocations',
    'Forbidden: eipAllocations are public addresses, which a load balancer with scope Internal cannot have; remove them, or set scope to External.',
  ],
  [
    'an Elastic IP that is none',
    nlb({ eipAllocations: ['eipalloc-1'] }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.aws.networkLoadBalancer.eipAllocations[0]',
    'Invalid value: "eipalloc-1": eipAllocations must list allocations of Elastic IPs: "eipalloc-" and 17 hexadecimal digits.',
  ],
  [
    'an Elastic IP twice',
    nlb({ eipAllocations: [eip(1), eip(1)] }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.aws.networkLoadBalancer.eipAllocations',
    'Invalid value: eipAllocations must not list anything twice; remove the repetition.',
  ],
  [
    'eleven Elastic IPs',
    nlb({ eipAllocations: upTo(11).map(eip) }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.aws.networkLoadBalancer.eipAllocations',
    'Too many: 11: must have at most 10 items',
  ],
  [
    'more Elastic IPs than subnets',
    nlb({ subnets: { ids: [subnet(1)], names: ['a'] }, eipAllocations: upTo(3).map(eip) }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.aws.networkLoadBalancer',
    'Invalid value: eipAllocations must be as many as there are subnets; add or remove entries of either.',
  ],
  [
    'subnets with none in them',
    nlb({ subnets: {} }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.aws.networkLoadBalancer.subnets',
    'Invalid value: subnets must name at least one subnet in ids or names; or remove subnets to let AWS choose.',
  ],
  [
    'a subnet that is none',
    classic({ subnets: { ids: ['subnet-1'] } }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.aws.classicLoadBalancer.subnets.ids[0]',
    'Invalid value: "subnet-1": ids must list identifiers of subnets: "subnet-" and 17 letters or digits.',
  ],
  [
    'a subnet twice',
    classic({ subnets: { ids: [subnet(1), subnet(1)] } }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.aws.classicLoadBalancer.subnets.ids',
    'Invalid value: ids must not list anything twice; remove the repetition.',
  ],
  [
    'eleven subnets',
    classic({ subnets: { ids: upTo(6).map(subnet), names: ['a', 'b', 'c', 'd', 'e'] } }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.aws.classicLoadBalancer.subnets',
    'Invalid value: subnets must name no more than 10 subnets in ids and names together; remove some.',
  ],
  [
    'names of subnets in one text',
    classic({ subnets: { names: ['a,b'] } }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.aws.classicLoadBalancer.subnets.names[0]',
    'Invalid value: "a,b": names must not contain a comma; list each subnet as an entry of its own.',
  ],
  [
    'an identifier as the name of a subnet',
    classic({ subnets: { names: [subnet(1)] } }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.aws.classicLoadBalancer.subnets.names[0]',
    'Invalid value: "subnet-00000000000000001": names must not start with "subnet-"; list identifiers of subnets in ids.',
  ],
  [
    'an idle timeout that is no duration',
    classic({ connectionIdleTimeout: 'long' }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.aws.classicLoadBalancer.connectionIdleTimeout',
    'Invalid value: "long": {} in body must be of type duration: "long"',
  ],
  [
    'no security group in a list of them',
    nlb({ securityGroups: [] }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.aws.networkLoadBalancer.securityGroups',
    'Invalid value: 0: {} in body should have at least 1 items',
  ],
  [
    'a security group that is none',
    nlb({ securityGroups: ['sg-1'] }),
    'endpointPublishingStrategy.loadBalancer.providerParameters.aws.networkLoadBalancer.securityGroups[0]',
    'Invalid value: "sg-1": securityGroups must list identifiers of security groups: "sg-" and 8 or 17 hexadecimal digits.',
  ],
  [
    'port 0',
    hostNetwork({ httpPort: 0 }),
    'endpointPublishingStrategy.hostNetwork.httpPort',
    'Invalid value: 0: {} in body should be greater than or equal to 1',
  ],
  [
    'port 65536',
    hostNetwork({ httpsPort: 65536 }),
    'endpointPublishingStrategy.hostNetwork.httpsPort',
    'Invalid value: 65536: {} in body should be less than or equal to 65535',
  ],
  [
    'a port in words',
    hostNetwork({ statsPort: 'stats' }),
    'endpointPublishingStrategy.hostNetwork.statsPort',
    'Invalid value: "string": {} in body must be of type integer: "string"',
  ],
  [
    'a fraction of a port',
    hostNetwork({ statsPort: 80.5 }),
    'endpointPublishingStrategy.hostNetwork.statsPort',
    'Invalid value: "float64": {} in body must be of type int32: "float64"',
  ],
  [
    'a protocol that does not exist',
    hostNetwork({ protocol: 'UDP' }),
    'endpointPublishingStrategy.hostNetwork.protocol',
    'Unsupported value: "UDP": supported values: "", "TCP", "PROXY"',
  ],
  [
    'such a protocol on node ports',
    { endpointPublishingStrategy: { type: 'NodePortService', nodePort: { protocol: 'tcp' } } },
    'endpointPublishingStrategy.nodePort.protocol',
    'Unsupported value: "tcp": supported values: "", "TCP", "PROXY"',
  ],
  [
    'such a protocol inside the cluster',
    { endpointPublishingStrategy: { type: 'Private', private: { protocol: 'proxy' } } },
    'endpointPublishingStrategy.private.protocol',
    'Unsupported value: "proxy": supported values: "", "TCP", "PROXY"',
  ],
]
