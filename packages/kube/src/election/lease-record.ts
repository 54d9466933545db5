import type { Lease } from 'kubernetes-types/coordination/v1'
import type { Persisted } from '../objects/objects.ts'

/**
 * The content of a `coordination.k8s.io/v1` Lease, and what each step of an election writes into it.
 *
 * Every function that changes a Lease starts from the one that was read and keeps the rest of it: others' labels
 * and fields, and `resourceVersion` and `uid`, without which a write could overwrite what was never seen. The uid
 * is needed too: the API server takes a PUT of a Lease that was deleted meanwhile for a wish to create it.
 */
export interface Signature {
  readonly identity: string
  readonly leaseDurationMs: number
  /** The writer's wall clock, for people to read; no decision depends on it. */
  readonly time: string
}

/** Undefined when it has no holder. */
export function holderOf(lease: Lease): string | undefined {
  return lease.spec?.holderIdentity || undefined
}

/** For how long the holder may go unheard before others take over: its own word. */
export function durationMsOf(lease: Lease): number | undefined {
  const seconds = lease.spec?.leaseDurationSeconds
  return seconds === undefined ? undefined : seconds * 1000
}

/**
 * Given back by its holder. Merely having no holder is not enough: a Lease that a person deleted and made again
 * by hand has none either, while the old leader may still be at work.
 */
export function wasReleased(lease: Lease): boolean {
  return holderOf(lease) === undefined && lease.spec?.renewTime !== undefined
}

/** A Lease where there was none. */
export function created(ref: { namespace: string; name: string }, by: Signature): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: ref.namespace, name: ref.name },
    spec: { ...held(by), acquireTime: by.time, leaseTransitions: 0 },
  }
}

/** The Lease under a new holder. */
export function taken(lease: Persisted<Lease>, by: Signature): Persisted<Lease> {
  // The field takes 32 bits: with one more the API server would refuse every new holder.
  const leaseTransitions = Math.min((lease.spec?.leaseTransitions ?? 0) + 1, 2 ** 31 - 1)
  return { ...lease, spec: { ...lease.spec, ...held(by), acquireTime: by.time, leaseTransitions } }
}

/** A sign of life of its holder. */
export function renewed(lease: Persisted<Lease>, by: Signature): Persisted<Lease> {
  return { ...lease, spec: { ...lease.spec, ...held(by) } }
}

/** The holder's Lease again, after another client deleted it. */
export function restored(lease: Persisted<Lease>, by: Signature): Lease {
  const { namespace, name, labels, annotations } = lease.metadata
  return {
    ...renewed(lease, by),
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
    },
  }
}

/** Free for any candidate, at once. One second is the shortest that the API allows. */
export function released(lease: Persisted<Lease>, time: string): Persisted<Lease> {
  const free = { holderIdentity: '', leaseDurationSeconds: 1, renewTime: time, acquireTime: time }
  return { ...lease, spec: { ...lease.spec, ...free } }
}

function held({ identity, leaseDurationMs, time }: Signature) {
  return {
    holderIdentity: identity,
    // The field takes whole seconds; rounding down would let others in early.
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
    renewTime: time,
  }
}
