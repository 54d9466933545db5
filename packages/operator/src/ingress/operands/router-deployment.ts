import { type Cached, REMOVE_IF_OWNED, type Wanted, withSortedKeys } from '@portcullis/kube'
import type { Deployment } from 'kubernetes-types/apps/v1'
import type { Container, ContainerPort, PodSpec, Probe } from 'kubernetes-types/core/v1'
import type { IngressController } from '../../api/ingress-controller.ts'
import { noteOfAdmitted } from '../last-admitted.ts'
import {
  keptSourceRangesAnnotation,
  ownerLabel,
  routerAccount,
  routerLabel,
  routerName,
  templateHashLabel,
} from '../names.ts'
import type { Placement } from '../placement/eligible-nodes.ts'
import type { Settings } from '../settings.ts'
import type { WantedStrategy } from '../strategies/wanted-strategy.ts'
import type { Replicas } from './replicas.ts'
import type { RollingUpdate } from './rolling-update.ts'
import { routerEnvironment } from './router-environment.ts'
import {
  certificateMount,
  initContainer,
  podSecurity,
  routerSecurityContext,
  securityAnnotations,
  securityMounts,
  securityVolumes,
} from './router-security.ts'
import { hashOf } from './template-hash.ts'

/** What the Deployment of a controller is made from. */
export interface RouterDeploymentInput {
  readonly controller: Cached<IngressController>
  readonly settings: Settings
  readonly domain: string
  readonly replicas: Replicas
  readonly strategy: WantedStrategy
  /** The type of its load balancer, where there are several. */
  readonly loadBalancerType: string | undefined
  /** Whether it sends the client address with the PROXY protocol. */
  readonly loadBalancerSendsProxyHeader: boolean
  readonly isSingleNode: boolean
  readonly rollingUpdate: RollingUpdate
  /** Source ranges that a user set on the Service. */
  readonly usersSourceRanges: readonly string[]
}

/** Where there is no room for a router, others make it. */
export const routerPriorityClass = 'system-cluster-critical'

/** The routers of a controller: all that we want of them, and no more; what others add stays. */
export function routerDeployment(input: RouterDeploymentInput): Wanted<Deployment> & {
  readonly metadata: { readonly namespace: string; readonly name: string }
} {
  const { controller, settings, replicas, strategy, isSingleNode, rollingUpdate, usersSourceRanges } = input
  const { name } = controller.metadata
  const selector = { [routerLabel]: name }
  const labels = { ...selector, [ownerLabel]: name }
  const template = podSpec(input)
  const hash = hashOf(template)
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      namespace: settings.operandNamespace,
      name: routerName(name),
      labels: { [ownerLabel]: name },
      annotations: {
        ...noteOfAdmitted(controller.spec),
        [keptSourceRangesAnnotation]: usersSourceRanges.join(',') || REMOVE_IF_OWNED,
      },
    },
    spec: {
      replicas: replicas.areOthers ? undefined : replicas.count,
      minReadySeconds: 30,
      progressDeadlineSeconds: 600,
      selector: { matchLabels: selector },
      strategy: { type: 'RollingUpdate', rollingUpdate: { ...rollingUpdate } },
      template: {
        metadata: {
          annotations: securityAnnotations(input),
          labels: { ...labels, [templateHashLabel]: hash },
        },
        spec: { ...template, ...spread(strategy, labels, hash, isSingleNode) },
      },
    },
  }
}

function podSpec(input: RouterDeploymentInput): Wanted<PodSpec> {
  const { controller, strategy } = input
  const { defaultCertificate } = controller.spec ?? {}
  const { nodeSelector, tolerations } = placementOf(input)
  const onHost = strategy.type === 'HostNetwork'
  return {
    serviceAccountName: routerAccount,
    priorityClassName: routerPriorityClass,
    terminationGracePeriodSeconds: 3600,
    dnsPolicy: onHost ? 'ClusterFirstWithHostNet' : 'ClusterFirst',
    hostNetwork: onHost || REMOVE_IF_OWNED,
    nodeSelector,
    tolerations: tolerations.length > 0 ? tolerations : REMOVE_IF_OWNED,
    ...podSecurity(input),
    initContainers: [initContainer(input)],
    containers: [container(input)],
    volumes: [
      ...(defaultCertificate?.name
        ? [
            {
              name: certificateMount.name,
              secret: { secretName: defaultCertificate.name, defaultMode: 0o644 },
            },
          ]
        : []),
      ...securityVolumes,
    ],
  }
}

/** Where routers may run: as the spec says, else on workers. Its order is not the spec's: the template's hash depends on it. */
export function placementOf({
  controller,
  settings,
}: Pick<RouterDeploymentInput, 'controller' | 'settings'>): Placement {
  const { nodeSelector, tolerations = [] } = controller.spec?.nodePlacement ?? {}
  return withSortedKeys({
    nodeSelector: nodeSelector?.matchLabels ?? defaultNodes(settings),
    tolerations: tolerations.map(withoutEmptyText),
  })
}

/** The API server keeps no empty text: what is wanted would never be what is there. */
function withoutEmptyText<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== '')) as T
}

/** Plain Kubernetes does not label its workers. */
function defaultNodes({ commandLine }: Settings): Readonly<Record<string, string>> {
  return {
    'kubernetes.io/os': 'linux',
    ...(commandLine === 'oc' && { 'node-role.kubernetes.io/worker': '' }),
  }
}

function container(input: RouterDeploymentInput): Wanted<Container> {
  const { strategy, settings, controller } = input
  const { httpPort = 80, httpsPort = 443, statsPort = 1936 } = strategy.hostNetwork ?? {}
  const onHost = strategy.type === 'HostNetwork'
  const port = (name: string, number: number): Wanted<ContainerPort> => ({
    name,
    containerPort: number,
    protocol: 'TCP',
    hostPort: onHost ? number : REMOVE_IF_OWNED,
  })
  // As on OpenShift it has always been; elsewhere the node may be asked at its address, which is what the standard allows.
  const probeHost = onHost && settings.commandLine === 'oc' ? 'localhost' : REMOVE_IF_OWNED
  const probe = (path: string, timing: Partial<Probe>): Wanted<Probe> => ({
    httpGet: { path, port: statsPort, scheme: 'HTTP', host: probeHost },
    ...timing,
  })
  return {
    name: 'router',
    image: settings.routerImage,
    // The last lines of its log tell why it could not start, a port that is in use for one.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    env: routerEnvironment(input),
    ports: [port('http', httpPort), port('https', httpsPort), port('metrics', statsPort)],
    startupProbe: probe('/healthz/ready', { periodSeconds: 1, failureThreshold: 120 }),
    readinessProbe: probe('/healthz/ready', { periodSeconds: 10, failureThreshold: 3 }),
    livenessProbe: probe('/healthz', {
      periodSeconds: 10,
      failureThreshold: 3,
      terminationGracePeriodSeconds: 10,
    }),
    resources: {
      requests: { cpu: settings.routerCpuRequest, memory: settings.routerMemoryRequest },
      limits: { memory: settings.routerMemoryLimit },
    },
    securityContext: routerSecurityContext(input),
    volumeMounts: [
      ...(controller.spec?.defaultCertificate?.name ? [certificateMount] : []),
      ...securityMounts,
    ],
  }
}

/** Routers of one generation on different nodes; a new one beside the old one that it replaces; zones alike. */
function spread(
  { type }: WantedStrategy,
  labels: Readonly<Record<string, string>>,
  hash: string,
  isSingleNode: boolean,
): Wanted<PodSpec> {
  const sameRouters = { matchLabels: { ...labels, [templateHashLabel]: hash } }
  const topologySpreadConstraints = [
    {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: sameRouters,
    },
  ]
  if (type === 'HostNetwork' || isSingleNode) return { topologySpreadConstraints, affinity: REMOVE_IF_OWNED }
  const olderRouters = {
    matchLabels: { ...labels },
    matchExpressions: [{ key: templateHashLabel, operator: 'NotIn', values: [hash] }],
  }
  const onOneNode = { topologyKey: 'kubernetes.io/hostname' }
  return {
    topologySpreadConstraints,
    affinity: {
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 100, podAffinityTerm: { labelSelector: olderRouters, ...onOneNode } },
        ],
      },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: sameRouters, ...onOneNode }],
      },
    },
  }
}

/** The source ranges that a user had set on the previous Service. */
export function keptSourceRanges(deployment: Cached<Deployment> | undefined): readonly string[] {
  return deployment?.metadata.annotations?.[keptSourceRangesAnnotation]?.split(',') ?? []
}
