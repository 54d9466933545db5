import type { FieldError } from '@portcullis/schema'

/** `meta/v1 Status`: how the API server says no, in its own words. */
export interface ApiStatus {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  /** How a list that has expired can go on. */
  readonly metadata: { readonly continue?: string }
  readonly status: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: string
  readonly details?: StatusDetails
  readonly code?: number
}

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly { readonly reason?: string; readonly message: string; readonly field?: string }[]
  readonly retryAfterSeconds?: number
}

/** Which collection an error is about. */
export interface About {
  readonly group: string
  readonly plural: string
  readonly kind: string
}

/** Thrown anywhere while a request is answered; what the client gets is its `status`. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly status: ApiStatus & { readonly code: number }
  /** What to warn of beside. */
  warnings: readonly string[] = []

  constructor(
    code: number,
    reason: string,
    message: string,
    details?: StatusDetails,
    metadata: ApiStatus['metadata'] = {},
  ) {
    super(message)
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      ...(reason !== '' && { reason }),
      ...(details !== undefined && { details }),
      code,
    }
  }
}

/** `services`, `deployments.apps`: how messages name a collection. */
const qualified = ({ group, plural }: About) => (group === '' ? plural : `${plural}.${group}`)

/** Details name the collection by its plural under `kind`, as the real server does. */
function detailsOf({ group, plural }: About, name: string): StatusDetails {
  return { ...(name !== '' && { name }), ...(group !== '' && { group }), kind: plural }
}

export const notFound = (about: About, name: string) =>
  new StatusError(404, 'NotFound', `${qualified(about)} "${name}" not found`, detailsOf(about, name))

export const alreadyExists = (about: About, name: string, isBeingDeleted: boolean) =>
  new StatusError(
    409,
    'AlreadyExists',
    `${isBeingDeleted ? 'object is being deleted: ' : ''}${qualified(about)} "${name}" already exists`,
    detailsOf(about, name),
  )

export const conflict = (about: About, name: string, problem: string) =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(about)} "${name}": ${problem}`,
    detailsOf(about, name),
  )

export const modifiedMeanwhile =
  'the object has been modified; please apply your changes to the latest version and try again'

export const badRequest = (message: string) => new StatusError(400, 'BadRequest', message)

export const unauthorized = () => new StatusError(401, 'Unauthorized', 'Unauthorized')

export const forbidden = (about: About, name: string, problem: string) =>
  new StatusError(
    403,
    'Forbidden',
    `${qualified(about)} "${name}" is forbidden: ${problem}`,
    detailsOf(about, name),
  )

/** @param continueToken with which a list can go on nevertheless */
export const expired = (message: string, continueToken?: string) =>
  new StatusError(
    410,
    'Expired',
    message,
    undefined,
    continueToken === undefined ? {} : { continue: continueToken },
  )

export const unsupportedMediaType = (supported: readonly string[]) =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${supported.join(', ')}`,
  )

export const methodNotAllowed = () =>
  new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  )

/** What custom resources say to it. */
export const methodNotSupported = ({ group, plural }: About, verb: string) =>
  new StatusError(
    405,
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind "${plural}.${group}"`,
    { group, kind: plural },
  )

/** There is no such path. */
export const unknownPath = () =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {})

export function invalid({ group, kind }: About, name: string, errors: readonly FieldError[]): StatusError {
  const qualifiedKind = group === '' ? kind : `${kind}.${group}`
  const sentences = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))]
  const summary = sentences.length === 1 ? sentences.join() : `[${sentences.join(', ')}]`
  return new StatusError(422, 'Invalid', `${qualifiedKind} "${name}" is invalid: ${summary}`, {
    ...(name !== '' && { name }),
    ...(group !== '' && { group }),
    kind,
    causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
  })
}

export const internalError = (problem: string) =>
  new StatusError(500, 'InternalError', `Internal error occurred: ${problem}`, {
    causes: [{ message: problem }],
  })
