/** TCP ports of nodes that OpenShift and Kubernetes themselves use, and for what: after OpenShift's registry of host ports. */
const reserved: readonly { readonly from: number; readonly to: number; readonly use: string }[] = [
  { from: 22, to: 22, use: 'SSH' },
  { from: 53, to: 53, use: 'DNS' },
  { from: 111, to: 111, use: 'rpcbind' },
  { from: 2379, to: 2380, use: 'etcd' },
  { from: 3306, to: 3306, use: 'the database of bare-metal provisioning' },
  { from: 4180, to: 4180, use: 'the machine config daemon' },
  { from: 5050, to: 5050, use: 'bare-metal provisioning' },
  { from: 6080, to: 6080, use: 'the operator of the Kubernetes API server' },
  { from: 6180, to: 6183, use: 'bare-metal provisioning' },
  { from: 6385, to: 6385, use: 'bare-metal provisioning' },
  { from: 6443, to: 6443, use: 'the Kubernetes API server' },
  { from: 8089, to: 8089, use: 'bare-metal provisioning' },
  { from: 8200, to: 8219, use: 'drivers of storage' },
  { from: 8797, to: 8797, use: 'the machine config daemon' },
  { from: 9001, to: 9001, use: 'the machine config daemon' },
  { from: 9099, to: 9099, use: 'the cluster version operator' },
  { from: 9100, to: 9100, use: 'the node exporter' },
  { from: 9101, to: 9103, use: 'the metrics of the cluster network' },
  { from: 9200, to: 9219, use: 'drivers of storage' },
  { from: 9258, to: 9259, use: 'the operator of the cloud controller manager' },
  { from: 9443, to: 9443, use: 'the controller manager' },
  { from: 9446, to: 9446, use: 'the bare-metal operator' },
  { from: 9537, to: 9537, use: "CRI-O's metrics" },
  { from: 9641, to: 9644, use: "OVN's databases" },
  { from: 9977, to: 9979, use: 'etcd' },
  { from: 10010, to: 10010, use: 'CRI-O' },
  { from: 10248, to: 10250, use: 'the kubelet and kube-proxy' },
  { from: 10251, to: 10251, use: 'the scheduler' },
  {
    from: 10255,
    to: 10259,
    use: 'kube-proxy, the controller manager, the cloud controller manager and the scheduler',
  },
  { from: 10263, to: 10263, use: 'the cloud node manager' },
  { from: 10300, to: 10309, use: 'drivers of storage' },
  { from: 10357, to: 10357, use: 'the cluster policy controller' },
  { from: 11443, to: 11443, use: 'the scheduler' },
  { from: 17697, to: 17697, use: 'the checks of the API endpoints' },
  { from: 22623, to: 22624, use: 'the machine config server' },
  { from: 29100, to: 29105, use: 'the metrics of the cluster network' },
]

/** What a port of the nodes is used for by the cluster itself, if anything. */
export function reservedUse(port: number): string | undefined {
  return reserved.find(({ from, to }) => from <= port && port <= to)?.use
}
