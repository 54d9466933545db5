import { z } from 'zod'
import { atomicObject } from './crd/markers.ts'

/**
 * One statement about a controller, and since when it is so. Whoever makes it owns the whole of it: the API server need
 * not keep account of its fields one by one.
 */
export const condition = z
  .object({
    type: z.string().max(316).describe('What the statement is about. There is one condition of each type.'),
    status: z
      .enum(['True', 'False', 'Unknown'])
      .describe('Whether it is so; Unknown where that cannot be told.'),
    reason: z.string().optional().describe('Why, in one word that programs can rely on.'),
    message: z.string().optional().describe('Why, for people, and what they can do about it.'),
    lastTransitionTime: z
      .string()
      .describe('Since when the status is what it is.')
      .meta({ format: 'date-time' }),
  })
  .meta(atomicObject)
