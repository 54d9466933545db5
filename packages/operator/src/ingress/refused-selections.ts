import {
  cutToBytes,
  type DeepReadonly,
  isLabelKey,
  isLabelValue,
  isSubdomain,
  sanitizeUntrusted,
} from '@portcullis/kube'
import type { IngressControllerSpec } from '../api/ingress-controller.ts'

/**
 * What the schema lets pass, as OpenShift's does, and neither routers nor Deployments can do anything with: labels and
 * names that no object can have. A router would get a selector that means something else.
 */

type Spec = DeepReadonly<IngressControllerSpec>
type Selector = NonNullable<Spec['namespaceSelector']>
type Requirement = NonNullable<Selector['matchExpressions']>[number]
type Toleration = NonNullable<NonNullable<Spec['nodePlacement']>['tolerations']>[number]

export function refuseSelections(spec: Spec = {}): string[] {
  const { nodeSelector, tolerations = [] } = spec.nodePlacement ?? {}
  return [
    ...refuseCertificate(spec.defaultCertificate?.name),
    ...refuseSelector('spec.namespaceSelector', spec.namespaceSelector),
    ...refuseSelector('spec.routeSelector', spec.routeSelector),
    ...refuseSelector('spec.nodePlacement.nodeSelector', nodeSelector),
    ...tolerations.flatMap((each, at) => refuseToleration(`spec.nodePlacement.tolerations[${at}]`, each)),
  ]
}

function refuseCertificate(name: string | undefined): string[] {
  if (!name || isSubdomain(name)) return []
  return [
    `spec.defaultCertificate.name is ${quoted(name)}, which is not a valid name of a Secret: set it to the name of a Secret of type kubernetes.io/tls.`,
  ]
}

const labelKey =
  'at most 63 letters, digits, "-", "_" and ".", optionally with a DNS name and "/" before them'
const labelValue = 'at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends'

function refuseKey(path: string, key: string): string[] {
  return isLabelKey(key)
    ? []
    : [`${path} has ${quoted(key)}, which is not a valid label key: use ${labelKey}.`]
}

function refuseValue(path: string, value: string): string[] {
  return isLabelValue(value)
    ? []
    : [`${path} is ${quoted(value)}, which is not a valid label value: use ${labelValue}.`]
}

function refuseSelector(path: string, selector: Selector | undefined): string[] {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {}
  return [
    ...Object.entries(matchLabels).flatMap(([key, value]) =>
      isLabelKey(key)
        ? refuseValue(`${path}.matchLabels.${key}`, value)
        : refuseKey(`${path}.matchLabels`, key),
    ),
    ...matchExpressions.flatMap((each, at) => refuseRequirement(`${path}.matchExpressions[${at}]`, each)),
  ]
}

function refuseRequirement(path: string, { key, operator, values = [] }: Requirement): string[] {
  const problems = [
    ...refuseKey(`${path}.key`, key),
    ...values.flatMap((value, at) => refuseValue(`${path}.values[${at}]`, value)),
  ]
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0)
        problems.push(`${path}.values is empty, but operator ${operator} requires values: list at least one.`)
      break
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        problems.push(`${path}.values is set, but operator ${operator} takes no values: remove them.`)
      break
    default:
      problems.push(`${path}.operator is ${quoted(operator)}: choose In, NotIn, Exists or DoesNotExist.`)
  }
  return problems
}

const effects = ['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** As the API server holds pods to it, which would else refuse a Deployment that the user does not know. */
function refuseToleration(path: string, toleration: Toleration): string[] {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration
  const problems = key === '' ? [] : refuseKey(`${path}.key`, key)
  if (!['', 'Equal', 'Exists'].includes(operator))
    problems.push(`${path}.operator is ${quoted(operator)}: choose Equal or Exists, or leave it out.`)
  if (key === '' && operator !== 'Exists')
    problems.push(`${path}.key is not set: name a taint, or set operator to Exists to tolerate every taint.`)
  if (operator === 'Exists' && value !== '')
    problems.push(`${path}.value is ${quoted(value)}, but operator Exists takes no value: remove it.`)
  if (operator !== 'Exists') problems.push(...refuseValue(`${path}.value`, value))
  if (!effects.includes(effect))
    problems.push(
      `${path}.effect is ${quoted(effect)}: choose NoSchedule, PreferNoSchedule or NoExecute, or leave it out.`,
    )
  if (tolerationSeconds !== undefined && effect !== 'NoExecute')
    problems.push(
      `${path}.tolerationSeconds is ${tolerationSeconds}, which requires effect NoExecute: remove it, or set that effect.`,
    )
  return problems
}

/** Whatever people write, messages stay readable, and ours. */
function quoted(text: string): string {
  return sanitizeUntrusted(JSON.stringify(cutToBytes(text, 83)))
}
