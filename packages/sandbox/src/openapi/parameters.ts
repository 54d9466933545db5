/** What may stand in the query of each kind of request, and in its path. In order of name, as documents have it. */

interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly description: string
  readonly required?: true
  readonly schema: { readonly type: 'string' | 'boolean' | 'integer'; readonly uniqueItems: true }
}

type Type = Parameter['schema']['type']

const query = (name: string, type: Type, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema: { type, uniqueItems: true },
})

export const inPath = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  description,
  required: true,
  schema: { type: 'string', uniqueItems: true },
})

const dryRun = query('dryRun', 'string', 'With All, everything is checked and answered, and nothing is kept.')
const fieldManager = query('fieldManager', 'string', 'In whose name the fields are written. Apply needs one.')
const fieldValidation = query(
  'fieldValidation',
  'string',
  'What becomes of unknown and duplicate fields: Ignore drops them, Warn says so in a header, Strict refuses the request.',
)
const force = query('force', 'boolean', 'Whether an apply takes over fields that others manage.')
const gracePeriodSeconds = query(
  'gracePeriodSeconds',
  'integer',
  'Seconds until the object is gone; 0 is at once.',
)
const ignoreReadErrors = query(
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'boolean',
  'Deletes an object even if it cannot be read from storage.',
)
const orphanDependents = query('orphanDependents', 'boolean', 'Older form of propagationPolicy.')
const propagationPolicy = query(
  'propagationPolicy',
  'string',
  'What becomes of dependents: Orphan, Background or Foreground.',
)
const continueFrom = query('continue', 'string', 'Where the page before ended, as its list says.')
const fieldSelector = query('fieldSelector', 'string', 'Only objects with these values in fields.')
const labelSelector = query('labelSelector', 'string', 'Only objects with labels like these.')
const limit = query('limit', 'integer', 'How many objects one answer has at most.')
const resourceVersion = query(
  'resourceVersion',
  'string',
  'The version that the answer is of, or begins after.',
)
const resourceVersionMatch = query(
  'resourceVersionMatch',
  'string',
  'How resourceVersion is meant for a list.',
)
const sendInitialEvents = query('sendInitialEvents', 'boolean', 'Begins a watch with what is there already.')
const shardSelector = query('shardSelector', 'string', 'Only a share of the objects, chosen by hash.')
const timeoutSeconds = query('timeoutSeconds', 'integer', 'How long a list or watch may last.')

export const pretty = query('pretty', 'string', 'Whether the answer is indented.')

export const parametersOf = {
  get: [],
  post: [dryRun, fieldManager, fieldValidation],
  put: [dryRun, fieldManager, fieldValidation],
  patch: [dryRun, fieldManager, fieldValidation, force],
  delete: [dryRun, gracePeriodSeconds, ignoreReadErrors, orphanDependents, propagationPolicy],
  list: [
    query('allowWatchBookmarks', 'boolean', 'Lets a watch send bookmarks.'),
    continueFrom,
    fieldSelector,
    labelSelector,
    limit,
    resourceVersion,
    resourceVersionMatch,
    sendInitialEvents,
    shardSelector,
    timeoutSeconds,
    query('watch', 'boolean', 'Asks for changes as they happen instead of a list.'),
  ],
  deletecollection: [
    continueFrom,
    dryRun,
    fieldSelector,
    gracePeriodSeconds,
    ignoreReadErrors,
    labelSelector,
    limit,
    orphanDependents,
    propagationPolicy,
    resourceVersion,
    resourceVersionMatch,
    sendInitialEvents,
    shardSelector,
    timeoutSeconds,
  ],
} as const satisfies Record<string, readonly Parameter[]>

/** Custom resources differ in what they say may be asked of them. */
export const parametersOfCustom: Readonly<Partial<Record<keyof typeof parametersOf, readonly Parameter[]>>> =
  {
    get: [resourceVersion],
    deletecollection: parametersOf.list,
  }
