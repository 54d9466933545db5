import * as fc from 'fast-check'
import { few, labels, mostly, of, type RandomKind, some } from './random-kind.ts'

const policyPorts = few(
  some({
    protocol: mostly(of('TCP', 'UDP', undefined), of('ICMP', '')),
    port: mostly(of(80, 443, 'http'), of(0, 65_536, 'Not_Valid', '')),
    endPort: mostly(of(undefined, 500), of(79, 70_000, -1)),
  }),
)
const podsWith = some({
  matchLabels: labels,
  matchExpressions: few(
    some({
      key: mostly(of('app'), of('a b', '')),
      operator: mostly(of('In', 'Exists'), of('Is', '')),
      values: few(mostly(of('a'), of('not valid'))),
    }),
    1,
  ),
})
const policyPeers = few(
  mostly(
    fc.oneof(
      some({ podSelector: podsWith, namespaceSelector: podsWith }),
      some({
        ipBlock: some({
          cidr: mostly(of('10.0.0.0/8', '2001:db8::/32', '2001:DB8:0::/48'), of('x', '10.0.0.1/8', '')),
          except: few(mostly(of('10.1.0.0/16', '2001:db8:0:1::/64'), of('10.0.0.0/8', '010.1.0.0/16', 'x'))),
        }),
      }),
    ),
    of({}, { podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }),
  ),
)

export const networkPolicy: RandomKind = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  subresources: [],
  content: some({
    spec: mostly(
      some({
        podSelector: podsWith,
        policyTypes: mostly(of(['Ingress'], ['Egress'], ['Ingress', 'Egress'], []), of(['Other'], null)),
        ingress: few(some({ ports: policyPorts, from: policyPeers })),
        egress: few(some({ ports: policyPorts, to: policyPeers })),
      }),
      of({}, null),
    ),
  }),
  sample: { spec: { podSelector: {} } },
  paths: ['/spec/ingress', '/spec/egress', '/spec/egress/0', '/spec/policyTypes', '/spec/podSelector'],
}
