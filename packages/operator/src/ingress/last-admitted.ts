import { type Cached, type DeepReadonly, isObject, type KubeObject, withSortedKeys } from '@portcullis/kube'
import { type IngressControllerSpec, ingressControllerSpec } from '../api/ingress-controller.ts'
import { refuseReplicas } from './admission.ts'
import { admittedSpecAnnotation, autoDeleteAnnotation, ownerOf } from './names.ts'
import { refuseSelections } from './refused-selections.ts'
import type { Settings } from './settings.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * What a controller was last admitted with. While its spec is refused, that is what goes on: what a user deletes or
 * edits is mended, and what is said is true of what is there. Most of it stands in the status; of what does not, a note
 * is kept on the Deployment of the routers and on their internal Service, so that either can be made again by the other.
 *
 * A user who may edit an object may edit its annotation. So the one on the Service does not change routers that exist: a
 * user who may edit Services need not be allowed to edit Deployments. And none has more replicas than are allowed.
 */

type Spec = DeepReadonly<IngressControllerSpec>

/** What the status has no room for, as far as anything depends on it. */
const notInStatus = ['replicas', 'defaultCertificate', 'nodePlacement', 'httpHeaders'] as const
type NotInStatus = Pick<Spec, (typeof notInStatus)[number]>

const noteSchema = ingressControllerSpec.pick({
  replicas: true,
  defaultCertificate: true,
  nodePlacement: true,
  httpHeaders: true,
} satisfies Record<(typeof notInStatus)[number], true>)

/** The API server takes annotations of 256 kB altogether. What is longer is not noted: the routers then stay as they are. */
const longestNote = 64 * 1024

/** The annotation for objects that are made from this spec. */
export function noteOfAdmitted(spec: Spec = {}): Readonly<Record<string, string>> {
  const note = JSON.stringify(withSortedKeys(unrecorded(spec)))
  return { [admittedSpecAnnotation]: note.length > longestNote ? '' : note }
}

function unrecorded({ replicas, defaultCertificate, nodePlacement, httpHeaders }: Spec): NotInStatus {
  const { forwardedHeaderPolicy } = httpHeaders ?? {}
  return {
    ...(replicas !== undefined && { replicas }),
    ...(defaultCertificate !== undefined && { defaultCertificate }),
    ...(nodePlacement !== undefined && { nodePlacement }),
    ...(forwardedHeaderPolicy !== undefined && { httpHeaders: { forwardedHeaderPolicy } }),
  }
}

export interface LastAdmitted {
  /** As if the spec were still the one that was admitted. Consent that stands on a refused spec is none. */
  readonly snapshot: Snapshot
  /** Whether it is known how the routers were to run; where it is not, they are left alone. */
  readonly knowsRouters: boolean
}

/** Undefined for a controller that never was admitted. */
export function lastAdmitted(snapshot: Snapshot): LastAdmitted | undefined {
  const { controller } = snapshot
  const { domain, endpointPublishingStrategy, namespaceSelector, routeSelector } = controller.status ?? {}
  if (domain === undefined || endpointPublishingStrategy === undefined) return undefined
  const noted = noteIn(snapshot)
  const routers = noted ?? routersOf(controller.spec, snapshot.settings)
  const spec: Spec = {
    ...routers,
    domain,
    endpointPublishingStrategy,
    ...(namespaceSelector !== undefined && { namespaceSelector }),
    ...(routeSelector !== undefined && { routeSelector }),
  }
  const { [autoDeleteAnnotation]: _, ...annotations } = controller.metadata.annotations ?? {}
  return {
    snapshot: {
      ...snapshot,
      controller: { ...controller, spec, metadata: { ...controller.metadata, annotations } },
    },
    knowsRouters:
      noted !== undefined || (snapshot.operands.deployment === undefined && routers !== undefined),
  }
}

/** Without routers and without a note of them, the spec is the best word there is on them, unless it is refused for it. */
function routersOf(spec: Spec = {}, settings: Settings): NotInStatus | undefined {
  const asked = unrecorded(spec)
  const refused = [...refuseSelections(asked), ...refuseReplicas(asked, settings)]
  return refused.length === 0 ? asked : undefined
}

function noteIn({ controller, operands, settings }: Snapshot): NotInStatus | undefined {
  const noted: Cached<KubeObject> | undefined = operands.deployment ?? operands.internalService
  if (noted === undefined || ownerOf(noted) !== controller.metadata.name) return undefined
  return readNote(noted, settings)
}

/** Undefined if there is none, or if an edit made it unusable. */
function readNote({ metadata }: Cached<KubeObject>, settings: Settings): NotInStatus | undefined {
  try {
    const note: unknown = JSON.parse(metadata.annotations?.[admittedSpecAnnotation] ?? 'null')
    if (!isObject(note) || !noteSchema.safeParse(note).success) return undefined
    return routersOf(note, settings)
  } catch {
    return undefined
  }
}
