/** What is never twice the same in two runs of one story: who, when, where. */
export const volatileFields: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'lastTransitionTime',
  'time',
  'clusterIP',
  'clusterIPs',
  'nodePort',
  'healthCheckNodePort',
  'generation',
  'observedGeneration',
  'podIP',
])

/** A strategy has a field called nodePort too, but no number in it: what is said there is compared. */
export function isVolatile(field: string, value: unknown): boolean {
  return volatileFields.has(field) && (field !== 'nodePort' || typeof value === 'number')
}
