/**
 * A short name for a pod template: routers of one generation find each other by it. FNV-1a over its JSON, so that it
 * is the same in every process and for ever.
 */
export function hashOf(template: object): string {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(JSON.stringify(template))) {
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  return (hash >>> 0).toString(16).padStart(8, '0')
}
