import { nanosOf, problemsOfLabel } from '@portcullis/schema'
import type { Affinity, Container, PodAffinityTerm, PodSpec } from 'kubernetes-types/core/v1'
import { warningsAboutAddress } from './addresses.ts'

const outdatedLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region':
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone':
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type':
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
}

const selectsNothing = 'a null labelSelector results in matching no pod'

/** What is let through, but hardly meant. `field` is where the spec is: `spec`, or `spec.template.spec`. */
export function podSpecWarnings(spec: PodSpec, field: string): string[] {
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((label) =>
      outdatedLabels[label] === undefined
        ? []
        : [`${field}.nodeSelector[${label}]: ${outdatedLabels[label]}`],
    ),
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ labelSelector }, index) =>
      labelSelector === undefined
        ? [`${field}.topologySpreadConstraints[${index}].labelSelector: ${selectsNothing}`]
        : [],
    ),
    ...pullSecretWarnings(spec, field),
    ...containersIn(spec, field).flatMap(([at, container]) => containerWarnings(container, at)),
    ...portWarnings(containersIn(spec, field)),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [
          `${field}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...affinityWarnings(spec.affinity ?? {}, `${field}.affinity`),
    ...(spec.dnsConfig?.nameservers ?? []).flatMap((server, index) =>
      warningsAboutAddress(`${field}.dnsConfig.nameservers[${index}]`, server),
    ),
  ]
}

/** Pods are called after the one that made them, and their host names after them. */
export function podOwnerNameWarnings(name: string): string[] {
  const problems = problemsOfLabel(name)
  if (problems.length === 0) return []
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
  ]
}

function containersIn({ initContainers = [], containers }: PodSpec, field: string): [string, Container][] {
  return [
    ...initContainers.map((one, index): [string, Container] => [`${field}.initContainers[${index}]`, one]),
    ...containers.map((one, index): [string, Container] => [`${field}.containers[${index}]`, one]),
  ]
}

function pullSecretWarnings({ imagePullSecrets: secrets = [] }: PodSpec, field: string): string[] {
  const names = secrets.map(({ name = '' }) => name)
  const at = (index: number) => `${field}.imagePullSecrets[${index}].name`
  return [
    ...names.flatMap((name, index) =>
      names.indexOf(name) < index ? [`${at(index)}: duplicate name ${JSON.stringify(name)}`] : [],
    ),
    ...names.flatMap((name, index) => (name === '' ? [`${at(index)}: invalid empty name ""`] : [])),
  ]
}

function containerWarnings({ resources = {}, env = [] }: Container, field: string): string[] {
  const found: string[] = []
  for (const name of ['memory', 'ephemeral-storage'])
    for (const part of ['limits', 'requests'] as const) {
      const value = resources[part]?.[name]
      if (value === undefined || nanosOf(value) % 1_000_000_000n === 0n) continue
      found.push(
        `${field}.resources.${part}[${name}]: fractional byte value "${value}" is invalid, must be an integer`,
      )
    }
  const names = new Set<string>()
  for (const [index, { name, value = '', valueFrom }] of env.entries()) {
    const reference = `$(${name})`
    const extendsIt = valueFrom === undefined && value !== reference && value.includes(reference)
    if (names.has(name) && !extendsIt)
      found.push(
        `${field}.env[${index}]: hides previous definition of "${name}", which may be dropped when using apply`,
      )
    names.add(name)
  }
  return found
}

function portWarnings(containers: readonly [string, Container][]): string[] {
  const all = containers.flatMap(([field, { ports = [] }]) =>
    ports.map((port, index) => ({ at: `${field}.ports[${index}]`, hostIP: '', hostPort: 0, ...port })),
  )
  const overlaps = all.flatMap((port, position) =>
    all
      .slice(0, position)
      .filter((other) => other.containerPort === port.containerPort && other.protocol === port.protocol)
      .flatMap((other) => {
        if (port.hostIP === other.hostIP && port.hostPort === other.hostPort)
          return [`${port.at}: duplicate port definition with ${other.at}`]
        if (port.hostPort === 0 || other.hostPort === 0)
          return [`${port.at}: overlapping port definition with ${other.at}`]
        if (port.hostPort === other.hostPort && (port.hostIP === '') !== (other.hostIP === ''))
          return [`${port.at}: dangerously ambiguous port definition with ${other.at}`]
        return []
      }),
  )
  const names = all.flatMap((port, position) => {
    const other = port.name ? all.slice(0, position).find(({ name }) => name === port.name) : undefined
    if (other === undefined) return []
    return [
      `${port.at}: duplicate port name "${port.name}" with ${other.at}, services and probes that select ports by name will use ${other.at}`,
    ]
  })
  return [...overlaps, ...names]
}

function affinityWarnings({ podAffinity, podAntiAffinity }: Affinity, field: string): string[] {
  const must = 'requiredDuringSchedulingIgnoredDuringExecution'
  const should = 'preferredDuringSchedulingIgnoredDuringExecution'
  const about = (term: PodAffinityTerm, at: string) =>
    term.labelSelector === undefined ? [`${at}.labelSelector: ${selectsNothing}`] : []
  return Object.entries({ podAffinity, podAntiAffinity }).flatMap(([name, affinity]) => [
    ...(affinity?.[must] ?? []).flatMap((term, index) => about(term, `${field}.${name}.${must}[${index}]`)),
    ...(affinity?.[should] ?? []).flatMap(({ podAffinityTerm }, index) =>
      about(podAffinityTerm, `${field}.${name}.${should}[${index}].podAffinityTerm`),
    ),
  ])
}
