import { z } from 'zod'
import { atomicList, rules } from './crd/markers.ts'

/** Lists here have ten entries at most, so comparing all with all is cheap. */
const eachOnce = (field: string) => ({
  rule: 'self.all(one, self.exists_one(other, one == other))',
  message: `${field} must not list anything twice; remove the repetition.`,
})

const subnets = z
  .object({
    ids: z
      .array(
        z
          .string()
          .max(24)
          .meta(
            rules({
              rule: "self.matches('^subnet-[0-9A-Za-z]{17}$')",
              message: 'ids must list identifiers of subnets: "subnet-" and 17 letters or digits.',
            }),
          ),
      )
      .max(10)
      .optional()
      .describe('The IDs of the subnets.')
      .meta({ ...atomicList, ...rules(eachOnce('ids')) }),
    names: z
      .array(
        z
          .string()
          .min(1)
          .max(256)
          .meta(
            rules(
              {
                rule: "!self.contains(',')",
                message: 'names must not contain a comma; list each subnet as an entry of its own.',
              },
              {
                rule: "!self.startsWith('subnet-')",
                message: 'names must not start with "subnet-"; list identifiers of subnets in ids.',
              },
            ),
          ),
      )
      .max(10)
      .optional()
      .describe('The names of the subnets: the values of their tag Name.')
      .meta({ ...atomicList, ...rules(eachOnce('names')) }),
  })
  .describe('The subnets of the load balancer, ten at most. If absent, AWS discovers them by their tags.')
  .meta(
    rules(
      {
        rule: 'has(self.ids) && self.ids.size() > 0 || has(self.names) && self.names.size() > 0',
        message:
          'subnets must name at least one subnet in ids or names; or remove subnets to let AWS choose.',
      },
      {
        rule: '(has(self.ids) ? self.ids.size() : 0) + (has(self.names) ? self.names.size() : 0) <= 10',
        message: 'subnets must name no more than 10 subnets in ids and names together; remove some.',
      },
    ),
  )

const classicLoadBalancer = z.object({
  connectionIdleTimeout: z
    .string()
    .optional()
    .describe('How long a connection may be idle before the load balancer closes it, such as 5m.')
    .meta({ format: 'duration' }),
  subnets: subnets.optional(),
})

const numberOfSubnets =
  '(has(self.subnets.ids) ? self.subnets.ids.size() : 0) + (has(self.subnets.names) ? self.subnets.names.size() : 0)'

const networkLoadBalancer = z
  .object({
    subnets: subnets.optional(),
    eipAllocations: z
      .array(
        z
          .string()
          .max(26)
          .meta(
            rules({
              rule: "self.matches('^eipalloc-[0-9a-fA-F]{17}$')",
              message:
                'eipAllocations must list allocations of Elastic IPs: "eipalloc-" and 17 hexadecimal digits.',
            }),
          ),
      )
      .max(10)
      .optional()
      .describe('Elastic IPs for the load balancer, one for each subnet. Only with scope External.')
      .meta({ ...atomicList, ...rules(eachOnce('eipAllocations')) }),
    protocol: z
      .enum(['TCP', 'PROXY'])
      .optional()
      .describe('Whether the load balancer passes the address of the client on with the PROXY protocol.'),
    securityGroups: z
      .array(
        z
          .string()
          .max(20)
          .meta(
            rules({
              rule: "self.matches('^sg-([0-9a-f]{8}|[0-9a-f]{17})$')",
              message:
                'securityGroups must list identifiers of security groups: "sg-" and 8 or 17 hexadecimal digits.',
            }),
          ),
      )
      .min(1)
      .max(5)
      .optional()
      .describe('The security groups of the load balancer.')
      .meta({ ...atomicList, ...rules(eachOnce('securityGroups')) }),
  })
  .meta(
    rules({
      rule: `!has(self.subnets) || !has(self.eipAllocations) || ${numberOfSubnets} == self.eipAllocations.size()`,
      message: 'eipAllocations must be as many as there are subnets; add or remove entries of either.',
    }),
  )

export const awsParameters = z.object({
  type: z
    .enum(['Classic', 'NLB'])
    .describe(
      'The kind of load balancer: Classic or Network (NLB). Changing it requires a new load balancer and, ' +
        'like a change of scope, your confirmation.',
    ),
  classicLoadBalancer: classicLoadBalancer.optional().describe('Settings for type Classic.'),
  networkLoadBalancer: networkLoadBalancer.optional().describe('Settings for type NLB.'),
})
