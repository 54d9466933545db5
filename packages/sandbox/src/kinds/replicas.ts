import {
  type FieldError,
  forbidden,
  immutable,
  invalid,
  notSupported,
  required,
  sortedMap,
  validateAnnotations,
  validateLabels,
} from '@portcullis/schema'
import type { DeploymentSpec, ReplicaSetSpec } from 'kubernetes-types/apps/v1'
import type { PodSpec, PodTemplateSpec } from 'kubernetes-types/core/v1'
import type { LabelSelector } from 'kubernetes-types/meta/v1'
import { isUsable, selectorText, selects, shownSelector, validateLabelSelector } from './label-selector.ts'
import { validatePodSpec } from './pod-spec.ts'
import { setPodSpecDefaults } from './pod-spec-defaults.ts'
import { isSemanticallyEqual } from './semantic-equal.ts'

/** What Deployments and ReplicaSets share: a number of pods, made of a template, found by a selector. */
type Replicated = DeploymentSpec | ReplicaSetSpec

export function templateOf(spec: { template?: PodTemplateSpec }): PodTemplateSpec & { spec: PodSpec } {
  spec.template ??= {}
  spec.template.metadata ??= {}
  spec.template.spec ??= { containers: [] }
  return spec.template as PodTemplateSpec & { spec: PodSpec }
}

export function setTemplateDefaults(spec: { template?: PodTemplateSpec }): void {
  setPodSpecDefaults(templateOf(spec).spec)
}

export function validateSelector(selector: LabelSelector | null | undefined): FieldError[] {
  const field = 'spec.selector'
  if (selector === undefined || selector === null) return [required(field)]
  const errors = validateLabelSelector(selector, field)
  const size = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length
  if (size === 0)
    errors.push(invalid(field, shownSelector(selector), 'empty selector is invalid for deployment'))
  return errors
}

export function validateTemplate(spec: Replicated): FieldError[] {
  // Go writes an absent selector as null.
  const selector = (spec.selector as LabelSelector | null | undefined) ?? undefined
  if (!isUsable(selector))
    return [invalid('spec.selector', shownSelector(selector), 'invalid label selector')]
  const field = 'spec.template'
  const template = templateOf(spec)
  const { labels, annotations } = template.metadata ?? {}
  const errors: FieldError[] = []
  // No selector at all selects nothing, and counts as one that does not match.
  const everything = selector !== undefined && selectorText(selector) === ''
  if (!everything && !selects(selector, labels))
    errors.push(
      invalid(`${field}.metadata.labels`, sortedMap(labels), '`selector` does not match template `labels`'),
    )
  errors.push(...validateLabels(labels, `${field}.labels`))
  errors.push(...validateAnnotations(annotations, `${field}.annotations`))
  errors.push(...validatePodSpec(template.spec, `${field}.spec`, false))
  if ((template.spec.ephemeralContainers ?? []).length > 0)
    errors.push(
      forbidden(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'),
    )
  if (template.spec.restartPolicy !== 'Always')
    errors.push(notSupported(`${field}.spec.restartPolicy`, template.spec.restartPolicy ?? '', ['Always']))
  if (template.spec.activeDeadlineSeconds !== undefined)
    errors.push(
      forbidden(
        `${field}.spec.activeDeadlineSeconds`,
        'activeDeadlineSeconds in ReplicaSet is not Supported',
      ),
    )
  return errors
}

export function validateSelectorUnchanged(spec: Replicated, old: Replicated): FieldError[] {
  return isSemanticallyEqual(spec.selector, old.selector)
    ? []
    : [invalid('spec.selector', shownSelector(spec.selector), immutable)]
}

/** Counts that cannot be true: of the same pods, more cannot be ready than there are. */
export function validateCounts(
  status: Readonly<Record<string, unknown>>,
  fields: readonly string[],
  bounded: readonly string[],
): FieldError[] {
  const count = (field: string) => (typeof status[field] === 'number' ? status[field] : 0)
  const errors = fields
    .filter((field) => count(field) < 0)
    .map((field) => invalid(`status.${field}`, count(field), 'must be greater than or equal to 0'))
  for (const field of bounded)
    if (count(field) > count('replicas'))
      errors.push(invalid(`status.${field}`, count(field), 'cannot be greater than status.replicas'))
  if (count('availableReplicas') > count('readyReplicas'))
    errors.push(
      invalid('status.availableReplicas', count('availableReplicas'), 'cannot be greater than readyReplicas'),
    )
  return errors
}

export function containersText(spec: { template?: PodTemplateSpec }, part: 'name' | 'image'): string {
  return templateOf(spec)
    .spec.containers.map((container) => container[part] ?? '')
    .join(',')
}
