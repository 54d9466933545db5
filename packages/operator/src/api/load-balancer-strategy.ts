import { z } from 'zod'
import { awsParameters } from './aws-parameters.ts'
import { atomicList, rules } from './crd/markers.ts'

const gcpParameters = z.object({
  clientAccess: z
    .enum(['Global', 'Local'])
    .optional()
    .describe(
      'Which clients can reach an internal load balancer: with Local those in its own region of the VPC, with Global ' +
        'those in every region of the VPC. If absent, the default of Google Cloud applies, which is Local. It has no ' +
        'effect on an external load balancer.',
    ),
})

const ibmParameters = z.object({
  protocol: z
    .enum(['', 'TCP', 'PROXY'])
    .optional()
    .describe('Whether the load balancer passes the address of the client on with the PROXY protocol.'),
})

const openstackParameters = z.object({
  floatingIP: z
    .string()
    .max(45)
    .optional()
    .describe('An existing floating IP to assign to the load balancer. Only with scope External.')
    .meta(
      rules({
        rule: 'isIP(self)',
        message: 'floatingIP must be an IPv4 or IPv6 address, such as 203.0.113.10.',
      }),
    ),
})

const providerParameters = z
  .object({
    type: z
      .enum(['AWS', 'Azure', 'BareMetal', 'GCP', 'Nutanix', 'OpenStack', 'VSphere', 'IBM'])
      .describe('The provider that the settings are for.'),
    aws: awsParameters.optional().describe('Settings of load balancers on AWS.'),
    gcp: gcpParameters.optional().describe('Settings of load balancers on Google Cloud.'),
    ibm: ibmParameters.optional().describe('Settings of load balancers on IBM Cloud.'),
    openstack: openstackParameters.optional().describe('Settings of load balancers on OpenStack.'),
  })
  .meta(
    rules({
      rule: "self.type == 'OpenStack' || !has(self.openstack)",
      message: 'openstack is allowed only with type OpenStack; remove it, or set type to OpenStack.',
      fieldPath: '.openstack',
      reason: 'FieldValueForbidden',
    }),
  )

const sourceRange = z
  .string()
  .max(43)
  .meta(
    rules({
      rule: 'isCIDR(self)',
      message:
        'allowedSourceRanges must list address ranges in CIDR notation, such as 198.51.100.0/24 or 2001:db8::/32; ' +
        'write a single address as /32 or /128.',
    }),
  )

export const loadBalancerStrategy = z
  .object({
    scope: z
      .enum(['Internal', 'External'])
      .describe(
        'External: the load balancer is reachable from the internet. Internal: only from the private network of the ' +
          'cluster. Some clouds change it in place. Others need a new load balancer: then the IngressController ' +
          'reports Progressing with the command that replaces it, and nothing is changed until you run it.',
      ),
    allowedSourceRanges: z
      .array(sourceRange)
      // More than any cloud takes. Without a limit the API server finds the rule for the entries too expensive.
      .max(4096)
      .nullable()
      .optional()
      .describe(
        'The client address ranges that the load balancer accepts. If absent or empty, it accepts all clients ' +
          'unless ranges are set on the Service itself.',
      )
      .meta(atomicList),
    dnsManagementPolicy: z
      .enum(['Managed', 'Unmanaged'])
      .default('Managed')
      .describe('Whether an operator manages the DNS record of the domain, or you manage it yourself.'),
    providerParameters: providerParameters
      .optional()
      .describe('Settings that are specific to one cloud provider. Those of other providers are ignored.'),
  })
  .meta(
    rules(
      {
        rule:
          "self.scope != 'Internal' || !has(self.providerParameters) || !has(self.providerParameters.aws) || " +
          '!has(self.providerParameters.aws.networkLoadBalancer) || ' +
          '!has(self.providerParameters.aws.networkLoadBalancer.eipAllocations)',
        message:
          'eipAllocations are public addresses, which a load balancer with scope Internal cannot have; remove ' +
          'them, or set scope to External.',
        fieldPath: '.providerParameters.aws.networkLoadBalancer.eipAllocations',
        reason: 'FieldValueForbidden',
      },
      {
        rule:
          "self.scope != 'Internal' || !has(self.providerParameters) || !has(self.providerParameters.openstack) || " +
          '!has(self.providerParameters.openstack.floatingIP)',
        message:
          'floatingIP is a public address, which a load balancer with scope Internal cannot have; remove it, or ' +
          'set scope to External.',
        fieldPath: '.providerParameters.openstack.floatingIP',
        reason: 'FieldValueForbidden',
      },
    ),
  )
