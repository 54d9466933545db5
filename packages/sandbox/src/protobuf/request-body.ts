import { hasMessage, messageToJson } from './message.ts'
import { fieldsOf, MalformedProtobuf } from './wire.ts'

export const protobufType = 'application/vnd.kubernetes.protobuf'

/** What every body in Kubernetes' protobuf begins with. */
const prefix = Buffer.from('k8s\0', 'latin1')

/**
 * The body of a request in Kubernetes' protobuf as the JSON that says the same: an envelope that names the kind,
 * and the object in it. Of a kind that is not served here, only the name is read.
 */
export function protobufToJson(body: Buffer): Record<string, unknown> {
  if (!body.subarray(0, prefix.length).equals(prefix)) {
    throw new MalformedProtobuf(
      `provided data does not appear to be a protobuf message, expected prefix [${[...prefix].join(' ')}]`,
    )
  }
  const envelope: { apiVersion: string; kind: string; raw: Buffer } = {
    apiVersion: '',
    kind: '',
    raw: Buffer.alloc(0),
  }
  for (const { number, value } of fieldsOf(body.subarray(prefix.length))) {
    if (typeof value === 'bigint') continue
    if (number === 1) Object.assign(envelope, typeOf(value))
    else if (number === 2) envelope.raw = value
  }
  const { apiVersion, kind, raw } = envelope
  const type = messageOf(apiVersion, kind)
  return { apiVersion, kind, ...(hasMessage(type) && messageToJson(type, raw)) }
}

function typeOf(message: Buffer): { apiVersion: string; kind: string } {
  const type = { apiVersion: '', kind: '' }
  for (const { number, value } of fieldsOf(message)) {
    if (number === 1) type.apiVersion = String(value)
    else if (number === 2) type.kind = String(value)
  }
  return type
}

/** `rbac.authorization.k8s.io/v1` is `rbac/v1` among the messages; options belong to every group. */
function messageOf(apiVersion: string, kind: string): string {
  if (kind.endsWith('Options')) return `meta/v1.${kind}`
  const [version = '', group = 'core'] = apiVersion.split('/').toReversed()
  return `${group.split('.')[0]}/${version}.${kind}`
}
