/** The annotation in which `kubectl apply` keeps what it applied last. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration'

/**
 * The object as `kubectl apply` sends it: nearly every real one carries this annotation, and a test that asks for "an
 * annotation" where one certain annotation is meant is found out by it.
 */
export function asApplied<T extends { readonly metadata?: object }>(object: T) {
  const metadata: T['metadata'] & { annotations?: Readonly<Record<string, string>> } = { ...object.metadata }
  const annotations = metadata.annotations ?? {}
  const given = JSON.stringify({ ...object, metadata: { ...metadata, annotations } })
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...annotations, [lastAppliedAnnotation]: `${given}\n` } },
  }
}
