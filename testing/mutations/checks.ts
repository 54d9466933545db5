import { findCondition } from '@portcullis/kube'
import type { IngressControllerObject as IngressController } from '@portcullis/operator'
import type { Change } from './changes.ts'
import type { ApiResponse, OperatorWrite, Part } from './cluster-under-change.ts'
import { controllerKey, differences, type State } from './state.ts'
import { placeText } from './values.ts'

/** What must hold after a change; each check returns what is wrong as sentences. */

/** Fields that may not stand together though each is right: what is said then, by the schema or by admission. */
const together = [
  /cannot be set with spec\.endpointPublishingStrategy\.type/,
  /choose three different ports/,
  /is allowed only with type OpenStack/,
  /which a load balancer with scope Internal cannot have/,
  /internal load balancers are not supported on the platform/,
  /eipAllocations must be as many as there are subnets/,
  /subnets must name (at least one|no more than 10) subnet/,
  /is in or above the cluster's node port range/,
  /depends on the platform/,
  /dnsRecordsType can be External only if/,
  /is immutable once set/,
  /cannot be removed once set/,
  /must contain at most one IPv4 address/,
  /must not list (anything|a network) twice/,
  /Duplicate value/,
  /but operator (In|NotIn) requires values/,
  /but operator (Exists|DoesNotExist) takes no value/,
  /which requires effect NoExecute/,
  /tolerations\[0\]\.key is not set/,
] as const

/** The API server or the operator refuses an invalid value, and a valid one only if it conflicts with another field. */
export function rightVerdict({ verdict }: Change, refusal: string | undefined): string[] {
  if (verdict === 'invalid' && refusal === undefined) return ['it is wrong, and was taken']
  if (verdict === 'valid' && refusal !== undefined && !together.some((rule) => rule.test(refusal)))
    return [`it is right, and was refused: ${refusal}`]
  return []
}

/**
 * A refusal names the field, something in it, or what it is in and its name. Where fields may not stand together though
 * each is right, it may name the other one.
 */
export function namesTheField(
  { verdict }: Pick<Change, 'verdict'>,
  part: Part,
  place: readonly string[],
  refusal: string,
): string[] {
  if (verdict !== 'invalid' && together.some((rule) => rule.test(refusal))) return []
  const [parent, name] = [place.slice(0, -1), place.at(-1)]
  const isNamed =
    spellings(part, place).some((path) => hasPath(refusal, path, 'or something in it')) ||
    (name !== undefined &&
      (isItemName(name) || hasWord(refusal, name)) &&
      spellings(part, parent).some((path) => hasPath(refusal, path, 'alone')))
  return isNamed ? [] : [`the refusal does not name ${placeText(part, place)}: ${refusal}`]
}

/** The API server writes what is in a map with a dot or in brackets, whatever it is that it objects to. */
function spellings(part: Part, place: readonly string[]): readonly string[] {
  const text = placeText(part, place)
  return [text, text.replace(/\.shard\b/, '[shard]')]
}

/** The first item of a list, or what a map has under the key that is used here. */
const isItemName = (name: string) => name === '0' || name === 'shard'

function hasPath(text: string, path: string, which: 'alone' | 'or something in it'): boolean {
  const end = which === 'alone' ? '(?!\\.?[\\w\\[-])' : '(?![\\w-])'
  return new RegExp(`(?<![\\w.-])${literally(path)}${end}`).test(text)
}

const hasWord = (text: string, word: string) => new RegExp(`\\b${literally(word)}\\b`).test(text)

const literally = (text: string) => text.replace(/[.[\]]/g, '\\$&')

/** The API server says no to what was sent, and nothing else. */
export function isProperRefusal({ code, message }: ApiResponse): string[] {
  // A patch that cannot be read as the kind at all is a bad request.
  return code === 422 || code === 400 ? [] : [`it was answered with ${code}: ${message}`]
}

/** Nothing but the status of the controller itself is written about what is refused. */
export function nothingChanges(before: State, after: State, writes: readonly OperatorWrite[]): string[] {
  const others = writes.filter(({ collection }) => collection !== 'operator.openshift.io/ingresscontrollers')
  return [
    ...others.map(({ collection, key }) => `it was refused, and ${collection} ${key} was written`),
    ...differences(before, after, (key, object) => (key === controllerKey ? {} : object)),
  ]
}

/** A status speaks of the spec as it is. */
export function isAnswered(controller: {
  readonly metadata: { readonly generation?: number | undefined }
  readonly status?: { readonly observedGeneration?: number | undefined } | undefined
}): string[] {
  const { metadata, status } = controller
  return status?.observedGeneration === metadata.generation
    ? []
    : [
        `the status speaks of generation ${status?.observedGeneration}, and the spec is ${metadata.generation}`,
      ]
}

/** Why the operator does not admit a controller; undefined where it does. */
export function refusalOf(status: IngressController['status']): string | undefined {
  const admitted = findCondition(status?.conditions, 'Admitted')
  return admitted?.status === 'True'
    ? undefined
    : (admitted?.message ?? 'it is not said whether it is admitted')
}
