import { type Cached, findCondition, sanitizeUntrusted } from '@portcullis/kube'
import type { Deployment } from 'kubernetes-types/apps/v1'
import type { Pod } from 'kubernetes-types/core/v1'
import { routerAccount } from '../names.ts'
import { type ConditionDraft, conditionDraft } from './condition-draft.ts'

/** The conditions that follow from the status of the router Deployment. */
export function deploymentConditions(
  deployment: Cached<Deployment>,
  pods: readonly Cached<Pod>[],
): ConditionDraft[] {
  const numbers = numbersOf(deployment)
  const trouble = troubles(deployment, pods)
  return [
    available(deployment, numbers),
    minimumAvailable(numbers, trouble),
    allAvailable(numbers, trouble),
    rollingOut(deployment, numbers, pods),
  ]
}

interface Numbers {
  readonly wanted: number
  readonly present: number
  readonly updated: number
  readonly available: number
  readonly mayBeMissing: number
}

function numbersOf({ spec, status }: Cached<Deployment>): Numbers {
  const wanted = spec?.replicas ?? 1
  const { maxUnavailable = '25%', maxSurge = '25%' } = spec?.strategy?.rollingUpdate ?? {}
  const missing = share(maxUnavailable, wanted, Math.floor)
  return {
    wanted,
    present: status?.replicas ?? 0,
    updated: status?.updatedReplicas ?? 0,
    available: status?.availableReplicas ?? 0,
    // If both maxUnavailable and maxSurge round to 0, the Deployment controller uses maxUnavailable 1: no rollout could
    // proceed otherwise.
    mayBeMissing: missing === 0 && share(maxSurge, wanted, Math.ceil) === 0 ? 1 : missing,
  }
}

/** A number, or per cent of another. */
function share(value: number | string, of: number, round: (share: number) => number): number {
  return typeof value === 'number' ? value : round((Number.parseInt(value, 10) * of) / 100)
}

function available(deployment: Cached<Deployment>, numbers: Numbers): ConditionDraft {
  const type = 'DeploymentAvailable'
  const { status } = deployment
  // Where a single router may be missing, a Deployment calls itself available without any.
  if (numbers.available === 0) {
    const message =
      numbers.wanted === 0
        ? 'No router runs because spec.replicas is 0.'
        : `No router is available.${refusedPods(deployment)}`
    return conditionDraft(type, 'False', 'DeploymentUnavailable', message)
  }
  const condition = findCondition(status?.conditions, 'Available')
  if (condition?.status === 'True')
    return conditionDraft(type, 'True', 'DeploymentAvailable', 'The routers are available.')
  if (condition?.status === 'False') {
    const why = sanitizeUntrusted(condition.message ?? 'the Deployment gives no reason')
    return conditionDraft(type, 'False', 'DeploymentUnavailable', `The routers are not available: ${why}`)
  }
  return conditionDraft(
    type,
    'Unknown',
    'DeploymentAvailabilityUnknown',
    'The router Deployment has not reported its status yet.',
  )
}

function minimumAvailable({ wanted, available, mayBeMissing }: Numbers, trouble: string): ConditionDraft {
  const type = 'DeploymentReplicasMinAvailable'
  const least = Math.max(0, wanted - mayBeMissing)
  if (available >= least) {
    return conditionDraft(
      type,
      'True',
      'DeploymentMinimumReplicasMet',
      `At least ${least} routers are available.`,
    )
  }
  const message = `${available} of ${wanted} routers are available, but the minimum is ${least}.${trouble}`
  return conditionDraft(type, 'False', 'DeploymentMinimumReplicasNotMet', message)
}

function allAvailable({ wanted, available }: Numbers, trouble: string): ConditionDraft {
  const type = 'DeploymentReplicasAllAvailable'
  if (available >= wanted) {
    return conditionDraft(type, 'True', 'DeploymentReplicasAvailable', 'All routers are available.')
  }
  const message = `${available} of ${wanted} routers are available.${trouble}`
  return conditionDraft(type, 'False', 'DeploymentReplicasNotAvailable', message)
}

/** Why routers do not run: a sentence for each pod that reports a reason, sorted so that the message stays stable. */
function troubles(deployment: Cached<Deployment>, pods: readonly Cached<Pod>[]): string {
  const sentences = pods.flatMap(({ metadata, status }) => {
    const scheduled = findCondition(status?.conditions, 'PodScheduled')
    return scheduled?.status === 'False'
      ? [
          ` Pod ${metadata.name} cannot be scheduled: ${sanitizeUntrusted(scheduled.message ?? 'no reason given')}`,
        ]
      : []
  })
  return [refusedPods(deployment), ...sentences.sort()].join('')
}

/** Why pods cannot be created: a quota, a webhook, or a missing ServiceAccount. */
function refusedPods({ metadata: { namespace }, status }: Cached<Deployment>): string {
  const failure = findCondition(status?.conditions, 'ReplicaFailure')
  if (failure?.status !== 'True') return ''
  const words = ` Pods cannot be created: ${sanitizeUntrusted(failure.message ?? 'no reason given')}`
  return words.includes(`serviceaccount "${routerAccount}" not found`)
    ? `${words}. Apply the manifests or the chart of this version again: they create the ServiceAccount ${namespace}/${routerAccount}.`
    : words
}

function rollingOut(
  deployment: Cached<Deployment>,
  numbers: Numbers,
  pods: readonly Cached<Pod>[],
): ConditionDraft {
  const type = 'DeploymentRollingOut'
  const { metadata, status } = deployment
  const { wanted, present, updated, available } = numbers
  const observed = status?.observedGeneration === metadata.generation
  if (observed && updated >= wanted && present <= updated && available >= updated) {
    return conditionDraft(type, 'False', 'DeploymentNotRollingOut', 'All routers are up to date.')
  }
  const progress = `${updated} of ${wanted} routers are up to date, ${available} are available`
  const isOut = findCondition(status?.conditions, 'Progressing')?.reason === 'NewReplicaSetAvailable'
  if (isOut && observed && updated === wanted) {
    // Not a roll-out: a node went away, or the number of routers was changed (OCPBUGS-62627).
    return present === wanted
      ? conditionDraft(type, 'True', 'PodsStarting', `Routers are starting: ${progress}.`)
      : conditionDraft(type, 'True', 'ReplicasStabilizing', `The number of routers is changing: ${progress}.`)
  }
  return conditionDraft(
    type,
    'True',
    'DeploymentRollingOut',
    `Routers are being rolled out: ${progress}.${refusedPods(deployment)}${movingHealthPort(pods)}`,
  )
}

/** A load balancer in front of the nodes checks health on the stats port, so its configuration must follow. */
function movingHealthPort(pods: readonly Cached<Pod>[]): string {
  const ports = pods.flatMap(({ spec }) =>
    (spec?.containers ?? []).flatMap(({ ports = [] }) =>
      ports.flatMap(({ name, hostPort }) => (name === 'metrics' && hostPort ? [hostPort] : [])),
    ),
  )
  const different = [...new Set(ports)].sort((one, other) => one - other)
  return different.length < 2
    ? ''
    : ` The stats port is changing, and until the rollout is complete routers answer on ${different.join(' or ')}: a load balancer in front of the nodes must check health on the new port.`
}
