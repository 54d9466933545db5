import {
  healthPort,
  type Manifest,
  type ManifestOptions,
  manifests,
  operatorConfiguration,
  outlivesTheOperator,
  usualApiServerPorts,
  usualMetricsNamespaces,
} from '@portcullis/operator'
import { digestOf } from '@portcullis/operator/internal/manifests/operator-deployment.ts'
import { stringify } from 'yaml'
import { z } from 'zod'
import { version } from '../package.json'

const chart = {
  apiVersion: 'v2',
  name: 'portcullis',
  description: 'Publishes Kubernetes ingress, and changes how it is published on a live cluster.',
  type: 'application',
  version,
  appVersion: version,
  kubeVersion: '>=1.29.0-0',
}

const values = `# The image of the operator; by its digest (…@sha256:…) it is what was signed, whatever becomes of the tag.
image: portcullis:${version}

# How many operators run, of which one leads.
replicas: 2

# On OpenShift: its kinds are there already, and routers need leave to use the network of their host.
openshift: false

# ServiceMonitor and PrometheusRule, which only a cluster with the Prometheus operator takes.
monitoring: false

# The namespaces from which metrics may be scraped; "monitoring" when there is none here, on OpenShift "openshift-monitoring".
metricsNamespaces: []

# The ports at which the API server, or a proxy before it, may listen: the operator is let out to no others.
apiServerPorts: [${usualApiServerPorts.join(', ')}]

# ValidatingAdmissionPolicies that bound what the operator can do with its rights, where the API server has them (Kubernetes
# 1.30 and later).
admissionPolicy: true

# Whether controllers may have the strategy HostNetwork. Without it the namespace of routers is held to the baseline standard.
hostNetwork: true

# Where routers and their Services are.
operandNamespace: openshift-ingress

# Settings of the operator, as in its configuration file; "portcullis operator --help" lists them.
config: {}
`

const notes = `Portcullis is on its way; it leads after 15 seconds at the latest:

  kubectl -n {{ .Release.Namespace }} rollout status deployment/{{ .Release.Name }}

IngressControllers in the namespace {{ .Release.Namespace }} are published, such as:

  apiVersion: operator.openshift.io/v1
  kind: IngressController
  metadata:
    name: default
    namespace: {{ .Release.Namespace }}
  spec:
    domain: apps.example.com
    endpointPublishingStrategy:
      type: LoadBalancerService

What stays when this release is removed: the kinds, the namespace {{ .Values.operandNamespace }}, and the account and
the rights of the routers, so that nothing that is published goes away by accident.
`

/** What the chart sees to itself. */
const ownBusiness = ['operatorNamespace', 'healthPort', 'leaderElection']

function valuesSchema() {
  const { properties } = z.toJSONSchema(operatorConfiguration, { io: 'input' })
  const { operandNamespace, ...all } = properties ?? {}
  const own = Object.entries(all).filter(([name]) => !ownBusiness.includes(name))
  const { healthHost, ...settings } = Object.fromEntries(own)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    additionalProperties: false,
    properties: {
      global: { type: 'object' },
      image: { type: 'string', minLength: 1 },
      replicas: { type: 'integer', minimum: 1, maximum: 99 },
      openshift: { type: 'boolean' },
      monitoring: { type: 'boolean' },
      metricsNamespaces: { type: 'array', items: { type: 'string', minLength: 1 } },
      // Without a port a rule of a network policy is about all of them.
      apiServerPorts: {
        type: 'array',
        minItems: 1,
        uniqueItems: true,
        items: { type: 'integer', minimum: 1, maximum: 65_535 },
      },
      admissionPolicy: { type: 'boolean' },
      hostNetwork: { type: 'boolean' },
      operandNamespace,
      config: {
        type: 'object',
        additionalProperties: false,
        // Probes come to the address of the pod, which is not known before.
        properties: { ...settings, healthHost: { ...Object(healthHost), enum: ['::', '0.0.0.0'] } },
      },
    },
  }
}

// ── templates ──

/** Numbers that no manifest has otherwise. */
const someReplicas = 4_242
const somePort = 42_421
const configuration = 'The settings\n'

const filledIn: Omit<ManifestOptions, 'openshift' | 'monitoring' | 'metricsNamespaces'> = {
  name: '{{ .Release.Name }}',
  image: '{{ .Values.image }}',
  operatorNamespace: '{{ .Release.Namespace }}',
  operandNamespace: '{{ .Values.operandNamespace }}',
  replicas: someReplicas,
  apiServerPorts: [somePort],
  metricsAuthentication: false,
  configuration,
  // With backquotes, because they stand between quotes of CEL and of YAML.
  ...configured('routerImage'),
  ...configured('routerCpuRequest'),
  ...configured('routerMemoryRequest'),
  maxReplicas: operatorConfiguration.parse({}).maxReplicas,
  admissionPolicy: true,
  hostNetwork: true,
}

function configured<Name extends 'routerImage' | 'routerCpuRequest' | 'routerMemoryRequest'>(name: Name) {
  const usual = operatorConfiguration.parse({})[name]
  return { [name]: `{{ .Values.config.${name} | default \`${usual}\` }}` } as Record<Name, string>
}

const policies =
  '{{- if and .Values.admissionPolicy (semverCompare ">=1.30-0" .Capabilities.KubeVersion.Version) }}'

const settings =
  'toYaml (merge (dict "operatorNamespace" .Release.Namespace "operandNamespace" .Values.operandNamespace ' +
  `"healthPort" ${healthPort}) .Values.config)`

interface Variants {
  readonly plain: string | undefined
  readonly openshift: string | undefined
  readonly monitoring: string | undefined
  readonly authenticated: string | undefined
}

function templates() {
  const all = {
    plain: manifests(variant({})),
    openshift: manifests(variant({ openshift: true })),
    monitoring: manifests(variant({ monitoring: true })),
    authenticated: manifests(variant({ monitoring: true, metricsAuthentication: true })),
  }
  const everything = Object.values(all).flat().filter(isForTheChart)
  const identities = [...new Set(everything.map(identityOf))]
  const kinds = [...new Set(everything.map(({ kind }) => kind))]
  const variantsOf = (identity: string): Variants => {
    const find = (objects: readonly Manifest[]) => {
      const found = objects.find((object) => identityOf(object) === identity)
      return found && template(found)
    }
    return {
      plain: find(all.plain),
      openshift: find(all.openshift),
      monitoring: find(all.monitoring),
      authenticated: find(all.authenticated),
    }
  }
  return kinds.map((kind) =>
    file(`templates/${kind.toLowerCase()}.yaml`, () => {
      const objects = identities
        .filter((identity) => identity.startsWith(`${kind} `))
        .map((identity) => conditional(variantsOf(identity)))
        .join('')
      return kind.startsWith('ValidatingAdmissionPolicy') ? `${policies}\n${objects}{{- end }}\n` : objects
    }),
  )
}

function variant(options: Partial<ManifestOptions>): ManifestOptions {
  const { openshift = false, monitoring = false } = options
  return {
    ...filledIn,
    openshift,
    monitoring,
    metricsNamespaces: usualMetricsNamespaces({ openshift }),
    ...options,
  }
}

/** Helm makes the namespace of a release itself. */
function isForTheChart({ kind, metadata }: Manifest): boolean {
  return kind !== 'Namespace' || metadata.name !== filledIn.operatorNamespace
}

function identityOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name}`
}

function conditional({ plain, openshift, monitoring, authenticated }: Variants): string {
  if (monitoring === undefined && plain === undefined && openshift === undefined)
    return `{{- if .Values.config.metricsAuthentication }}\n${authenticated}{{- end }}\n`
  if (plain === undefined && monitoring !== authenticated)
    return (
      '{{- if and .Values.monitoring .Values.config.metricsAuthentication }}\n' +
      `${authenticated}{{- else if .Values.monitoring }}\n${monitoring}{{- end }}\n`
    )
  if (plain === openshift && plain === monitoring) return plain ?? ''
  if (plain === openshift) return `{{- if .Values.monitoring }}\n${monitoring}{{- end }}\n`
  if (openshift === undefined) return `{{- if not .Values.openshift }}\n${plain}{{- end }}\n`
  return `{{- if .Values.openshift }}\n${openshift}{{- else }}\n${plain}{{- end }}\n`
}

function template(object: Manifest): string {
  const text = yaml(kept(object))
    // What Prometheus is to fill in, Helm is to leave alone.
    .replaceAll('{{ $', '{{ "{{" }} $')
    .replace(`replicas: ${someReplicas}`, 'replicas: {{ .Values.replicas }}')
    .replace(/ +config\.yaml: \|\n +The settings\n/, `  config.yaml: |\n{{ ${settings} | indent 4 }}\n`)
    .replace(
      /\n {8}- namespaceSelector:\n +matchLabels:\n +kubernetes.io\/metadata.name: (\S*monitoring)\n/,
      (_, usual: string) =>
        `\n{{- range .Values.metricsNamespaces | default (list "${usual}") }}\n` +
        '        - namespaceSelector:\n            matchLabels:\n              kubernetes.io/metadata.name: {{ . | quote }}\n{{- end }}\n',
    )
    .replace(
      new RegExp(` +- protocol: TCP\\n +port: ${somePort}\\n`),
      `{{- range .Values.apiServerPorts | default (list ${usualApiServerPorts.join(' ')}) }}\n        - protocol: TCP\n          port: {{ . | int }}\n{{- end }}\n`,
    )
    .replace('enforce: privileged', 'enforce: {{ ternary "privileged" "baseline" .Values.hostNetwork }}')
    .replace(/(name: hostNetwork\n +expression: )"true"/, '$1{{ .Values.hostNetwork | quote }}')
    .replace(
      /(name: mostReplicas\n +expression: )"(\d+)"/,
      '$1{{ .Values.config.maxReplicas | default $2 | int | quote }}',
    )
    .replace(digestOf(configuration), `{{ ${settings} | sha256sum }}`)
  return `---\n${text}`
}

/** What holds users' objects or what they publish outlives the release. */
function kept(object: Manifest): Manifest {
  if (!outlivesTheOperator(object, variant({}))) return object
  const annotations = { ...object.metadata.annotations, 'helm.sh/resource-policy': 'keep' }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

function yaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })
}

function file(path: string, content: () => string) {
  return { path: `deploy/chart/${path}`, content }
}

/**
 * `deploy/chart`: the objects of `portcullis manifests` as templates, so that the two cannot differ. What Helm fills in
 * stands where the value would; what depends on a switch is put between conditions.
 */
export const chartFiles = [
  file('Chart.yaml', () => yaml(chart)),
  file('values.yaml', () => values),
  file('values.schema.json', () => `${JSON.stringify(valuesSchema(), null, 2)}\n`),
  file('templates/NOTES.txt', () => notes),
  ...templates(),
]
