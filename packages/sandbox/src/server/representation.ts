import type { AnyObject } from '@portcullis/schema'
import type { Resource } from '../resource.ts'
import { StatusError } from './api-status.ts'

/** In which form a client wants objects: whole, as rows of a table, or their metadata alone. */
export type Form = 'whole' | 'table' | 'metadata' | 'metadata of a list'

/** How much of an object goes with its row of a table. */
export type Included = 'None' | 'Metadata' | 'Object'

const offered = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
]

/** The first form in an Accept header that is offered here, which is JSON in three shapes. */
export function formWanted(accept: string | undefined): Form {
  if (accept === undefined || accept === '') return 'whole'
  for (const clause of accept.split(',')) {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim())
    if (!['application/json', '*/*', 'application/*'].includes(type)) continue
    const shape = parameters.find((parameter) => parameter.startsWith('as='))?.slice(3)
    if (shape === undefined) return 'whole'
    if (shape === 'Table') return 'table'
    if (shape === 'PartialObjectMetadata') return 'metadata'
    if (shape === 'PartialObjectMetadataList') return 'metadata of a list'
  }
  const message = `406: Not Acceptable\n\nAvailable representations: ${offered.join(', ')}`
  throw new StatusError(406, 'NotAcceptable', message, {})
}

/** Turns objects of one kind into the form that a client wants. */
export class Representation {
  readonly #resource: Resource
  readonly #form: Form
  readonly #included: Included
  readonly #now: () => Date

  constructor(options: { resource: Resource; form: Form; included: Included; now: () => Date }) {
    this.#resource = options.resource
    this.#form = options.form
    this.#included = options.included
    this.#now = options.now
  }

  one(object: AnyObject): object {
    if (this.#form === 'whole') return object
    if (this.#form === 'metadata') return metadataOnly(object)
    if (this.#form === 'metadata of a list') {
      const { isCustom, kind } = this.#resource
      if (isCustom && kind !== 'Scale') throw new StatusError(500, '', 'content is not a list')
      throw this.#notAcceptable('PartialObjectMetadataList, but the requested object is not a list', '')
    }
    return this.#table([object], { resourceVersion: object.metadata.resourceVersion }, true)
  }

  list(objects: readonly AnyObject[], metadata: object): object {
    const { group, version, kind } = this.#resource
    if (this.#form === 'table') return this.#table(objects, metadata, true)
    if (this.#form === 'metadata') {
      throw this.#notAcceptable('PartialObjectMetadata, but the requested object is a list', 'List')
    }
    if (this.#form === 'metadata of a list') {
      // Empty, it is a list that Go never made.
      const items = objects.length === 0 ? null : objects.map(metadataOnly)
      return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items }
    }
    const apiVersion = group === '' ? version : `${group}/${version}`
    const items = objects.map((object) => this.#item(object))
    // A custom resource's list names the continuation even where there is none.
    const whole = this.#resource.isCustom ? { continue: '', ...metadata } : metadata
    return { kind: `${kind}List`, apiVersion, metadata: whole, items }
  }

  /** In a watch, the columns are sent with the first event only. */
  event(object: AnyObject, isFirst: boolean): object {
    if (this.#form === 'metadata of a list') return metadataOnly(object)
    if (this.#form !== 'table') return this.one(object)
    return this.#table([object], { resourceVersion: object.metadata.resourceVersion }, isFirst)
  }

  #notAcceptable(problem: string, suffix: string): StatusError {
    const { group, kind, isCustom } = this.#resource
    const [home = ''] = group === 'events.k8s.io' ? [''] : group.split('.')
    const packageName = kind === 'Scale' && isCustom ? 'v1' : home || 'core'
    const type = isCustom && kind !== 'Scale' ? 'unstructured.Unstructured' : `${packageName}.${kind}`
    return new StatusError(406, 'NotAcceptable', `you requested ${problem} (*${type}${suffix})`)
  }

  /** Built-in kinds leave out of the items of a list what the list says already; custom resources do not. */
  #item(object: AnyObject): object {
    if (this.#resource.isCustom) return object
    const { apiVersion: _, kind: __, ...rest } = object
    return rest
  }

  #table(objects: readonly AnyObject[], metadata: object, withColumns: boolean): object {
    const { columns } = this.#resource
    const now = this.#now()
    return {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      columnDefinitions: withColumns
        ? columns.map(({ name, type, format = '', description = '', priority }) => ({
            name,
            type,
            format,
            description,
            priority,
          }))
        : null,
      rows: objects.map((object) => ({
        cells: columns.map((column) => column.cell(object, now)),
        ...this.#rowObject(object),
      })),
    }
  }

  #rowObject(object: AnyObject): { object?: object } {
    if (this.#included === 'None') return { object: null as unknown as object }
    return { object: this.#included === 'Object' ? object : metadataOnly(object) }
  }
}

function metadataOnly({ metadata }: AnyObject): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
}
