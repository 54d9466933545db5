/** What is never twice the same in two runs of one story: who, when, where. */
export const fleetingFields: ReadonlySet<string> = new Set([
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
