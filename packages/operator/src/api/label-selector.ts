import { z } from 'zod'
import { atomicList, atomicObject } from './crd/markers.ts'

const requirement = z.object({
  key: z.string().describe('The key of the label.'),
  operator: z.string().describe('In, NotIn, Exists or DoesNotExist.'),
  values: z
    .array(z.string())
    .optional()
    .describe('The values to compare the label with: at least one for In and NotIn, none for the others.')
    .meta(atomicList),
})

/** Kubernetes' own way to choose objects by their labels. */
export const labelSelector = z
  .object({
    matchLabels: z
      .record(z.string(), z.string())
      .optional()
      .describe('Labels that an object must have, each with exactly this value.'),
    matchExpressions: z
      .array(requirement)
      .optional()
      .describe('Further requirements on the labels, all of which must be met.')
      .meta(atomicList),
  })
  .meta(atomicObject)
