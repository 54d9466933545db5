import { parseDocument, type ScalarTag } from 'yaml'
import { protobufToJson, protobufType } from '../protobuf/request-body.ts'
import { MalformedProtobuf } from '../protobuf/wire.ts'

/** A body that nothing can be made of: why, and how it begins. */
export interface Unreadable {
  readonly cause: string
  readonly summary: string
}

/** `application/json` of `application/json; charset=utf-8`. */
export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** The body of a request as text: what comes as protobuf becomes the JSON that says the same. */
export function decodeBody(
  bytes: Buffer,
  contentType: string | undefined,
): { body: string; unreadable?: Unreadable } {
  if (mediaTypeOf(contentType) !== protobufType) return { body: bytes.toString('utf8') }
  if (bytes.length === 0) return { body: '', unreadable: { cause: 'empty data', summary: '<empty>' } }
  try {
    return { body: JSON.stringify(protobufToJson(bytes)) }
  } catch (error) {
    if (!(error instanceof MalformedProtobuf)) throw error
    return { body: '', unreadable: { cause: error.message, summary: beginningOf(bytes) } }
  }
}

export interface YamlAsJson {
  readonly text: string
  /** What strict field validation has against it: keys that are there twice. */
  readonly problems: readonly string[]
}

/** YAML as Kubernetes reads it: version 1.1, where `y` is true, but a date is a text. */
export function jsonOfYaml(yaml: string): YamlAsJson | { readonly unreadable: Unreadable } {
  const document = parseDocument(yaml, {
    version: '1.1',
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !isTime(tag as ScalarTag)),
  })
  const [broken] = document.errors.filter(({ code }) => code !== 'DUPLICATE_KEY')
  if (broken !== undefined) {
    const { line = 1 } = broken.linePos?.[0] ?? {}
    const [what = ''] = broken.message.split(' at line ')
    const cause = `yaml: line ${line}: ${what}`
    return { unreadable: { cause, summary: beginningOf(Buffer.from(yaml)) } }
  }
  const twice = document.errors.map(({ pos: [start], linePos }) => {
    const key = /^[^:]*/.exec(yaml.slice(start))?.[0].trim() ?? ''
    return `  line ${linePos?.[0].line ?? 1}: key ${JSON.stringify(key)} already set in map`
  })
  const value: unknown = document.toJS()
  return {
    text: JSON.stringify(value),
    problems: twice.length === 0 ? [] : [`yaml: unmarshal errors:\n${twice.join('\n')}`],
  }
}

function isTime({ tag, format }: ScalarTag): boolean {
  return tag === 'tag:yaml.org,2002:timestamp' || format === 'TIME'
}

/** As much of it as the server repeats in an error. */
const shown = 256

function beginningOf(bytes: Buffer): string {
  const hex = bytes.subarray(0, shown).toString('hex')
  return bytes.length > shown ? `${hex} ...` : hex
}
