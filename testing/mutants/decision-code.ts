/** Modules of Node.js that only compute. */
const computing = /^node:(net|crypto|path|util)$/
/** Packages that keep or send something. */
const doing = /^(prom-client|pino|undici)$/
const waiting = /\b(async|await|Promise|AbortSignal|AbortController|setTimeout|setInterval)\b/

/** Tables of sentences for people, and of what the API server calls its resources. */
const tables = /\/reasons\/|\/(reasons|kinds|built-in-resources)\.ts$/

/**
 * Whether a file only decides: what it gives follows at once from what it is given. It does not wait, and loads nothing
 * that speaks with the network, the disk, other processes or Prometheus. What else there is, is driven by the code around
 * it, and tested by tests that wait as well: one for each mutant would take hours.
 */
export function isDecisionCode(file: string, source: string): boolean {
  if (tables.test(file)) return false
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
  const values = code.replaceAll(/^import type [\s\S]*?from '.*'$/gm, '')
  const imported = [...values.matchAll(/ from '([^.'][^']*)'/g)].map(([, name]) => name ?? '')
  const isDoing = imported.some(
    (name) => doing.test(name) || (name.startsWith('node:') && !computing.test(name)),
  )
  return !isDoing && !waiting.test(values)
}
