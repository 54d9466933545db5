/** The letters and digits of which Kubernetes makes up the ends of names. */
const drawn = '[bcdfghjklmnpqrstvwxz2456789]'

/** What differs from one time, or one cluster, to the next, and what stands for it. */
const varying: readonly (readonly [RegExp, string])[] = [
  [/[^\s"]*\/(LIVE|MERGED)-\d+/g, '$1'],
  [/[^\s"]*\/kubectl-edit-\d+/g, 'EDITED'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| [+-]\d{4})/g, 'TIME'],
  [/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, 'TIME'],
  [/(resource ?version["\\]*:\s*["\\]*)\d+/gi, '$1VERSION'],
  [/https:\/\/127\.0\.0\.1:\d+/g, 'SERVER'],
  [/\b\d+\.\d+\.\d+\.\d+\b/g, 'IP'],
  [/\bworker-\d\b/g, 'worker-N'],
  [new RegExp(`-${drawn}{6,10}-${drawn}{5}\\b`, 'g'), '-HASH-ID'],
  [new RegExp(`-${drawn}{6,10}\\b`, 'g'), '-HASH'],
  [new RegExp(`(pod-template-hash[=:] ?)${drawn}{6,10}\\b`, 'g'), '$1HASH'],
  [new RegExp(`\\b(job|one)-${drawn}{5}\\b`, 'g'), '$1-ID'],
  [/:3\d{4}\//g, ':PORT/'],
  [/(nodePort: )3\d{4}/g, '$1PORT'],
  [/ 3\d{4}\/TCP/g, ' PORT/TCP'],
  [/\b(\d+d)?(\d+h)?(\d+m)?\d+s\b/g, 'AGE'],
  // What other tests' pods, on the same nodes, ask for.
  [/^( +(cpu|memory)) +\S+ \(\d+%\) +\S+ \(\d+%\)/gm, '$1  AMOUNT  AMOUNT'],
  // What client-go logs when a watch ends by a timeout depends on a race inside of it.
  [/^[IWE]\d{4} .*reflector\.go.*\n/gm, ''],
  // The width of a column depends on the above.
  [/(?<=\S) {2,}/g, '  '],
  [/ +$/gm, ''],
]

/** The output of a command as it is every time. */
export function normalised(output: string): string {
  return varying.reduce((text, [pattern, stand]) => text.replace(pattern, stand), output)
}
