/**
 * A short name for a pod template: routers of one generation find each other by it. FNV-1a over its JSON, so that it
 * is the same in every process and for ever.
 */
export function hashOf(template: object): string {
  const bytes = encoder.encode(JSON.stringify(template))
  let hash = 0x811c9dc5
  // Each decision asks for this: by index, since iterators are slow.
  for (let index = 0; index < bytes.length; index++) {
    hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193)
  }
  return (hash >>> 0).toString(16).padStart(8, '0')
}

const encoder = new TextEncoder()
