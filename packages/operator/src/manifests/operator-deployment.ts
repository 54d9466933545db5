import { createHash } from 'node:crypto'
import { healthPort, labelsOf, type Manifest, type ManifestOptions } from './options.ts'

const configurationDirectory = '/etc/portcullis'
/** As the Containerfile has it. */
const imageUser = 65_532

/** The operator, and what it reads when it starts: two of it, of which one leads. */
export function operatorDeployment(options: ManifestOptions): Manifest[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: metadata(options),
      data: { 'config.yaml': options.configuration },
    },
    deployment(options),
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: metadata(options),
      spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(options) } },
    },
  ]
}

function deployment(options: ManifestOptions): Manifest {
  const labels = labelsOf(options)
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata(options),
    spec: {
      replicas: options.replicas,
      selector: { matchLabels: labels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
      template: {
        metadata: {
          labels,
          annotations: { 'portcullis.dev/configuration': digestOf(options.configuration) },
        },
        spec: podSpec(options),
      },
    },
  }
}

/** Changed settings start new pods, for the operator reads them once. */
export function digestOf(configuration: string): string {
  return createHash('sha256').update(configuration).digest('hex')
}

function podSpec(options: ManifestOptions) {
  return {
    serviceAccountName: options.name,
    priorityClassName: 'system-cluster-critical',
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' }],
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: labelsOf(options) },
      },
    ],
    securityContext: {
      runAsNonRoot: true,
      ...userAndGroup(options),
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [container(options)],
    volumes: [{ name: 'configuration', configMap: { name: options.name } }],
  }
}

/**
 * Where only the image names a user, the kubelet takes over its number and not its group, which would be root's. OpenShift
 * assigns users by the range of the namespace, and refuses others.
 */
function userAndGroup({ openshift }: ManifestOptions) {
  return openshift ? {} : { runAsUser: imageUser, runAsGroup: imageUser }
}

function container({ image }: ManifestOptions) {
  return {
    name: 'operator',
    image,
    args: ['operator', `--config=${configurationDirectory}/config.yaml`],
    ports: [{ name: 'health', containerPort: healthPort }],
    // Not before it can have started: each probe that fails is an Event. The others wait for this one.
    startupProbe: {
      httpGet: { path: '/healthz', port: 'health' },
      initialDelaySeconds: 5,
      periodSeconds: 1,
      failureThreshold: 60,
    },
    livenessProbe: { httpGet: { path: '/healthz', port: 'health' }, periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: { httpGet: { path: '/readyz', port: 'health' }, periodSeconds: 5 },
    resources: { requests: { cpu: '10m', memory: '128Mi' }, limits: { memory: '512Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [{ name: 'configuration', mountPath: configurationDirectory, readOnly: true }],
    terminationMessagePolicy: 'FallbackToLogsOnError',
  }
}

function metadata(options: ManifestOptions): Manifest['metadata'] {
  return { name: options.name, namespace: options.operatorNamespace, labels: labelsOf(options) }
}
