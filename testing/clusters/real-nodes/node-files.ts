import { stringify } from 'yaml'
import { clusterDnsIp, type NodeLayout, podRanges } from './layout.ts'

/** Files of /etc on a node, by their path below it. `ca`, and the kubeconfigs, are written beside them. */
export function nodeFiles(
  node: NodeLayout,
  { providerId, pauseImage }: NodeSettings,
): Readonly<Record<string, string>> {
  return {
    'containerd/config.toml': containerdConfig(pauseImage),
    'kubernetes/kubelet.yaml': stringify(kubeletConfiguration(providerId)),
    'kubernetes/kube-proxy.yaml': stringify(kubeProxyConfiguration()),
    'cni/net.d/10-pods.conflist': JSON.stringify(podNetwork(node)),
    hosts: `127.0.0.1 localhost\n::1 localhost\n${node.ipv4} ${node.name}\n${node.ipv6} ${node.name}\n`,
    // Where no DNS server is, so that a name is refused at once; pods ask the cluster's DNS.
    'resolv.conf': 'nameserver 127.0.0.1\n',
  }
}

export interface NodeSettings {
  readonly providerId: string
  readonly pauseImage: string
}

function containerdConfig(pauseImage: string): string {
  return `version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
# A negative one needs CAP_SYS_RESOURCE.
oom_score = 0
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.aufs", "io.containerd.internal.v1.opt", "io.containerd.tracing.processor.v1.otlp"]

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = ${JSON.stringify(pauseImage)}
  # Pods ask for -998 and the like, which the kernel refuses without CAP_SYS_RESOURCE.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        BinaryName = "runc"
        SystemdCgroup = false
`
}

function kubeletConfiguration(providerID: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    // Since 1.35 it refuses the first version of cgroups unless this is false.
    failCgroupV1: false,
    cgroupDriver: 'cgroupfs',
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    providerID,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: '/etc/kubernetes/ca.crt' },
    },
    authorization: { mode: 'Webhook' },
    clusterDNS: [clusterDnsIp],
    clusterDomain: 'cluster.local',
    resolvConf: '/etc/resolv.conf',
    failSwapOn: false,
    makeIPTablesUtilChains: false,
    // A node that is cut off or dead is noticed sooner than in forty seconds: see nodeGraceSeconds.
    nodeStatusUpdateFrequency: '2s',
    nodeLeaseDurationSeconds: 8,
    syncFrequency: '10s',
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '1%',
      'imagefs.available': '1%',
      'nodefs.inodesFree': '1%',
    },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    registryPullQPS: 0,
    eventRecordQPS: 0,
    kubeAPIQPS: 100,
    kubeAPIBurst: 200,
  }
}

function kubeProxyConfiguration(): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    clientConnection: { kubeconfig: '/etc/kubernetes/kube-proxy.kubeconfig' },
    clusterCIDR: `${podRanges.ipv4},${podRanges.ipv6}`,
    // What it would set for the whole machine stays as it is.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  }
}

function podNetwork({ podsIpv4, podsIpv6 }: NodeLayout): object {
  return {
    cniVersion: '1.0.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isDefaultGateway: true,
        ipMasq: false,
        hairpinMode: true,
        ipam: { type: 'host-local', ranges: [[{ subnet: podsIpv4 }], [{ subnet: podsIpv6 }]] },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  }
}
