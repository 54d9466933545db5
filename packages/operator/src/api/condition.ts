import { z } from 'zod'
import { atomicObject } from './crd/markers.ts'

/**
 * A condition of an IngressController. Its writer owns the whole of it: the API server need
 * not keep account of its fields one by one.
 */
export const condition = z
  .object({
    type: z
      .string()
      .max(316)
      .describe('The type of the condition. There is at most one condition of each type.'),
    status: z
      .enum(['True', 'False', 'Unknown'])
      .describe('Whether the condition holds; Unknown if that cannot be determined.'),
    reason: z.string().optional().describe('The reason for the status, in one word for programs.'),
    message: z
      .string()
      .optional()
      .describe('The reason for the status, and what to do about it, for people.'),
    lastTransitionTime: z.string().describe('When the status last changed.').meta({ format: 'date-time' }),
  })
  .meta(atomicObject)
