import type { Case } from './hostile-objects.ts'

/** Fields that are not compared, with the reason; docs/sandbox.md lists them. */
const knownDifferences: Readonly<Record<string, string>> = {
  schedulingGroup: 'belongs to a feature that is off: the real server drops it, the sandbox keeps it',
  imagePullSecrets: 'entries without a name: the real server still shows who owns the fields of the object',
}

export function isKnownToDiffer({ edits }: Case): boolean {
  return edits.some(({ path }) => path.some((step) => Object.hasOwn(knownDifferences, step)))
}
