/** Which host ports of a Node are held by processes that are no pods: `"80=nginx (pid 812), 443=haproxy"`. */
export const hostPortsAnnotation = 'sandbox.portcullis.dev/host-ports-in-use'

/** The holder of each port. What cannot be read holds nothing. */
export function hostPortsInUse(
  annotations: Readonly<Record<string, string>> = {},
): ReadonlyMap<number, string> {
  const entries = (annotations[hostPortsAnnotation] ?? '').split(',').flatMap((entry) => {
    const [, port, holder] = /^\s*(\d+)\s*(?:=\s*(.*?))?\s*$/.exec(entry) ?? []
    return port === undefined ? [] : [[Number(port), holder ?? 'another process'] as const]
  })
  return new Map(entries)
}
