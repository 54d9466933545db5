import { goQuote } from '@portcullis/schema'

/** Why a patch cannot be done, as it reaches the client: what its `Status` says beside `status: Failure`. */
export interface Refusal {
  readonly code: number
  readonly reason?: string
  readonly message: string
  readonly details?: {
    readonly group?: string
    readonly kind?: string
    readonly causes?: readonly {
      readonly reason: string
      readonly message: string
      readonly field?: string
    }[]
  }
}

export class PatchRefused extends Error {
  override readonly name = 'PatchRefused'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

export function badRequest(message: string): PatchRefused {
  return new PatchRefused({ code: 400, reason: 'BadRequest', message })
}

/** The API server keeps to itself what is wrong with a JSON patch that does not fit the object. */
export function unprocessable(): PatchRefused {
  const message = 'the server rejected our request due to an error in our request'
  return new PatchRefused({ code: 422, reason: 'Invalid', message, details: {} })
}

export function internalError(message: string): PatchRefused {
  return new PatchRefused({ code: 500, message })
}

/** For a patched object that cannot be decoded; `shown` is how the API server shows it. */
export function undecodable(shown: string, problem: string): PatchRefused {
  const message = `Invalid value: ${goQuote(shown)}: ${problem}`
  return new PatchRefused({
    code: 422,
    reason: 'Invalid',
    message: ` "" is invalid: patch: ${message}`,
    details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
  })
}
