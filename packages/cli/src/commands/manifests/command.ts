import {
  addressSettingsOf,
  healthPort,
  type Manifest,
  type ManifestOptions,
  manifests,
  operatorConfiguration,
  outlivesTheOperator,
  usualApiServerPorts,
  usualMetricsNamespaces,
} from '@portcullis/operator'
import { Command } from 'commander'
import { stringify } from 'yaml'
import { version } from '../../../package.json'
import type { CommandIO } from '../../io/command-io.ts'
import { yamlText } from '../../io/yaml-text.ts'
import { addFlags, readConfiguration } from '../../settings/configuration.ts'
import { refuseMemoryAboveLimit, refuseUnknownPlatform } from '../../settings/operator-settings.ts'

/** Settings that probes, metrics and leader election depend on. */
const fixed = ['healthPort', 'leaderElection'] as const
/** The kubelet probes the IP of the pod, so the operator must listen on all addresses. */
const hostsOfPods: readonly (string | undefined)[] = [undefined, '::', '0.0.0.0']

interface Options {
  readonly image: string
  readonly replicas: number
  readonly openshift?: boolean
  readonly monitoring?: boolean
  readonly toRemove?: boolean
  readonly metricsNamespace?: readonly string[]
  readonly apiServerPort?: readonly number[]
  readonly admissionPolicy: boolean
  readonly hostNetwork: boolean
  readonly config?: string
}

/** `portcullis manifests`: prints what a cluster needs to run the operator. */
export function manifestsCommand(io: CommandIO): Command {
  const command = new Command('manifests')
    .description('print the manifests that install the operator, for kubectl apply')
    .option('--image <image>', 'the image of the operator', `portcullis:${version}`)
    .option('--replicas <n>', 'number of replicas of the operator; one of them is the leader', replicas, 2)
    .option('--openshift', 'for OpenShift: without the CRDs that it brings, with what its routers need')
    .option('--monitoring', 'with ServiceMonitor and PrometheusRule, for the Prometheus operator')
    .option(
      '--metrics-namespace <name>',
      'a namespace from which metrics may be scraped; repeatable (default: "monitoring", on OpenShift "openshift-monitoring")',
      (name: string, before: readonly string[] | undefined) => [...(before ?? []), namespaceName(name)],
    )
    .option(
      '--api-server-port <port>',
      `a port at which the API server, or a proxy before it, may listen: the operator is let out to no others; repeatable (default: ${usualApiServerPorts.join(', ')})`,
      (port: string, before: readonly number[] | undefined) => [...(before ?? []), portNumber(port)],
    )
    .option(
      '--no-admission-policy',
      'without the admission policies that restrict the operator: for Kubernetes before 1.30',
    )
    .option(
      '--no-host-network',
      'where no IngressController uses HostNetwork: enforce the baseline Pod Security Standard in the namespace of the routers',
    )
    .option(
      '--to-remove',
      'print only the objects to delete in order to uninstall the operator; IngressControllers stay published',
    )
    .option('--config <file>', 'YAML file with settings of the operator; flags take precedence')
  addFlags(command, operatorConfiguration)
  const refused: readonly string[] = fixed
  for (const option of command.options) option.hideHelp(refused.includes(option.attributeName()))
  return command
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  portcullis manifests --domain apps.example.com | kubectl apply -f -\n' +
        '  portcullis manifests --openshift --monitoring | oc apply -f -\n' +
        '  portcullis manifests --to-remove | kubectl delete -f -',
    )
    .action(async (options: Options) => {
      const installation = await installationOf(options, command)
      const all = manifests(installation)
      const isRemoved = (object: Manifest) => !outlivesTheOperator(object, installation)
      const objects = options.toRemove ? all.filter(isRemoved) : all
      io.print(objects.map(yamlText).join('\n---\n'))
    })
}

async function installationOf(
  {
    image,
    replicas,
    openshift = false,
    monitoring,
    metricsNamespace,
    apiServerPort,
    config,
    admissionPolicy,
    hostNetwork,
  }: Options,
  command: Command,
): Promise<ManifestOptions> {
  const { configuration, origins } = await readConfiguration(operatorConfiguration, config, command)
  const changed = Object.entries(configuration).filter(([field]) => origins[field] !== 'default')
  const { operatorNamespace, operandNamespace, routerImage, maxReplicas } = configuration
  const { routerCpuRequest, routerMemoryRequest } = configuration
  refuseUnknownPlatform(configuration)
  refuseMemoryAboveLimit(configuration)
  addressSettingsOf(configuration)
  if (image.trim() === '') throw new Error('--image is empty; name the image of the operator.')
  if (operatorNamespace === operandNamespace)
    throw new Error(
      `--operator-namespace and --operand-namespace are both "${operatorNamespace}"; the routers need a namespace of their own.`,
    )
  for (const field of fixed) {
    if (origins[field] !== 'default')
      throw new Error(
        `${field} cannot be changed: probes, metrics and leader election depend on it. Leave it out.`,
      )
  }
  if (!hostsOfPods.includes(configuration.healthHost))
    throw new Error(
      `healthHost is "${configuration.healthHost}"; in a cluster, probes connect to the IP of the pod. Leave it out, or give "::" or "0.0.0.0".`,
    )
  return {
    name: 'portcullis',
    image,
    replicas,
    openshift,
    monitoring: monitoring ?? openshift,
    metricsNamespaces: metricsNamespace ?? usualMetricsNamespaces({ openshift }),
    apiServerPorts: [...new Set(apiServerPort ?? usualApiServerPorts)],
    metricsAuthentication: configuration.metricsAuthentication,
    operatorNamespace,
    operandNamespace,
    routerImage,
    routerCpuRequest,
    routerMemoryRequest,
    maxReplicas,
    admissionPolicy,
    hostNetwork,
    configuration: stringify({
      ...Object.fromEntries(changed),
      operatorNamespace,
      operandNamespace,
      healthPort,
    }),
  }
}

function namespaceName(text: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text)) return text
  throw new Error(`--metrics-namespace is "${text}": it must be the name of a namespace.`)
}

function portNumber(text: string): number {
  const port = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= 65_535) return port
  throw new Error(`--api-server-port is "${text}": it must be a number from 1 to 65535.`)
}

function replicas(text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text)
  throw new Error(`--replicas is "${text}": it must be a number from 1 to 99.`)
}
