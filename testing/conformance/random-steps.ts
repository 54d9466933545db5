import * as fc from 'fast-check'
import { metadata, randomKinds } from './differential-kinds.ts'
import type { RandomKind } from './random-kind.ts'

/** Which version of an object a request names. */
export type Version = 'right' | 'old' | 'none' | 'wrong'

/** One request, as data: what is each server's own (versions, identities, tokens) is filled in when it is sent. */
export type Step =
  | { readonly do: 'create'; readonly at: At; readonly object: object; readonly query: string }
  | {
      readonly do: 'update'
      readonly at: At
      readonly object: object
      readonly version: Version
      /** The object as it was last seen, with these fields instead; else these fields alone. */
      readonly isEdit: boolean
      readonly subresource: string
      readonly query: string
    }
  | {
      readonly do: 'patch'
      readonly at: At
      readonly type: 'merge' | 'strategic-merge' | 'json'
      readonly patch: object
      readonly version: Version
      readonly subresource: string
      readonly query: string
    }
  | {
      readonly do: 'apply'
      readonly at: At
      readonly object: object
      readonly manager: string
      readonly force: boolean
      readonly subresource: string
      readonly query: string
    }
  | { readonly do: 'delete'; readonly at: At; readonly options: object; readonly version: Version }
  | { readonly do: 'delete collection'; readonly kind: number; readonly query: string }
  | { readonly do: 'get'; readonly at: At; readonly subresource: string; readonly accept: string }
  | { readonly do: 'list'; readonly kind: number; readonly query: string; readonly accept: string }
  | { readonly do: 'continue'; readonly query: string }
  | {
      readonly do: 'watch'
      readonly kind: number
      readonly from: 'start' | 'old' | 'list'
      readonly query: string
    }

export interface At {
  readonly kind: number
  readonly name: string
}

function of<const T extends readonly unknown[]>(...values: T): fc.Arbitrary<T[number]> {
  return fc.constantFrom<T[number][]>(...values)
}

/** Mostly the first. */
function usually<const T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 8, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: of(...others) })
}

const accepts = usually(
  'application/json',
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
)
const writeQueries = usually(
  '',
  'dryRun=All',
  'fieldValidation=Strict',
  'fieldValidation=Ignore',
  'fieldManager=first',
  'fieldManager=second',
  'dryRun=Some',
)
const selectors = of(
  '',
  '',
  'labelSelector=app%3Da',
  'labelSelector=app%20in%20(a,b),!tier',
  'labelSelector=tier',
  'labelSelector=app!%3Da',
  'fieldSelector=metadata.name%3Da',
  'fieldSelector=metadata.name!%3Db',
  'fieldSelector=spec.size%3Dlarge',
  'fieldSelector=reason%3DStarted',
  'fieldSelector=type%3DOpaque',
)
const pages = of('', '', 'limit=1', 'limit=2', 'limit=-1', 'resourceVersion=0', 'resourceVersion=0&limit=1')
const listQueries = fc.tuple(selectors, pages).map((parts) => parts.filter((part) => part !== '').join('&'))
const versions = usually<Version>('none', 'right', 'right', 'old', 'wrong')
const names = usually('a', 'b', 'b', 'b', 'c')

const deleteOptions = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        propagationPolicy: of('Foreground', 'Background', 'Orphan', 'Other'),
        gracePeriodSeconds: of(0, 5, 30),
        dryRun: of(['All'], ['Some']),
        orphanDependents: of(true, false),
      },
      { requiredKeys: [] },
    ),
  },
)

function stepsOf(index: number, kind: RandomKind): fc.Arbitrary<Step> {
  const at: fc.Arbitrary<At> = names.map((name) => ({ kind: index, name }))
  const object = fc.tuple(kind.content, metadata).map(([content, metadata]) => ({ ...content, metadata }))
  const subresource =
    kind.subresources.length === 0
      ? usually('', 'status')
      : fc.oneof(
          { weight: 7, arbitrary: of('') },
          { weight: 3, arbitrary: of(...kind.subresources.filter((name) => name !== 'scale')) },
        )
  const scaleSteps = kind.subresources.includes('scale') ? [{ weight: 4, arbitrary: scaleStepsOf(at) }] : []
  const strings = (arbitrary: fc.Arbitrary<unknown>) => arbitrary.map(String)
  const common = { at, query: strings(writeQueries), subresource: strings(subresource) }
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('create' as const), at, object, query: common.query }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('update' as const),
        ...common,
        object,
        version: versions,
        isEdit: fc.boolean(),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('patch' as const),
        ...common,
        type: of('merge', 'strategic-merge'),
        patch: object,
        version: versions,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('patch' as const),
        ...common,
        type: fc.constant('json' as const),
        patch: jsonPatch(kind),
        version: fc.constant('none' as const),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('apply' as const),
        ...common,
        object,
        manager: of('one', 'two', 'three'),
        force: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('delete' as const),
        at,
        options: deleteOptions,
        version: versions,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('delete collection' as const),
        kind: fc.constant(index),
        query: strings(selectors),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('get' as const),
        at,
        subresource: common.subresource,
        accept: strings(accepts),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('list' as const),
        kind: fc.constant(index),
        query: listQueries,
        accept: strings(accepts),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('continue' as const),
        query: of('', '&limit=1', '&resourceVersion=5', '&labelSelector=app'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('watch' as const),
        kind: fc.constant(index),
        from: of('start', 'old', 'list'),
        query: of('', '', 'labelSelector=app%3Da', 'labelSelector=!tier'),
      }),
    },
    ...scaleSteps,
  )
}

/** What a Scale may look like in a request; now and then it is none. */
const scales = fc
  .tuple(
    usually<object>({ apiVersion: 'autoscaling/v1', kind: 'Scale' }, {}),
    fc.record(
      {
        spec: usually<unknown>({ replicas: 1 }, { replicas: 2 }, { replicas: 0 }, {}, { replicas: 9 }, 'x'),
        status: of({ replicas: 3 }),
        unknown: of(1),
      },
      { requiredKeys: ['spec'] },
    ),
    metadata,
  )
  .map(([type, content, metadata]) => ({ ...type, ...content, metadata }))

function scaleStepsOf(at: fc.Arbitrary<At>): fc.Arbitrary<Step> {
  const common = {
    at,
    query: writeQueries.map(String),
    subresource: fc.constant('scale'),
  }
  const [patchJson, merge] = [fc.constant('json' as const), fc.constant('merge' as const)]
  return fc.oneof(
    fc.record({
      do: fc.constant('update' as const),
      ...common,
      object: scales,
      version: versions,
      isEdit: fc.boolean(),
    }),
    fc.record({
      do: fc.constant('patch' as const),
      ...common,
      type: merge,
      patch: scales,
      version: versions,
    }),
    fc.record({
      do: fc.constant('patch' as const),
      ...common,
      type: patchJson,
      patch: of([{ op: 'replace', path: '/spec/replicas', value: 3 }], [{ op: 'remove', path: '/spec' }]),
      version: fc.constant('none' as const),
    }),
    fc.record({
      do: fc.constant('apply' as const),
      ...common,
      object: scales,
      manager: of('one', 'two', 'three'),
      force: fc.boolean(),
    }),
    fc.record({
      do: fc.constant('get' as const),
      at,
      subresource: fc.constant('scale'),
      accept: accepts.map(String),
    }),
  )
}

function jsonPatch(kind: RandomKind): fc.Arbitrary<object> {
  const path = of(
    ...kind.paths,
    '/metadata/labels',
    '/metadata/labels/app',
    '/metadata/name',
    '/nothing/there',
  )
  const value = fc.oneof(of('x', 1, null, 'a', { app: 'a' }, [], {}), kind.content)
  const operation = fc.oneof(
    fc.record({ op: of('add', 'replace', 'test'), path, value }),
    fc.record({ op: fc.constant('remove'), path }),
    fc.record({ op: of('copy', 'move'), from: path, path }),
  )
  return fc.array(operation, { minLength: 1, maxLength: 2 })
}

/** A sequence stays with two kinds, so that its requests meet. */
export const sequences: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.nat({ max: randomKinds.length - 1 }), fc.nat({ max: randomKinds.length - 1 }))
  .chain(([one, other]) => {
    const steps = [one, other].map((index) => stepsOf(index, kindAt(index)))
    return fc.array(fc.oneof(...steps), { minLength: 1, maxLength: 45, size: 'max' })
  })

export function kindAt(index: number): RandomKind {
  const kind = randomKinds[index]
  if (kind === undefined) throw new Error(`There is no kind ${index}.`)
  return kind
}
