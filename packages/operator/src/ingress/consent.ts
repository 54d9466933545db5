import { type Cached, isBeingDeleted } from '@portcullis/kube'
import type { Service } from 'kubernetes-types/core/v1'
import type { IngressController } from '../api/ingress-controller.ts'
import { autoDeleteAnnotation } from './names.ts'

/**
 * A user's agreement that what carries traffic may be deleted. It can be had here alone, from the controller itself, and
 * no action that deletes can be made without it: so the operator cannot delete the load balancer of a controller
 * whose owner has not agreed.
 */
export class Consent {
  readonly #words: string
  /** Whether the user may have withdrawn it since. */
  readonly canBeWithdrawn: boolean

  private constructor(words: string, { canBeWithdrawn }: { readonly canBeWithdrawn: boolean }) {
    this.#words = words
    this.canBeWithdrawn = canBeWithdrawn
  }

  /** The controller is being deleted, and all that belongs to it with it. */
  static byDeletion(controller: Cached<IngressController>): Consent | undefined {
    return isBeingDeleted(controller)
      ? new Consent(`the IngressController ${controller.metadata.name} is being deleted`, {
          canBeWithdrawn: false,
        })
      : undefined
  }

  /** The controller carries the annotation that lets changes of its spec replace the load balancer. */
  static byAnnotation(controller: Cached<IngressController>): Consent | undefined {
    const isGiven = controller.metadata.annotations?.[autoDeleteAnnotation] !== undefined
    return !isGiven || refusedByAnnotation(controller) !== undefined
      ? undefined
      : new Consent(`the IngressController has the annotation ${autoDeleteAnnotation}`, {
          canBeWithdrawn: true,
        })
  }

  /** The spec asks for another strategy. Node ports can be let go for that; a load balancer needs more than that. */
  static byTypeChange(controller: Cached<IngressController>, service: Cached<Service>): Consent | undefined {
    const type = controller.spec?.endpointPublishingStrategy?.type
    return type !== undefined && type !== 'NodePortService' && service.spec?.type !== 'LoadBalancer'
      ? new Consent(`the IngressController now requests ${type}`, { canBeWithdrawn: true })
      : undefined
  }

  /** Why it may be done, to be read after "because". */
  toString(): string {
    return this.#words
  }
}

/** Other operators count the annotation by being there; here a user who writes one of these values consents to nothing. */
const noes = ['false', 'no', 'off', '0']

/** The value by which the annotation refuses; undefined where it is absent, or consents. */
export function refusedByAnnotation({ metadata }: Cached<IngressController>): string | undefined {
  const word = metadata.annotations?.[autoDeleteAnnotation]?.trim().toLowerCase()
  return noes.find((no) => no === word)
}
