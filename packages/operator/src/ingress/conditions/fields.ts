import { sanitizeUntrusted } from '@portcullis/kube'
import { ignoredFields } from '../../api/ignored-fields.ts'
import { aws } from '../platforms/aws.ts'
import { gcp } from '../platforms/gcp.ts'
import type { Snapshot } from '../snapshot.ts'
import type { WantedStrategy } from '../strategies/wanted-strategy.ts'
import { type ConditionDraft, conditionDraft } from './condition-draft.ts'

/** Nothing is ignored in silence: names every field that is set and that changes nothing here. */
export function allFieldsSupported(snapshot: Snapshot, strategy: WantedStrategy | undefined): ConditionDraft {
  const type = 'AllFieldsSupported'
  const ignored = [...ignoredFields(snapshot.controller.spec), ...fieldsOfOtherPlatforms(snapshot, strategy)]
  if (ignored.length === 0)
    return conditionDraft(type, 'True', 'NothingIgnored', 'Every field that is set takes effect.')
  return conditionDraft(
    type,
    'False',
    'FieldsIgnored',
    `These fields are set but have no effect: ${named(ignored)}.`,
  )
}

const mostNamed = 50

function named(fields: readonly string[]): string {
  const names = fields.toSorted().slice(0, mostNamed).map(sanitizeUntrusted)
  const others = fields.length - names.length
  return `${names.join(', ')}${others === 0 ? '' : ` and ${others} more`}`
}

function fieldsOfOtherPlatforms({ platform }: Snapshot, strategy: WantedStrategy | undefined): string[] {
  const parameters = 'spec.endpointPublishingStrategy.loadBalancer.providerParameters'
  const { scope, providerParameters } = strategy?.loadBalancer ?? {}
  const name = platform.platform?.name
  const ignored: string[] = []
  if (providerParameters?.gcp?.clientAccess !== undefined) {
    if (name !== gcp.name) ignored.push(`${parameters}.gcp.clientAccess (only on ${gcp.name})`)
    else if (scope !== 'Internal') ignored.push(`${parameters}.gcp.clientAccess (only with scope Internal)`)
  }
  if (providerParameters?.aws?.type !== undefined && name !== aws.name) {
    ignored.push(`${parameters}.aws.type (only on ${aws.name})`)
  }
  return ignored
}
