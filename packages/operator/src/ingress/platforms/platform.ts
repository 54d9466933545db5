import type { Scope } from '../../api/endpoint-publishing-strategy.ts'

export type Annotations = Readonly<Record<string, string>>

/** What Portcullis knows about a place where clusters run. Data, where it can be. */
export interface Platform {
  /** As `Infrastructure` names it. */
  readonly name: string
  /** The schemes of the provider IDs of its nodes. */
  readonly providerIds: readonly string[]
  /** How routers are published where the spec does not say. */
  readonly publishesBy: 'LoadBalancerService' | 'HostNetwork'
  /** The annotation that requests a scope. Absent if the platform supports only External. */
  readonly scope?: ScopeAnnotation
  /** Whether a live load balancer takes on another scope when the annotation changes. */
  readonly changesScopeInPlace: boolean
  readonly externalTrafficPolicy: 'Local' | 'Cluster'
  /** Where load balancers come in types; which one is fixed when a load balancer is made. */
  readonly types?: TypeAnnotation
  /** Annotations that a new Service gets; from then on they are the user's. */
  readonly initialAnnotations?: (type: string | undefined) => Annotations
  /** Whether a load balancer whose Service has these annotations sends the address of the client by the PROXY protocol. */
  readonly sendsProxyHeader?: (annotations: Annotations) => boolean
  /** What the address of a load balancer gives away about it. */
  readonly readAddress?: (address: string) => { readonly scope?: Scope; readonly type?: string }
}

/** The annotation of a Service that requests the scope of its load balancer. */
export interface ScopeAnnotation {
  readonly key: string
  readonly Internal: string
  /** Undefined: External is what a load balancer is without the annotation. */
  readonly External: string | undefined
  /** Other names of the same annotation: read, and removed where they contradict what is wanted. Never written. */
  readonly otherKeys?: readonly string[]
  readonly isInternal: (value: string) => boolean
}

export interface TypeAnnotation {
  readonly key: string
  /** The value that requests each type; undefined if the annotation is omitted for it. */
  readonly values: Readonly<Record<string, string | undefined>>
  readonly default: string
}

/** The scope that a Service with these annotations requests. */
export function scopeAskedFor({ scope }: Platform, annotations: Annotations = {}): Scope {
  if (scope === undefined) return 'External'
  const values = [scope.key, ...(scope.otherKeys ?? [])].flatMap((key) => annotations[key] ?? [])
  return values.some((value) => scope.isInternal(value)) ? 'Internal' : 'External'
}

/** The type of load balancer that a Service with these annotations requests. */
export function typeAskedFor({ types }: Platform, annotations: Annotations = {}): string | undefined {
  if (types === undefined) return undefined
  const value = annotations[types.key]
  const asked = Object.entries(types.values).find(([, each]) => each === value)
  return asked?.[0] ?? types.default
}

/** The annotations with which a new Service requests a load balancer of this scope and type. */
export function annotationsFor(
  { scope: scopeAnnotation, types }: Platform,
  { scope, type }: { readonly scope: Scope; readonly type?: string | undefined },
): Annotations {
  const scopeValue = scopeAnnotation?.[scope]
  const typeValue = type === undefined ? undefined : types?.values[type]
  return {
    ...(scopeAnnotation !== undefined && scopeValue !== undefined && { [scopeAnnotation.key]: scopeValue }),
    ...(types !== undefined && typeValue !== undefined && { [types.key]: typeValue }),
  }
}
