import { isSameJson } from '@portcullis/kube'
import type { Definition, DefinitionCondition, DefinitionNames, DefinitionStatus } from './definition.ts'

/**
 * What the API server thinks of the names that a definition asks for: names that another definition of the group
 * has already are not given twice. The status to be; the very same object if it is so already.
 */
export function statusWithNames(
  definition: Definition,
  others: readonly Definition[],
  now: string,
): DefinitionStatus {
  const { spec, status } = definition
  const present: DefinitionStatus = status ?? {
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: [],
  }
  const sameGroup = others.filter((other) => other.spec.group === spec.group)
  const { accepted, conflict } = acceptedNames(spec.names, sameGroup)
  const namesCondition = conflict ?? {
    status: 'True' as const,
    reason: 'NoConflicts',
    message: 'no conflicts found',
  }
  const conditions = [
    withTransition({ type: 'NamesAccepted', ...namesCondition }, present, now),
    withTransition({ type: 'Established', ...established(present, conflict !== undefined) }, present, now),
    ...(present.conditions ?? []).filter(({ type }) => type !== 'NamesAccepted' && type !== 'Established'),
  ]
  const wanted = { ...present, conditions, acceptedNames: accepted }
  return isSameJson(wanted, present) ? present : wanted
}

function established(present: DefinitionStatus, hasConflict: boolean) {
  const wasEstablished = present.conditions?.some(
    ({ type, status }) => type === 'Established' && status === 'True',
  )
  // Whose names have once been accepted stays served, whatever it asks for later.
  if (hasConflict && !wasEstablished) {
    return { status: 'False' as const, reason: 'NotAccepted', message: 'not all names are accepted' }
  }
  return {
    status: 'True' as const,
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  }
}

function acceptedNames(wanted: DefinitionNames, others: readonly Definition[]) {
  const taken = others.map(({ status }) => status?.acceptedNames)
  const resources = new Set(
    taken.flatMap((names) => [names?.plural, names?.singular, ...(names?.shortNames ?? [])]),
  )
  const kinds = new Set(taken.flatMap((names) => [names?.kind, names?.listKind]))
  const accepted: DefinitionStatus['acceptedNames'] = { plural: '', kind: '' }
  let conflict: { status: 'False'; reason: string; message: string } | undefined
  const refuse = (reason: string, name: string) => {
    conflict = { status: 'False', reason, message: `${JSON.stringify(name)} is already in use` }
  }
  if (resources.has(wanted.plural)) refuse('PluralConflict', wanted.plural)
  else accepted.plural = wanted.plural
  if (wanted.singular !== undefined) {
    if (resources.has(wanted.singular)) refuse('SingularConflict', wanted.singular)
    else accepted.singular = wanted.singular
  }
  const shortName = wanted.shortNames?.find((name) => resources.has(name))
  if (shortName !== undefined) refuse('ShortNamesConflict', shortName)
  else if (wanted.shortNames !== undefined) accepted.shortNames = wanted.shortNames
  if (kinds.has(wanted.kind)) refuse('KindConflict', wanted.kind)
  else accepted.kind = wanted.kind
  if (wanted.listKind !== undefined) {
    if (kinds.has(wanted.listKind)) refuse('ListKindConflict', wanted.listKind)
    else accepted.listKind = wanted.listKind
  }
  if (wanted.categories !== undefined) accepted.categories = wanted.categories
  return { accepted, conflict }
}

function withTransition(
  condition: Omit<DefinitionCondition, 'lastTransitionTime'>,
  { conditions }: DefinitionStatus,
  now: string,
): DefinitionCondition {
  const present = conditions?.find(({ type }) => type === condition.type)
  const lastTransitionTime = present?.status === condition.status ? present.lastTransitionTime : now
  return { ...condition, lastTransitionTime }
}
