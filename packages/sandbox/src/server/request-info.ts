/** What a path under /api or /apis asks for. */
export interface ResourcePath {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly subresource: string | undefined
}

/** Subresources of Namespace itself: elsewhere, what follows a namespace's name is a collection in it. */
const namespaceSubresources = new Set(['status', 'finalize'])

/**
 * Takes a path apart: `/api/v1/…` or `/apis/GROUP/VERSION/…`, then `[namespaces/NS/]PLURAL[/NAME[/SUBRESOURCE]]`.
 * Undefined if it is not the path of a resource.
 */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const written = path.split('/').slice(1)
  const [root, ...parts] = path.includes('%') ? written.map(decodeURIComponent) : written
  const [group, version] =
    root === 'api' ? ['', parts.shift()] : root === 'apis' ? [parts.shift(), parts.shift()] : []
  if (group === undefined || version === undefined || parts.length === 0 || parts.includes(''))
    return undefined
  const inNamespace =
    parts[0] === 'namespaces' && parts.length > 2 && !namespaceSubresources.has(parts[2] ?? '')
  const namespace = inNamespace ? parts[1] : undefined
  const [plural, name, subresource, ...rest] = inNamespace ? parts.slice(2) : parts
  if (plural === undefined || rest.length > 0) return undefined
  return { group, version, plural, namespace, name, subresource }
}
