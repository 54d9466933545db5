import type { AnyObject, FieldError } from '@portcullis/schema'
import type { Resource } from '../resource.ts'
import { badRequest, invalid, StatusError } from './api-status.ts'
import { parseFieldSelector } from './field-selector.ts'
import { parseLabelSelector } from './label-selector.ts'

/** What a list or a watch asks for, checked. */
export interface ListOptions {
  readonly selects: (object: AnyObject) => boolean
  readonly isSelective: boolean
  /** Whether one object is asked for by its name: there is no next page of it. */
  readonly isSingle: boolean
  readonly limit: number
  readonly continueToken: string | undefined
  /** Undefined when none was given: the most recent. */
  readonly resourceVersion: number | undefined
  readonly resourceVersionMatch: 'Exact' | 'NotOlderThan' | undefined
  readonly isWatch: boolean
  readonly sendsInitialEvents: boolean | undefined
  readonly allowsBookmarks: boolean
  readonly timeoutSeconds: number | undefined
}

const about = { group: 'meta.k8s.io', plural: '', kind: 'ListOptions' }

/** @param name restricts to one object, for a watch of a single one */
export function readListOptions(query: URLSearchParams, resource: Resource, name?: string): ListOptions {
  const isWatch = isTrue(query.get('watch'))
  refuseInvalid(query, isWatch)
  const labels = query.get('labelSelector') ?? ''
  const fields = [query.get('fieldSelector') ?? '', name === undefined ? '' : `metadata.name=${name}`]
    .filter((part) => part !== '')
    .join(',')
  return {
    selects: selectorOf(labels, fields, resource),
    isSelective: labels !== '' || fields !== '',
    isSingle: /(?:^|,)metadata\.name==?[^,]/.test(fields),
    limit: integer(query, 'limit') ?? 0,
    continueToken: query.get('continue') || undefined,
    resourceVersion: versionOf(query.get('resourceVersion') ?? '', isWatch),
    resourceVersionMatch: (query.get('resourceVersionMatch') ||
      undefined) as ListOptions['resourceVersionMatch'],
    isWatch,
    sendsInitialEvents: query.has('sendInitialEvents') ? isTrue(query.get('sendInitialEvents')) : undefined,
    allowsBookmarks: isTrue(query.get('allowWatchBookmarks')),
    timeoutSeconds: integer(query, 'timeoutSeconds'),
  }
}

function selectorOf(labels: string, fields: string, resource: Resource): (object: AnyObject) => boolean {
  const hasLabels = parseLabelSelector(labels)
  const fieldsOf = (object: AnyObject) => ({
    'metadata.name': object.metadata.name ?? '',
    ...(resource.namespaced && { 'metadata.namespace': object.metadata.namespace ?? '' }),
    ...resource.behaviour.selectableFields?.(object),
  })
  const empty: AnyObject = { apiVersion: '', kind: '', metadata: {} }
  const known = Object.keys({ ...fieldsOf(empty), 'metadata.namespace': '' })
  const hasFields = parseFieldSelector(fields, {
    known,
    isDefault: resource.behaviour.selectableFields === undefined && !resource.isCustom,
  })
  return (object) => hasLabels(object.metadata.labels ?? {}) && hasFields(fieldsOf(object))
}

/** Anything counts as yes, even nothing, but for these two. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false'
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name)
  if (value === null || value === '') return undefined
  if (/^-?\d+$/.test(value)) return Number(value)
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`)
}

function versionOf(value: string, isWatch: boolean): number | undefined {
  if (value === '') return undefined
  if (/^\d+$/.test(value)) return Number(value)
  const problem = `resourceVersion: Invalid value: ${JSON.stringify(value)}: strconv.ParseUint: parsing ${JSON.stringify(value)}: invalid syntax`
  throw isWatch ? new StatusError(500, '', problem) : badRequest(`invalid resource version: ${problem}`)
}

type Refuse = (reason: FieldError['reason'], field: string, message: string) => void

function refuseInvalid(query: URLSearchParams, isWatch: boolean): void {
  const errors: FieldError[] = []
  const refuse: Refuse = (reason, field, message) => errors.push({ reason, field, message })
  if (isWatch) refuseInvalidWatch(query, refuse)
  else refuseInvalidList(query, refuse)
  if (errors.length > 0) throw invalid(about, '', errors)
}

const matchField = 'resourceVersionMatch'
const withContinue = 'Forbidden: resourceVersionMatch is forbidden when continue is provided'
const notSupported = (match: string, ...supported: string[]) =>
  `Unsupported value: ${JSON.stringify(match)}: supported values: ${supported.map((each) => JSON.stringify(each)).join(', ')}`

function refuseInvalidWatch(query: URLSearchParams, refuse: Refuse): void {
  const match = query.get(matchField) ?? ''
  const asksForInitialEvents = query.has('sendInitialEvents')
  if (asksForInitialEvents && match !== 'NotOlderThan') {
    const message = 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'
    refuse('FieldValueForbidden', matchField, message)
  }
  if (match === '') return
  if (!asksForInitialEvents) {
    const message =
      'Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'
    refuse('FieldValueForbidden', matchField, message)
  }
  if (match !== 'NotOlderThan')
    refuse('FieldValueNotSupported', matchField, notSupported(match, 'NotOlderThan'))
  if (query.get('continue')) refuse('FieldValueForbidden', matchField, withContinue)
}

function refuseInvalidList(query: URLSearchParams, refuse: Refuse): void {
  const match = query.get(matchField) ?? ''
  const version = query.get('resourceVersion') ?? ''
  if (match !== '') {
    if (version === '') {
      const message = 'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided'
      refuse('FieldValueForbidden', matchField, message)
    }
    if (query.get('continue')) refuse('FieldValueForbidden', matchField, withContinue)
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      refuse('FieldValueNotSupported', matchField, notSupported(match, 'Exact', 'NotOlderThan', ''))
    } else if (match === 'Exact' && version === '0') {
      const message = 'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"'
      refuse('FieldValueForbidden', matchField, message)
    }
  }
  if (query.has('sendInitialEvents')) {
    refuse('FieldValueForbidden', 'sendInitialEvents', 'Forbidden: sendInitialEvents is forbidden for list')
  }
}
