import { z } from 'zod'
import { parseIp } from '../ip.ts'
import type { Address } from './candidates.ts'
import type { DefaultRoute } from './choose.ts'

/** As `ip -json addr` prints them, as far as it matters here. */
const interfaces = z.array(
  z.object({
    ifname: z.string(),
    flags: z.array(z.string()),
    addr_info: z.array(
      z.object({
        local: z.string().optional(),
        prefixlen: z.number(),
        scope: z.string(),
        secondary: z.boolean().optional(),
        temporary: z.boolean().optional(),
        tentative: z.boolean().optional(),
        dadfailed: z.boolean().optional(),
        deprecated: z.boolean().optional(),
      }),
    ),
  }),
)

/** As `ip -json route show default` prints them; with several next hops, each has its interface. */
const routes = z.array(
  z.object({
    dev: z.string().optional(),
    metric: z.number().optional(),
    prefsrc: z.string().optional(),
    flags: z.array(z.string()).optional(),
    nexthops: z.array(z.object({ dev: z.string() })).optional(),
  }),
)

const flaws = ['dadfailed', 'tentative', 'deprecated', 'temporary'] as const

export function readAddresses(json: string): readonly Address[] {
  return interfaces.parse(JSON.parse(json)).flatMap(({ ifname, flags, addr_info }) =>
    addr_info.flatMap((info): Address[] => {
      const ip = parseIp(info.local ?? '')
      if (ip === undefined) return []
      return [
        {
          ip,
          prefix: info.prefixlen,
          interface: ifname,
          isUp: flags.includes('UP'),
          scope: flags.includes('LOOPBACK') ? 'host' : info.scope,
          isSecondary: info.secondary ?? false,
          flaw: flaws.find((flaw) => info[flaw] === true),
        },
      ]
    }),
  )
}

/** A route without a metric is preferred to one that has any with IPv4; with IPv6 the kernel writes 1024. */
export function readDefaultRoutes(family: 4 | 6, json: string): readonly DefaultRoute[] {
  return routes
    .parse(JSON.parse(json))
    .flatMap(({ dev, metric = 0, prefsrc = '', flags = [], nexthops = [] }) => {
      if (flags.some((flag) => flag === 'dead' || flag === 'linkdown')) return []
      const devices = dev === undefined ? nexthops.map((hop) => hop.dev) : [dev]
      return devices.map((name) => ({ family, interface: name, metric, source: parseIp(prefsrc) }))
    })
}
