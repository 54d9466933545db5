import type { CloudPlatformName } from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import type { User } from '../user.ts'

/** Something that a user does; then all that follows from it happens. */
export interface Step {
  readonly does: string
  readonly act: (user: User) => void
  /**
   * Whether it is taken only when the step before has had its effect. Where the spec and the Service are changed in one
   * breath, an operator that sees the second first rightly holds to the spec.
   */
  readonly isPatient?: boolean
  /** Whether it is taken while no operator runs: they learn of it when they start. */
  readonly isUnattended?: boolean
  /** The Ingresses that may lose their addresses by it. */
  readonly mayBlank?: readonly string[]
}

export interface Story {
  readonly name: string
  readonly platform: CloudPlatformName
  /** How many operators run: one unless given; several elect a leader. */
  readonly operators?: number
  /** By how much the clocks of the operators are ahead of the API server's, one after the other as they are started. */
  readonly clocksAheadMs?: readonly number[]
  readonly steps: readonly Step[]
}
