import { isSameJson, type Patch } from '@portcullis/kube'

/**
 * The merge patch that makes a status exactly as wanted, or undefined when it is. It carries the resourceVersion
 * that the status was computed from: an outdated write gets a conflict, and is retried.
 */
export function statusPatch(
  {
    metadata,
    status = {},
  }: { readonly metadata: { readonly resourceVersion: string }; readonly status?: object },
  wanted: object,
  { annotations }: { readonly annotations?: Readonly<Record<string, string>> | undefined } = {},
): Patch | undefined {
  if (annotations === undefined && isSameJson(status, wanted)) return undefined
  const gone = Object.keys(status).filter((field) => !Object.hasOwn(wanted, field))
  const body = {
    metadata: { resourceVersion: metadata.resourceVersion, ...(annotations && { annotations }) },
    status: { ...wanted, ...Object.fromEntries(gone.map((field) => [field, null])) },
  }
  return { type: 'merge', body }
}
