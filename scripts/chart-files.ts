import { stringify } from 'yaml'
import { z } from 'zod'
import { version } from '../package.json'
import { operatorConfiguration } from '../src/api/operator-configuration.ts'
import { manifests, outlivesTheOperator } from '../src/manifests/manifests.ts'
import { digestOf } from '../src/manifests/operator-deployment.ts'
import { healthPort, type Manifest, type ManifestOptions } from '../src/manifests/options.ts'

const chart = {
  apiVersion: 'v2',
  name: 'portcullis',
  description: 'Publishes Kubernetes ingress, and changes how it is published on a live cluster.',
  type: 'application',
  version,
  appVersion: version,
  kubeVersion: '>=1.29.0-0',
}

const values = `# The image of the operator.
image: portcullis:${version}

# How many operators run, of which one leads.
replicas: 2

# On OpenShift: its kinds are there already, and routers need leave to use the network of their host.
openshift: false

# ServiceMonitor and PrometheusRule, which only a cluster with the Prometheus operator takes.
monitoring: false

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

What stays when this release is removed: the kinds, the namespace {{ .Values.operandNamespace }} and the rights of
the routers, so that nothing that is published goes away by accident.
`

/** What the chart sees to itself. */
const ownBusiness = ['operatorNamespace', 'healthPort', 'healthHost', 'leaderElection']

function valuesSchema() {
  const { properties } = z.toJSONSchema(operatorConfiguration, { io: 'input' })
  const { operandNamespace, ...all } = properties ?? {}
  const settings = Object.fromEntries(Object.entries(all).filter(([name]) => !ownBusiness.includes(name)))
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
      operandNamespace,
      config: { type: 'object', additionalProperties: false, properties: settings },
    },
  }
}

// ── templates ──

/** A number that no manifest has otherwise. */
const someReplicas = 4_242
const configuration = 'The settings\n'

const filledIn: Omit<ManifestOptions, 'openshift' | 'monitoring'> = {
  name: '{{ .Release.Name }}',
  image: '{{ .Values.image }}',
  operatorNamespace: '{{ .Release.Namespace }}',
  operandNamespace: '{{ .Values.operandNamespace }}',
  replicas: someReplicas,
  configuration,
}

const settings =
  'toYaml (merge (dict "operatorNamespace" .Release.Namespace "operandNamespace" .Values.operandNamespace ' +
  `"healthPort" ${healthPort}) .Values.config)`

interface Variants {
  readonly plain: string | undefined
  readonly openshift: string | undefined
  readonly monitoring: string | undefined
}

function templates() {
  const all = {
    plain: manifests({ ...filledIn, openshift: false, monitoring: false }),
    openshift: manifests({ ...filledIn, openshift: true, monitoring: false }),
    monitoring: manifests({ ...filledIn, openshift: false, monitoring: true }),
  }
  const everything = [...all.plain, ...all.openshift, ...all.monitoring].filter(isForTheChart)
  const identities = [...new Set(everything.map(identityOf))]
  const kinds = [...new Set(everything.map(({ kind }) => kind))]
  const variantsOf = (identity: string): Variants => {
    const find = (objects: readonly Manifest[]) => {
      const found = objects.find((object) => identityOf(object) === identity)
      return found && template(found)
    }
    return { plain: find(all.plain), openshift: find(all.openshift), monitoring: find(all.monitoring) }
  }
  return kinds.map((kind) =>
    file(`templates/${kind.toLowerCase()}.yaml`, () =>
      identities
        .filter((identity) => identity.startsWith(`${kind} `))
        .map((identity) => conditional(variantsOf(identity)))
        .join(''),
    ),
  )
}

/** Helm makes the namespace of a release itself. */
function isForTheChart({ kind, metadata }: Manifest): boolean {
  return kind !== 'Namespace' || metadata.name !== filledIn.operatorNamespace
}

function identityOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name}`
}

function conditional({ plain, openshift, monitoring }: Variants): string {
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
    .replace(digestOf(configuration), `{{ ${settings} | sha256sum }}`)
  return `---\n${text}`
}

/** What holds users' objects or what they publish outlives the release. */
function kept(object: Manifest): Manifest {
  if (!outlivesTheOperator(object, { ...filledIn, openshift: false, monitoring: false })) return object
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
