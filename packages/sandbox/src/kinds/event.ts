import {
  type AnyObject,
  type FieldError,
  immutable,
  invalid,
  invalids,
  problemsOfQualifiedName,
  problemsOfSubdomain,
  required,
  validateMeta,
  validateMetaUpdate,
} from '@portcullis/schema'
import type { Event as CoreEvent } from 'kubernetes-types/core/v1'
import type { Behaviour } from '../resource.ts'
import { ageOf, column, nameColumn } from './columns.ts'
import { as, type Kind } from './kind.ts'
import { isSemanticallyEqual } from './semantic-equal.ts'

/** Both groups keep their Events in one store, in the form of the core group; see `toNewEvent` and `toCoreEvent`. */
type EventApi = 'core' | 'new'

/** What the two forms call the same field: the core group's name, then the other's. */
const renamed = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
] as const

const limits = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const

export const coreEvent: Kind = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  singular: 'event',
  shortNames: ['ev'],
  categories: [],
  namespaced: true,
  subresources: [],
  behaviour: behaviourIn('core'),
  columns: columnsIn('core'),
}

export const newEvent: Kind = {
  ...coreEvent,
  group: 'events.k8s.io',
  kept: { to: toCoreEvent, from: toNewEvent },
  behaviour: behaviourIn('new'),
  columns: columnsIn('new'),
}

/** An Event of `v1` as `events.k8s.io/v1` shows it. */
export function toNewEvent(event: AnyObject): AnyObject {
  const shown: AnyObject = {
    ...renameFields(event, 'new'),
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: event.metadata,
  }
  // Always there in the core group, even if empty; here only if they say something.
  for (const field of ['reportingController', 'reportingInstance'])
    if (shown[field] === '') delete shown[field]
  return shown
}

/** An Event of `events.k8s.io/v1` as `v1` shows it, which is how both are stored. */
export function toCoreEvent(event: AnyObject): AnyObject {
  return { ...renameFields(event, 'core'), apiVersion: 'v1', kind: 'Event', metadata: event.metadata }
}

function renameFields(event: AnyObject, to: EventApi): Record<string, unknown> {
  const names = new Map<string, string>(
    renamed.map(([core, other]) => (to === 'new' ? [core, other] : [other, core])),
  )
  return Object.fromEntries(Object.entries(event).map(([key, value]) => [names.get(key) ?? key, value]))
}

function behaviourIn(api: EventApi): Behaviour {
  const read = (object: AnyObject) => as<CoreEvent>(api === 'core' ? object : toCoreEvent(object))
  return {
    /** Fields that Go always writes, set or not. */
    defaults(object) {
      object.eventTime ??= null
      if (api === 'core') {
        object.firstTimestamp ??= null
        object.lastTimestamp ??= null
        object.source ??= {}
        object.involvedObject ??= {}
        object.reportingComponent ??= ''
        object.reportingInstance ??= ''
      } else {
        object.deprecatedFirstTimestamp ??= null
        object.deprecatedLastTimestamp ??= null
        object.deprecatedSource ??= {}
        object.regarding ??= {}
      }
    },

    validate: (object) => [
      ...validateLegacy(read(object), api),
      ...(api === 'core' ? [] : validateNew(read(object), object)),
    ],

    validateUpdate: (object, old) => [
      ...validateLegacy(read(object), api),
      ...(api === 'core'
        ? []
        : [
            ...validateMetaUpdate(object.metadata, old.metadata),
            ...(isSemanticallyEqual(object.series, old.series) ? [] : validateSeries(read(object))),
            ...validateUnchanged(read(object), read(old)),
          ]),
    ],

    selectableFields(object) {
      const { involvedObject, source, reportingComponent = '', reason = '', type = '' } = read(object)
      const about = api === 'core' ? 'involvedObject' : 'regarding'
      const fields = [
        'kind',
        'namespace',
        'name',
        'uid',
        'apiVersion',
        'resourceVersion',
        'fieldPath',
      ] as const
      return {
        ...Object.fromEntries(fields.map((field) => [`${about}.${field}`, involvedObject?.[field] ?? ''])),
        reason,
        type,
        ...(api === 'core'
          ? { reportingComponent, source: source?.component || reportingComponent }
          : { reportingController: reportingComponent }),
      }
    },

    keepsGeneration: false,
    createsOnUpdate: true,
  }
}

function columnsIn(api: EventApi) {
  const cell =
    <T>(show: (event: CoreEvent, now: Date) => T) =>
    (object: AnyObject, now: Date): T =>
      show(as<CoreEvent>(api === 'core' ? object : toCoreEvent(object)), now)
  return [
    column('Last Seen', 'When it was seen last.', cell(lastSeen)),
    column(
      'Type',
      'Normal or Warning.',
      cell(({ type }) => type ?? ''),
    ),
    column(
      'Reason',
      'Why it happened, in one word.',
      cell(({ reason }) => reason ?? ''),
    ),
    column(
      'Object',
      'What it is about.',
      cell(({ involvedObject: { kind = '', name = '' } }) =>
        name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`,
      ),
    ),
    column(
      'Subobject',
      'Which part it is about.',
      cell(({ involvedObject }) => involvedObject.fieldPath ?? ''),
      {
        priority: 1,
      },
    ),
    column('Source', 'Who reports it.', cell(sourceText), { priority: 1 }),
    column(
      'Message',
      'What happened, for people.',
      cell(({ message = '' }) => message.trim()),
    ),
    column('First Seen', 'When it was seen first.', cell(firstSeen), { priority: 1 }),
    column(
      'Count',
      'How often it was seen.',
      cell(({ series, count }) => (series ? (series.count ?? 0) : count || 1)),
      {
        priority: 1,
      },
    ),
    { ...nameColumn, priority: 1 },
  ]
}

function firstSeen({ firstTimestamp, eventTime }: CoreEvent, now: Date): string {
  return ageOf((firstTimestamp ?? eventTime) || undefined, now)
}

function lastSeen(event: CoreEvent, now: Date): string {
  if (event.series) return ageOf(event.series.lastObservedTime || undefined, now)
  return event.lastTimestamp ? ageOf(event.lastTimestamp, now) : firstSeen(event, now)
}

function sourceText({ source, reportingComponent, reportingInstance }: CoreEvent): string {
  const component = source?.component || reportingComponent || ''
  const host = source?.host || reportingInstance || ''
  return host === '' ? component : `${component}, ${host}`
}

/** What every Event must be, through whichever group it comes. */
function validateLegacy(event: CoreEvent, api: EventApi): FieldError[] {
  const errors: FieldError[] = []
  const namespace = event.metadata.namespace ?? ''
  const about = event.involvedObject?.namespace ?? ''
  const mismatch = () =>
    errors.push(invalid('involvedObject.namespace', about, 'does not match event.namespace'))
  if (!event.eventTime) {
    if (about === '' ? namespace !== '' && namespace !== 'default' : namespace !== about) mismatch()
  } else {
    if (about === '' && namespace !== 'default' && namespace !== 'kube-system') mismatch()
    const controller = event.reportingComponent ?? ''
    const field = api === 'core' ? 'reportingComponent' : 'reportingController'
    if (controller === '') errors.push(required(field))
    errors.push(...invalids(field, controller, problemsOfQualifiedName(controller)))
    for (const part of ['reportingInstance', 'action', 'reason', 'message'] as const) {
      const value = event[part] ?? ''
      if (value === '' && part !== 'message') errors.push(required(part))
      if (Buffer.byteLength(value) > limits[part])
        errors.push(invalid(part, '', `can have at most ${limits[part]} characters`))
    }
  }
  return [...errors, ...invalids('namespace', namespace, problemsOfSubdomain(namespace))]
}

function validateNew(event: CoreEvent, object: AnyObject): FieldError[] {
  const errors = validateMeta(object.metadata, { namespaced: true, name: problemsOfSubdomain })
  errors.push(...validateSeries(event))
  if (!event.eventTime) errors.push(required('eventTime'))
  if (event.type !== 'Normal' && event.type !== 'Warning')
    errors.push(invalid('type', '', `has invalid value: ${event.type ?? ''}`))
  const unset = 'needs to be unset'
  if (event.firstTimestamp) errors.push(invalid('firstTimestamp', '', unset))
  if (event.lastTimestamp) errors.push(invalid('lastTimestamp', '', unset))
  if (event.count) errors.push(invalid('count', '', unset))
  if (event.source?.component || event.source?.host) errors.push(invalid('source', '', unset))
  return errors
}

function validateSeries({ series }: CoreEvent): FieldError[] {
  if (!series) return []
  return [
    ...((series.count ?? 0) < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(series.lastObservedTime ? [] : [required('series.lastObservedTime')]),
  ]
}

/** All but the series: an Event that was reported is history. */
function validateUnchanged(event: CoreEvent, old: CoreEvent): FieldError[] {
  const fields = [
    ['involvedObject', 'involvedObject'],
    ['reason', 'reason'],
    ['message', 'message'],
    ['source', 'source'],
    ['firstTimestamp', 'firstTimestamp'],
    ['lastTimestamp', 'lastTimestamp'],
    ['count', 'count'],
    ['reason', 'reason'],
    ['type', 'type'],
    ['eventTime', 'eventTime'],
    ['action', 'action'],
    ['related', 'related'],
    ['reportingComponent', 'reportingController'],
    ['reportingInstance', 'reportingInstance'],
  ] as const
  return fields
    .filter(([field]) => !isSemanticallyEqual(event[field] || undefined, old[field] || undefined))
    .map(([field, shown]) => invalid(shown, inGo(field, event[field]), immutable))
}

/** The server prints these structures without their JSON names. */
function inGo(field: keyof CoreEvent, value: unknown): unknown {
  if (field === 'involvedObject' || field === 'related') {
    if (value === undefined || value === null) return null
    const {
      kind = '',
      namespace = '',
      name = '',
      uid = '',
      apiVersion = '',
      resourceVersion = '',
      fieldPath = '',
    } = value as CoreEvent['involvedObject']
    return {
      Kind: kind,
      Namespace: namespace,
      Name: name,
      UID: uid,
      APIVersion: apiVersion,
      ResourceVersion: resourceVersion,
      FieldPath: fieldPath,
    }
  }
  if (field === 'source') {
    const { component = '', host = '' } = (value ?? {}) as { component?: string; host?: string }
    return { Component: component, Host: host }
  }
  if (field === 'count') return value ?? 0
  return value ?? (field.endsWith('stamp') || field.endsWith('Time') ? null : '')
}
