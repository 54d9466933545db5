import { z } from 'zod'
import { atomicList, openObject, rules, type setList } from './crd/markers.ts'
import { machineNetworks, virtualAddresses } from './virtual-addresses.ts'

const loadBalancer = z.object({
  type: z
    .enum(['OpenShiftManagedDefault', 'UserManaged'])
    .default('OpenShiftManagedDefault')
    .describe(
      'OpenShiftManagedDefault: the nodes share the virtual IPs and balance the load themselves. ' +
        'UserManaged: the virtual IPs belong to a load balancer that you provide outside of the cluster.',
    )
    .meta(
      rules({
        rule: "oldSelf == '' || self == oldSelf",
        message:
          'type is immutable once set: the load balancer of a cluster is chosen when it is installed; restore ' +
          'the old value.',
      }),
    ),
})

/** The virtual IPs of a platform's API and ingress, and who answers at them. */
export function onPremisesStatus(list: typeof atomicList | typeof setList) {
  return openObject({
    apiServerInternalIP: z.string().optional().describe('Deprecated: the first of apiServerInternalIPs.'),
    apiServerInternalIPs: virtualAddresses(
      'apiServerInternalIPs',
      'The virtual IPs at which the cluster itself reaches the Kubernetes API.',
      list,
    ),
    ingressIP: z.string().optional().describe('Deprecated: the first of ingressIPs.'),
    ingressIPs: virtualAddresses(
      'ingressIPs',
      'The virtual IPs at which clients reach the default IngressController.',
      list,
    ),
    loadBalancer: loadBalancer
      .default({ type: 'OpenShiftManagedDefault' })
      .describe('The load balancer between the virtual IPs and the nodes.'),
    machineNetworks,
    dnsRecordsType: z
      .enum(['Internal', 'External'])
      .optional()
      .describe(
        'Where the DNS records of the API and of ingress are: with Internal (the default) the DNS servers of the cluster ' +
          'resolve the names, with External your own DNS servers must.',
      ),
  }).meta(
    rules({
      rule:
        "!has(self.dnsRecordsType) || self.dnsRecordsType != 'External' || " +
        "(has(self.loadBalancer) && self.loadBalancer.type == 'UserManaged')",
      message:
        'dnsRecordsType can be External only if loadBalancer.type is UserManaged; set it to Internal or remove it.',
      fieldPath: '.dnsRecordsType',
    }),
  )
}

/** The same wishes in the spec, where a second virtual IP can be added to a running cluster. */
export const onPremisesSpec = openObject({
  apiServerInternalIPs: virtualAddresses(
    'apiServerInternalIPs',
    'The virtual IPs at which the cluster itself is to reach the Kubernetes API.',
    atomicList,
  ),
  ingressIPs: virtualAddresses(
    'ingressIPs',
    'The virtual IPs at which clients are to reach the default IngressController.',
    atomicList,
  ),
  machineNetworks,
}).meta(
  rules(
    {
      rule: '!has(oldSelf.apiServerInternalIPs) || has(self.apiServerInternalIPs)',
      message: 'apiServerInternalIPs cannot be removed once set; restore the list.',
    },
    {
      rule: '!has(oldSelf.ingressIPs) || has(self.ingressIPs)',
      message: 'ingressIPs cannot be removed once set; restore the list.',
    },
  ),
)
