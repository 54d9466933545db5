import type { Scene } from './scene.ts'

/** A hostile change fits no type. */
export type Loose = Scene['deployment']['spec']

const container = (change: object) => (pod: Loose) => Object.assign(pod.containers[0], change)
const pod = (change: object) => (pod: Loose) => Object.assign(pod, change)
const security = (change: object) => (pod: Loose) => Object.assign((pod.securityContext ??= {}), change)
const routerSecurity = (change: object) => container({ securityContext: change })
const probe = (name: string, change: object) => (pod: Loose) =>
  Object.assign(pod.containers[0], { [name]: { periodSeconds: 10, ...change } })
const variable = (name: string, value: string) => (pod: Loose) =>
  void pod.containers[0].env.push({ name, value })
const value = (name: string, value: string) => (pod: Loose) => {
  const others = pod.containers[0].env.filter((each: { name: string }) => each.name !== name)
  pod.containers[0].env = [...others, { name, value }]
}
const mount =
  (name: string, mountPath: string, more: object = {}) =>
  (pod: Loose) =>
    void pod.containers[0].volumeMounts.push({ name, mountPath, ...more })
const template = (change: object) => (_: Loose, deployment: Loose) => {
  const { metadata } = deployment.spec.template
  for (const [field, added] of Object.entries(change)) Object.assign((metadata[field] ??= {}), added)
}

export const volume = (change: object) => (pod: Loose) =>
  void (pod.volumes ??= []).push({ name: 'hostile', ...change })

/** What an operator in the wrong hands could make of a router, each alone. */
export const hostilePods: Record<string, (pod: Loose, deployment: Loose) => void> = {
  'the processes of the node': pod({ hostPID: true }),
  'the memory of the node': pod({ hostIPC: true }),
  'the processes of all containers in each': pod({ shareProcessNamespace: true }),
  'a choice of its own about user namespaces': pod({ hostUsers: true }),
  'names of its own for others': pod({ hostAliases: [{ ip: '192.0.2.1', hostnames: ['api.example.com'] }] }),
  'name servers of its own': pod({ dnsConfig: { nameservers: ['192.0.2.1'] } }),
  'a Secret to pull its image with': pod({ imagePullSecrets: [{ name: 'any' }] }),
  'another runtime': pod({ runtimeClassName: 'any' }),
  'a choice of its own about operating systems': pod({ os: { name: 'linux' } }),
  'a device': pod({ resourceClaims: [{ name: 'any', resourceClaimName: 'any' }] }),
  'a higher priority': pod({ priorityClassName: 'system-node-critical' }),
  'a directory of the node': volume({ hostPath: { path: '/' } }),
  'another Secret': volume({ secret: { secretName: 'any-secret-of-the-namespace' } }),
  'a Secret among projected sources': volume({ projected: { sources: [{ secret: { name: 'any' } }] } }),
  'a volume of a driver': volume({ csi: { driver: 'any' } }),
  'a claim': volume({ persistentVolumeClaim: { claimName: 'any' } }),
  'files of another server': volume({ nfs: { server: '192.0.2.1', path: '/' } }),
  'a ConfigMap': volume({ configMap: { name: 'any' } }),
  'a ConfigMap among projected sources': volume({ projected: { sources: [{ configMap: { name: 'any' } }] } }),
  'a file out of its annotations': volume({
    projected: {
      sources: [
        { downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: "metadata.annotations['x']" } }] } },
      ],
    },
  }),
  'a device, asked for as a resource': container({
    resources: { requests: { memory: '256Mi' }, limits: { 'devices.kubevirt.io/kvm': '1' } },
  }),
  'more than a router needs': container({ resources: { requests: { cpu: '60', memory: '200Gi' } } }),
  'more than a router needs, by a limit': container({ resources: { limits: { memory: '200Gi' } } }),
  'resources of the whole pod': pod({ resources: { requests: { cpu: '60' } } }),
  'a probe of its node': probe('livenessProbe', { httpGet: { host: 'localhost', port: 10250, path: '/' } }),
  'a token of another audience': volume({
    projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'vault' } }] },
  }),
  'a token for a long time': volume({
    projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 86_400 } }] },
  }),
  'an empty directory over its program': mount('tmp', '/usr/bin'),
  'its certificate where its program is': mount('default-certificate', '/usr/sbin'),
  'a part of a volume in the place of the whole': (pod) => {
    pod.containers[0].volumeMounts.find(({ name }: { name: string }) => name === 'tmp').subPath = 'x'
  },
  'another ServiceAccount': pod({ serviceAccountName: 'router-edge', serviceAccount: 'router-edge' }),
  'the ServiceAccount that all pods have': pod({ serviceAccountName: 'default', serviceAccount: 'default' }),
  'a node of its choice': pod({ nodeName: 'worker-1' }),
  'another image': container({ image: 'hostile:1' }),
  'another command': container({ command: ['sh'] }),
  'other arguments': container({ args: ['-c', 'id'] }),
  'another command to prepare its files': (pod) => {
    pod.initContainers[0].command = ['/bin/sh', '-c', 'id']
  },
  'a directory to start in': container({ workingDir: '/tmp' }),
  'another file for its last words': container({ terminationMessagePath: '/usr/sbin/haproxy' }),
  'a hook': container({ lifecycle: { postStart: { exec: { command: ['id'] } } } }),
  'a command as its livenessProbe': probe('livenessProbe', { exec: { command: ['id'] } }),
  'a command as its readinessProbe': probe('readinessProbe', { exec: { command: ['id'] } }),
  'a command as its startupProbe': probe('startupProbe', { exec: { command: ['id'] } }),
  'a probe of another host': probe('readinessProbe', {
    httpGet: { host: '169.254.169.254', path: '/', port: 80 },
  }),
  'a probe with headers': probe('readinessProbe', {
    httpGet: { path: '/', port: 80, httpHeaders: [{ name: 'X', value: 'y' }] },
  }),
  'a probe of a socket': probe('readinessProbe', { tcpSocket: { host: '192.0.2.1', port: 80 } }),
  privileges: routerSecurity({ privileged: true }),
  'a capability': routerSecurity({ capabilities: { add: ['SYS_ADMIN'] } }),
  'the user root': routerSecurity({ runAsUser: 0 }),
  'the user root for all containers': security({ runAsUser: 0 }),
  'no seccomp': routerSecurity({ seccompProfile: { type: 'Unconfined' } }),
  'no seccomp for all containers': security({ seccompProfile: { type: 'Unconfined' } }),
  'another SELinux label': routerSecurity({ seLinuxOptions: { type: 'spc_t' } }),
  'another SELinux label for all containers': security({ seLinuxOptions: { type: 'spc_t' } }),
  'no AppArmor': routerSecurity({ appArmorProfile: { type: 'Unconfined' } }),
  'no AppArmor for all containers': security({ appArmorProfile: { type: 'Unconfined' } }),
  'options of Windows': routerSecurity({ windowsOptions: { runAsUserName: 'any' } }),
  'options of Windows for all containers': security({ windowsOptions: { runAsUserName: 'any' } }),
  'a setting of the kernel': security({ sysctls: [{ name: 'net.ipv4.ping_group_range', value: '0 0' }] }),
  'a variable out of a Secret': container({
    env: [{ name: 'ROUTER_DOMAIN', valueFrom: { secretKeyRef: { name: 'any', key: 'any' } } }],
  }),
  'a variable out of its annotations': container({
    env: [{ name: 'ROUTER_DOMAIN', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['x']" } } }],
  }),
  'variables out of a Secret': container({ envFrom: [{ secretRef: { name: 'any' } }] }),
  'a file that its shell reads': variable('BASH_ENV', '/tmp/x'),
  'a library before all others': variable('LD_PRELOAD', '/tmp/x'),
  'another program to reload with': variable('RELOAD_SCRIPT', '/tmp/x'),
  'another template': variable('TEMPLATE_FILE', '/tmp/x'),
  'a variable for what prepares its files': (pod) => {
    pod.initContainers[0].env = [{ name: 'BASH_ENV', value: '/tmp/x' }]
  },
  'lines of its own in the configuration of HAProxy': value('ROUTER_SERVICE_HTTP_PORT', '80\n  lua-load /x'),
  'its certificate from elsewhere': value('DEFAULT_CERTIFICATE_DIR', '/var/run/secrets'),
  'a reference to another variable': value('ROUTER_DOMAIN', '$(KUBERNETES_SERVICE_HOST)'),
  'an annotation that others obey': template({ annotations: { 'k8s.v1.cni.cncf.io/networks': 'any' } }),
  'another constraint of OpenShift': template({ annotations: { 'openshift.io/required-scc': 'privileged' } }),
  'a label that others obey': template({ labels: { 'sidecar.istio.io/inject': 'true' } }),
  'a container beside the router': (pod) =>
    pod.containers.push({ name: 'hostile', image: pod.containers[0].image }),
  'a container before the router': (pod) =>
    pod.initContainers.push({ name: 'hostile', image: pod.containers[0].image }),
  'another name': (_, deployment) => {
    Object.assign(deployment.metadata, { name: 'hostile' })
  },
}
