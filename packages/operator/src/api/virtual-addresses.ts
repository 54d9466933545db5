import { z } from 'zod'
import { type atomicList, rules, type setList } from './crd/markers.ts'

/** One virtual IP, or two of different families: what an on-premises cluster is reached at. */
export function virtualAddresses(
  field: string,
  description: string,
  list: typeof atomicList | typeof setList,
) {
  return z
    .array(
      z
        .string()
        .max(45)
        .meta(
          rules({
            rule: 'isIP(self)',
            message: `${field} must list IP addresses, such as 192.0.2.10 or 2001:db8::10.`,
          }),
        ),
    )
    .max(2)
    .optional()
    .describe(description)
    .meta({
      ...list,
      ...rules({
        rule: 'size(self) != 2 || !isIP(self[0]) || !isIP(self[1]) || ip(self[0]).family() != ip(self[1]).family()',
        message: `${field} must contain at most one IPv4 address and at most one IPv6 address; remove one of the two, or replace it by one of the other family.`,
      }),
    })
}

export const machineNetworks = z
  .array(
    z
      .string()
      .min(1)
      .max(43)
      .meta(
        rules({
          rule: 'isCIDR(self)',
          message: 'machineNetworks must list networks in CIDR notation, such as 192.0.2.0/24.',
        }),
      ),
  )
  .max(32)
  .optional()
  .describe('The networks that the nodes of the cluster are in.')
  .meta({
    'x-kubernetes-list-type': 'atomic',
    ...rules({
      rule: 'self.all(one, self.exists_one(other, one == other))',
      message: 'machineNetworks must not list a network twice; remove the repetition.',
    }),
  })
