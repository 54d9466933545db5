import { clusterDnsIp, clusterDnsIpv6 } from './layout.ts'

const labels = { 'k8s-app': 'kube-dns' }
const name = 'coredns'
const namespace = 'kube-system'

const corefile = `.:53 {
  errors
  health
  ready
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    ttl 5
  }
  cache 5
}
`

/** CoreDNS as the cluster's DNS: names of Services and nothing else, for nothing else can be reached. */
export function clusterDns(image: string): readonly object[] {
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'system:coredns' },
      rules: [
        { apiGroups: [''], resources: ['services', 'namespaces', 'pods'], verbs: ['list', 'watch'] },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'system:coredns' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:coredns' },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { Corefile: corefile } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kube-dns', namespace, labels },
      spec: {
        clusterIP: clusterDnsIp,
        clusterIPs: [clusterDnsIp, clusterDnsIpv6],
        ipFamilyPolicy: 'RequireDualStack',
        selector: labels,
        ports: [
          { name: 'dns', port: 53, protocol: 'UDP' },
          { name: 'dns-tcp', port: 53, protocol: 'TCP' },
        ],
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace, labels },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: podSpec(image) },
      },
    },
  ]
}

function podSpec(image: string): object {
  return {
    serviceAccountName: name,
    dnsPolicy: 'Default',
    priorityClassName: 'system-cluster-critical',
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: labels },
      },
    ],
    containers: [
      {
        name,
        image,
        imagePullPolicy: 'IfNotPresent',
        args: ['-conf', '/etc/coredns/Corefile'],
        ports: [
          { name: 'dns', containerPort: 53, protocol: 'UDP' },
          { name: 'dns-tcp', containerPort: 53, protocol: 'TCP' },
        ],
        readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 2 },
        livenessProbe: { httpGet: { path: '/health', port: 8080 }, initialDelaySeconds: 10 },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
        },
        volumeMounts: [{ name: 'config', mountPath: '/etc/coredns', readOnly: true }],
      },
    ],
    volumes: [{ name: 'config', configMap: { name } }],
  }
}
