/** What Kubernetes lets people call things: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/ */

const labelText = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** What most objects may be called, and what may stand before the slash in the key of a label. */
export function isSubdomain(text: string): boolean {
  return text.length <= 253 && subdomain.test(text)
}

/** `shard`, or `example.com/shard`. */
export function isLabelKey(text: string): boolean {
  const parts = text.split('/')
  const name = parts.pop() ?? ''
  return labelText.test(name) && parts.length <= 1 && parts.every(isSubdomain)
}

export function isLabelValue(text: string): boolean {
  return text === '' || labelText.test(text)
}
