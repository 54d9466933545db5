import type { Scope } from '../../api/endpoint-publishing-strategy.ts'
import { provenanceAnnotation } from '../names.ts'

/** How a load balancer was created; on most clouds it stays like that, whatever the annotations become later. */
export interface Provenance {
  readonly scope: Scope
  readonly type?: string
  /**
   * What the spec wanted when we first saw a Service that another client had created differently. Only what differs from
   * that is a change of the spec; the rest may be an edit by hand.
   */
  readonly wanted?: { readonly scope: Scope; readonly type?: string | undefined }
  /** Its Service took over the source ranges of the one before it: they are the user's, though we wrote them. */
  readonly keptSourceRanges?: true
}

export function writeProvenance({
  scope,
  type,
  wanted,
  keptSourceRanges,
}: Provenance): Readonly<Record<string, string>> {
  return { [provenanceAnnotation]: JSON.stringify({ scope, type, wanted, keptSourceRanges }) }
}

/** Undefined without a readable annotation: another client created the Service, or edited it. */
export function readProvenance(
  annotations: Readonly<Record<string, string>> | undefined,
): Provenance | undefined {
  try {
    const note = JSON.parse(annotations?.[provenanceAnnotation] ?? 'null') as Provenance | null
    const isScope = note?.scope === 'Internal' || note?.scope === 'External'
    // It appears in messages and commands.
    const isType = note?.type === undefined || /^\w+$/.test(note.type)
    return note && isScope && isType ? note : undefined
  } catch {
    return undefined
  }
}
