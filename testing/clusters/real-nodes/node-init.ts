import { cgroupRoot, hierarchies } from './end-bed.ts'
import type { NodeLayout } from './layout.ts'
import { nodeNetwork } from './network.ts'

/** Where things are on the machine; a node sees the same paths. */
export interface NodePaths {
  /** Of the node alone: its disk, its files. */
  readonly node: string
  readonly logs: string
  /** Directories outside the node's own that it reads: binaries, images. */
  readonly readOnly: readonly string[]
}

export interface NodePrograms {
  readonly kubelet: string
  readonly kubeProxy: string
  readonly networkPolicy: string
}

export interface NodeImages {
  /** Archives, in the order of their import. */
  readonly archives: readonly string[]
}

/**
 * What the first process of a node runs, in namespaces of its own: it makes a root file system whose writes stay in memory,
 * takes its end of the cable, and keeps containerd, kubelet, kube-proxy and what enforces NetworkPolicies running, as systemd
 * would. It is bash, which buries orphans.
 */
export function nodeInit(
  node: NodeLayout,
  nodes: readonly NodeLayout[],
  paths: NodePaths,
  programs: NodePrograms,
  images: NodeImages,
): string {
  return `set -eu
hostname ${node.name}
${rootFileSystem(paths)}
${network(node, nodes)}
touch /run/portcullis-node-is-up
${services(node, paths, programs, images)}
`
}

/**
 * The kubelet sets these, and they are the whole machine's, in no namespace: it is shown what it wants to see, on files of the node's
 * own. Nothing reaches the kernel.
 */
const machineSettings = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
}

/** Real disk, for an overlay cannot be the upper directory of an overlay; it survives a reboot. */
const onDisk = ['var/lib/containerd', 'var/lib/kubelet', 'var/log/pods']

function rootFileSystem({ node, logs, readOnly }: NodePaths): string {
  const memory = `${node}/memory`
  return `mount --make-rprivate /
mkdir -p ${memory}
mount -t tmpfs -o size=512m,mode=755 portcullis ${memory}
mkdir -p ${memory}/upper ${memory}/work ${memory}/root ${memory}/settings
# The upper directory is not on the machine's disk: overlayfs refuses one below its own lower directory.
mount -t overlay -o lowerdir=/,upperdir=${memory}/upper,workdir=${memory}/work overlay ${memory}/root
cd ${memory}/root
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t tmpfs -o mode=755 tmpfs run
mount --rbind /dev dev
mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
for hierarchy in ${hierarchies.filter((name) => name !== 'systemd').join(' ')}; do
  mkdir ${cgroupRoot.slice(1)}/$hierarchy
  mount -t cgroup -o $hierarchy cgroup ${cgroupRoot.slice(1)}/$hierarchy
done
# /proc/self/cgroup names it, and containerd complains of every container if it is mounted nowhere.
mkdir sys/fs/cgroup/systemd
mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
${Object.entries(machineSettings)
  .map(([path, value]) => {
    const file = `${memory}/settings/${path.replaceAll('/', '-')}`
    return `echo ${value} > ${file}; mount --bind ${file} proc/sys/${path}`
  })
  .join('\n')}
${onDisk.map((path) => `mkdir -p ${node}/disk/${path} ${path}; mount --bind ${node}/disk/${path} ${path}`).join('\n')}
mkdir -p var/lib/cni var/log/containers etc/cni/net.d etc/containerd etc/kubernetes
rm -rf etc/cni/net.d/* etc/resolv.conf
mkdir -p .${logs}; mount --bind ${logs} .${logs}
${readOnly
  .map((path) => `mkdir -p .${path}; mount --bind ${path} .${path}; mount -o remount,bind,ro .${path}`)
  .join('\n')}
mkdir -p .${node}/etc; cp -r ${node}/etc/. etc/
mkdir old; pivot_root . old
cd /
umount -l /old; rmdir /old
# Volumes of pods are mounted here and must be seen by containerd.
mount --make-rshared /`
}

function network(node: NodeLayout, nodes: readonly NodeLayout[]): string {
  const { ip, settings } = nodeNetwork(node, nodes)
  return `${Object.entries(settings)
    .map(([path, value]) => `echo ${value} > /proc/sys/net/${path}`)
    .join('\n')}
tries=0
while [ ! -e /sys/class/net/eth0 ]; do
  tries=$((tries + 1))
  [ $tries -le 1500 ] || { echo 'No cable came in thirty seconds: there is no eth0.' >&2; exit 1; }
  sleep 0.02
done
ip -batch - <<'LINES'
${ip.join('\n')}
LINES`
}

function services(
  { name, ipv4, ipv6 }: NodeLayout,
  { logs }: NodePaths,
  { kubelet, kubeProxy, networkPolicy }: NodePrograms,
  { archives }: NodeImages,
): string {
  const log = (service: string) => `${logs}/${name}-${service}.log`
  const kubeletFlags = [
    '--config=/etc/kubernetes/kubelet.yaml',
    '--kubeconfig=/etc/kubernetes/kubelet.kubeconfig',
    '--root-dir=/var/lib/kubelet',
    '--cert-dir=/var/lib/kubelet/pki',
    `--hostname-override=${name}`,
    `--node-ip=${ipv4},${ipv6}`,
  ]
  const [pause = '', ...others] = archives
  const importing = (archive: string) =>
    `ctr --namespace k8s.io images import ${archive} >> ${log('images')} 2>&1 || echo 'not imported: ${archive}' >> ${log('images')}`
  return `set +e
keep() { # NAME COMMAND…: starts it again whenever it ends
  log=${logs}/${name}-$1.log
  shift
  while :; do "$@" >> $log 2>&1 < /dev/null; sleep 0.5; done
}
keep containerd containerd &
until [ -S /run/containerd/containerd.sock ]; do sleep 0.05; done
# Images stay on the disk, and are there after a reboot.
imported=/var/lib/kubelet/images-imported
[ -e $imported ] || ${importing(pause)}
keep kubelet ${kubelet} ${kubeletFlags.join(' ')} &
keep kube-proxy ${kubeProxy} --config=/etc/kubernetes/kube-proxy.yaml --hostname-override=${name} &
keep network-policy ${networkPolicy} --kubeconfig=/etc/kubernetes/network-policy.kubeconfig --node=${name} &
if [ ! -e $imported ]; then
  ${others.map(importing).join('\n  ')}
  touch $imported
fi
while :; do wait; sleep 1; done`
}
