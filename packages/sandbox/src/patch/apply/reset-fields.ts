type Paths = readonly (readonly string[])[]

/** What writes of `status` leave as it is beside the spec, for the kinds where that is more. */
const besideSpec: Readonly<Record<string, Paths>> = {
  'apps/Deployment': [['metadata', 'labels']],
  '/Pod': [
    ['metadata', 'deletionTimestamp'],
    ['metadata', 'ownerReferences'],
  ],
}

/** The fields that a write of a resource, or of its subresource, does not touch, and so does not come to own. */
export function resetFieldsOf(
  resource: {
    readonly group: string
    readonly kind: string
    readonly subresources: readonly string[]
    readonly isCustom: boolean
  },
  subresource: string | undefined,
): Paths {
  const { group, kind, subresources, isCustom } = resource
  if (subresource === undefined || subresource === '')
    return subresources.includes('status') ? [['status']] : []
  if (subresource !== 'status') return []
  if (isCustom) return [['metadata'], ['spec']]
  return [['spec'], ...(besideSpec[`${group}/${kind}`] ?? [])]
}
