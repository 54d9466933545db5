/** Ports of nodes that OpenShift and Kubernetes themselves use, and for what. */
const reserved: readonly { readonly from: number; readonly to: number; readonly use: string }[] = [
  { from: 22, to: 22, use: 'SSH' },
  { from: 53, to: 53, use: 'DNS' },
  { from: 111, to: 111, use: 'rpcbind' },
  { from: 2379, to: 2380, use: 'etcd' },
  { from: 4789, to: 4789, use: 'VXLAN of the cluster network' },
  { from: 6081, to: 6081, use: 'Geneve of the cluster network' },
  { from: 6443, to: 6443, use: 'the Kubernetes API server' },
  { from: 9099, to: 9099, use: 'the cluster version operator' },
  { from: 9100, to: 9100, use: 'the node exporter' },
  { from: 9537, to: 9537, use: "CRI-O's metrics" },
  { from: 9641, to: 9644, use: "OVN's databases" },
  { from: 10248, to: 10250, use: 'the kubelet and kube-proxy' },
  { from: 10256, to: 10259, use: 'kube-proxy, the controller manager and the scheduler' },
  { from: 10300, to: 10309, use: 'drivers of storage' },
  { from: 17697, to: 17697, use: 'the checks of the API endpoints' },
  { from: 22623, to: 22624, use: 'the machine config server' },
  { from: 29100, to: 29105, use: 'the metrics of the cluster network' },
]

/** What a port of the nodes is used for by the cluster itself, if anything. */
export function reservedUse(port: number): string | undefined {
  return reserved.find(({ from, to }) => from <= port && port <= to)?.use
}
