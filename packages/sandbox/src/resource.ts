import type { AnyObject, FieldError, Schema } from '@portcullis/schema'

/** The user of a request. */
export interface User {
  readonly username: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** What one kind in one version is called, where it is served, and what is peculiar to it. */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  /** What may be done with it; everything by default. */
  readonly verbs?: readonly string[]
  readonly subresources: readonly ('status' | 'scale' | (string & {}))[]
  readonly schema: Schema
  /** Where the numbers of the `scale` subresource stand, if there is one. */
  readonly scale?: ScalePaths
  /** For a kind that is served in two groups but kept once: how it is kept. */
  readonly kept?: { to(object: AnyObject): AnyObject; from(object: AnyObject): AnyObject }
  /** For a kind that is never stored, only asked: what is answered to such an object. */
  readonly review?: (object: AnyObject, user: User, now: Date) => AnyObject
  /** Whether a CustomResourceDefinition defines it. */
  readonly isCustom?: boolean
  readonly behaviour: Behaviour
  /** What `kubectl get` shows. */
  readonly columns: readonly Column[]
}

/** JSON paths, as a CustomResourceDefinition writes them: `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

/** What a kind may ask about the rest of the cluster when it is written. */
export interface ClusterView {
  now(): Date
  random(): number
  /** Whether nothing will be kept of what is asked for. */
  readonly isDryRun?: boolean
  get(
    resource: { group: string; plural: string },
    ref: { namespace?: string | undefined; name: string },
  ): AnyObject | undefined
  list(resource: { group: string; plural: string }, namespace?: string): Iterable<AnyObject>
}

/**
 * What the API server does to objects of one kind beyond what it does to all. Each function gets a copy of its own
 * and may change it in place; none does I/O. What is left out does nothing.
 */
export interface Behaviour {
  /** Defaults, on whatever is read from a request. */
  defaults?(object: AnyObject): void
  /** Why admission refuses a new object before it is prepared: what stands behind `… is forbidden: `. */
  refusal?(object: AnyObject): string | undefined
  prepareCreate?(object: AnyObject, cluster: ClusterView): void
  /** For writes of the main resource; the status has been put back to the old one already where there is a status subresource. */
  prepareUpdate?(object: AnyObject, old: AnyObject, cluster: ClusterView): void
  /** For writes of `status`; everything but status has been put back to the old one already. */
  prepareStatusUpdate?(object: AnyObject, old: AnyObject, cluster: ClusterView): void
  validate?(object: AnyObject, cluster: ClusterView): FieldError[]
  /** Errors found here are returned alone, before anything else of an update is validated. */
  validateUpdateFirst?(object: AnyObject, old: AnyObject, cluster: ClusterView): FieldError[]
  /** All that a kind checks of an update, what `validate` says included where the kind repeats it. */
  validateUpdate?(object: AnyObject, old: AnyObject, cluster: ClusterView): FieldError[]
  validateStatusUpdate?(object: AnyObject, old: AnyObject, cluster: ClusterView): FieldError[]
  /** What was wrong with an update that has just been validated, but is let pass as it was wrong before: for the `Warning` header. */
  forgiven?(object: AnyObject): readonly string[]
  /** Warnings for the `Warning` header. */
  warnings?(object: AnyObject, old: AnyObject | undefined, subresource?: string): string[]
  /** An object that has just been read from a request, as it is kept, where it will be read back in another form. */
  asKept?(object: AnyObject): AnyObject | undefined
  /** Of what is kept, what answers about the object show; all of it by default. */
  shown?(object: AnyObject): AnyObject
  /** The warning that goes with every answer about a kind that is on its way out. */
  readonly deprecation?: string
  /** Fields that field selectors may name, beside metadata.name and metadata.namespace. */
  selectableFields?(object: AnyObject): Readonly<Record<string, string>>
  /** Seconds of grace when a delete asks for none; 0 by default. */
  gracePeriodSeconds?(object: AnyObject): number
  /** For a kind that is not deleted at once: the object as it waits for its end. */
  markForDeletion?(object: AnyObject, now: string): AnyObject
  /** Whether a PUT of something that is not there creates it (Lease, Service, …). */
  readonly createsOnUpdate?: boolean
  /** Whether a PUT must say which version it replaces (PodDisruptionBudget, Lease, custom resources). */
  readonly needsVersionOnUpdate?: boolean
  /** Whether a DELETE answers with the object (Pod, Service, Namespace, …) instead of a Status. */
  readonly returnsDeleted?: boolean
  /** Whether a create may bring a status with it (Node). */
  readonly keepsStatusOnCreate?: boolean
  /** Whether `metadata.generation` is kept; true by default for kinds with a spec. */
  readonly keepsGeneration?: boolean
  /** Whether an update makes a new generation; a changed spec does by default. */
  newGeneration?(object: AnyObject, old: AnyObject): boolean
}

export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format?: string
  readonly description?: string
  /** 0 is always shown, others with `-o wide`. */
  readonly priority: number
  cell(object: AnyObject, now: Date): string | number | boolean | null
}
