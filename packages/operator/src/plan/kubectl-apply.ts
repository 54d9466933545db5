import { applyMergePatch, isObject, type MergePatch } from '@portcullis/kube'

/** The annotation in which `kubectl apply` keeps what it applied last. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

/** An object as people write it. */
export interface ControllerManifest {
  readonly metadata: {
    readonly namespace: string
    readonly name: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec?: object
}

/**
 * What `kubectl apply` makes of a live object and a file: what the file has is set, what it had the last time and does
 * not any more is removed, all else stays.
 */
export function applied(live: ControllerManifest | undefined, file: ControllerManifest): ControllerManifest {
  if (live === undefined) return file
  const before = lastAppliedOf(live)
  const { labels, annotations } = file.metadata
  const patch = {
    // kubectl always writes an annotation, its memory.
    metadata: { ...(labels && { labels }), annotations: annotations ?? {} },
    spec: file.spec ?? {},
  }
  return applyMergePatch(applyMergePatch(live, removals(before, patch)), patch)
}

function lastAppliedOf({ metadata }: ControllerManifest): MergePatch {
  try {
    const parsed: unknown = JSON.parse(metadata.annotations?.[lastApplied] ?? '{}')
    const { metadata: meta, spec } = isObject(parsed) ? parsed : {}
    const { labels, annotations } = isObject(meta) ? meta : {}
    return { metadata: { labels, annotations }, spec }
  } catch {
    return {} // A user edited it; kubectl itself would fail here.
  }
}

/** Null for everything that stands in one and not in the other. */
function removals(before: MergePatch, now: MergePatch): MergePatch {
  const gone: MergePatch = {}
  for (const [field, value] of Object.entries(before)) {
    if (value === undefined) continue
    const other = now[field]
    if (other === undefined) gone[field] = null
    else if (isObject(value) && isObject(other)) gone[field] = removals(value, other)
  }
  return gone
}
