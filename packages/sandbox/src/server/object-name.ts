import type { AnyObject } from '@portcullis/schema'
import { badRequest } from './api-status.ts'

/** What is written must be what the path names. */
export function refuseRenaming({ metadata }: AnyObject, name: string): void {
  if (!metadata.name) {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    )
  }
  if (metadata.name === name) return
  throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`)
}
