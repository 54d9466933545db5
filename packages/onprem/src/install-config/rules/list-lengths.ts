import { type Finding, finding } from '../finding.ts'
import type { InstallConfig } from '../install-config.ts'
import { mostItems, type Value } from '../value.ts'

/** Of lists that are longer than any cluster's only the beginning is read, which is reported. */
export function* checkListLengths({ root, platform, networking }: InstallConfig): Iterable<Finding> {
  const { machine, cluster, service } = networking
  for (const { written } of [machine, cluster, service]) yield* checkLength(written)
  yield* checkLength(platform?.api.written)
  yield* checkLength(platform?.ingress.written)
  yield* checkLength(root.field('compute'))
  // There may be as many machines as one likes.
  yield* checkLength(platform?.value.field('hosts'), 'warning')
}

function* checkLength(list: Value | undefined, severity?: Finding['severity']): Iterable<Finding> {
  if (list === undefined || list.length <= mostItems) return
  const name = list.path.slice(list.path.lastIndexOf('.') + 1)
  const remedy = severity === 'warning' ? 'compare the others with the virtual IPs yourself' : 'shorten it'
  const message = `${name} has ${list.length} entries, of which the first ${mostItems} are checked; ${remedy}.`
  yield finding('list-too-long', list, message, severity)
}
