import type { Container, Pod, Probe, SecurityContext, Volume } from 'kubernetes-types/core/v1'
import { infrastructurePlatforms } from '../infrastructure-platforms.ts'
import { resolversOfTheNetwork } from './corefile.ts'
import type { Node, Program } from './node.ts'

/** Where a program's configuration is on the node, and in its container. */
export const configurationOf = {
  haproxy: {
    directory: 'etc/kubernetes/static-pod-resources/haproxy',
    file: 'haproxy.cfg',
    mount: '/etc/haproxy',
  },
  keepalived: {
    directory: 'etc/kubernetes/static-pod-resources/keepalived',
    file: 'keepalived.conf',
    mount: '/etc/keepalived',
  },
  coredns: {
    directory: 'etc/kubernetes/static-pod-resources/coredns',
    file: 'Corefile',
    mount: '/etc/coredns',
  },
} as const satisfies Record<Program, object>

/** What the kubelet starts, in the network of the node. */
export function staticPod(program: Program, node: Node): Pod {
  const { directory, mount } = configurationOf[program]
  const hostPaths: Volume[] = [
    { name: 'configuration', hostPath: { path: `/${directory}` } },
    ...(program === 'coredns' && node.upstreams.length === 0
      ? [{ name: 'resolvers', hostPath: { path: directoryOf(resolversOfTheNetwork) } }]
      : []),
  ]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: program,
      namespace: infrastructurePlatforms[node.vips.platform].namespace,
      labels: { app: `${node.vips.platform}-infra-${program}` },
    },
    spec: {
      hostNetwork: true,
      priorityClassName: 'system-node-critical',
      tolerations: [{ operator: 'Exists' }],
      containers: [
        {
          name: program,
          image: node.images[program],
          imagePullPolicy: 'IfNotPresent',
          ...howToRun(program, node),
          resources: { requests: { cpu: '100m', memory: '200Mi' } },
          terminationMessagePolicy: 'FallbackToLogsOnError',
          volumeMounts: [
            { name: 'configuration', mountPath: mount, readOnly: true },
            ...(hostPaths.length === 1
              ? []
              : [{ name: 'resolvers', mountPath: directoryOf(resolversOfTheNetwork), readOnly: true }]),
          ],
        },
      ],
      volumes: hostPaths,
    },
  }
}

/** SELinux lets no ordinary container read the node's own files. */
const readsTheNode: SecurityContext = { seLinuxOptions: { type: 'spc_t' } }

function howToRun(program: Program, { ports }: Node): Partial<Container> {
  const { mount, file } = configurationOf[program]
  switch (program) {
    case 'haproxy':
      return {
        command: ['haproxy', '-W', '-db', '-f', `${mount}/${file}`],
        securityContext: readsTheNode,
        livenessProbe: probe('/haproxy_ready', ports.balancerReady),
      }
    case 'keepalived':
      return {
        command: ['keepalived', '--dont-fork', '--vrrp', '--log-console', `--use-file=${mount}/${file}`],
        securityContext: { privileged: true, runAsUser: 0 },
      }
    case 'coredns':
      return {
        command: ['coredns', '-conf', `${mount}/${file}`],
        securityContext: { ...readsTheNode, runAsUser: 0, capabilities: { add: ['NET_BIND_SERVICE'] } },
        livenessProbe: probe('/health', ports.dnsHealth),
      }
  }
}

function probe(path: string, port: number): Probe {
  return { httpGet: { path, port, scheme: 'HTTP' }, initialDelaySeconds: 10, timeoutSeconds: 10 }
}

function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}
