import { PatchRefused } from './patch-refused.ts'

/** What a patch may call itself in its content type. */
export type PatchType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | 'application/apply-patch+yaml'

/** Custom resources have no Go types, which alone say how a strategic merge patch is meant. */
const typesForCustomResources = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/apply-patch+yaml',
] as const satisfies PatchType[]

const typesForBuiltIns = [
  ...typesForCustomResources,
  'application/strategic-merge-patch+json',
] as const satisfies PatchType[]

/** The type of a patch by its content type; throws what the API server answers to one that it does not take. */
export function patchType(
  contentType: string | undefined,
  { isCustom }: { readonly isCustom: boolean },
): PatchType {
  const [name] = (contentType ?? '').split(';', 1)
  const types: readonly PatchType[] = isCustom ? typesForCustomResources : typesForBuiltIns
  const type = types.find((one) => one === name)
  if (type === undefined) throw unsupported(isCustom)
  return type
}

function unsupported(isCustom: boolean): PatchRefused {
  const status = { code: 415, reason: 'UnsupportedMediaType' }
  if (!isCustom) return new PatchRefused({ ...status, message: '415: Unsupported Media Type', details: {} })
  const message = `the body of the request was in an unknown format - accepted media types include: ${typesForCustomResources.join(', ')}`
  return new PatchRefused({ ...status, message })
}
