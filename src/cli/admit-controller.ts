import { crds } from '../api/crds.ts'
import { applyMergePatch } from '../kube/merge-patch.ts'
import type { Written } from '../plan/applied.ts'
import type { WantedController } from '../plan/foresight.ts'
import { complaintsAboutSubdomain } from '../sandbox/kinds/names.ts'
import { validateBasicMeta } from '../sandbox/kinds/object-meta.ts'
import type { AnyObject } from '../sandbox/resource.ts'
import { admitCustomResource } from '../sandbox/schema/custom-resource.ts'
import type { Schema } from '../sandbox/schema/schema.ts'
import { validateCustomResource } from '../sandbox/schema/validate-custom-resource.ts'

const definition = crds.find(({ spec }) => spec.names.kind === 'IngressController')
const schema = (definition?.spec.versions[0]?.schema.openAPIV3Schema ?? {}) as Schema

/**
 * What the API server would make of a controller: defaults are filled in, what it would refuse is refused. The sandbox's
 * own admission, which is held to the real one, does it.
 *
 * @param live the controller that is there
 * @param source where it comes from, for the error
 */
export function admitController(
  wanted: Written,
  live: Written | undefined,
  source: string,
): WantedController {
  const object = {
    ...copyOf(wanted),
    apiVersion: 'operator.openshift.io/v1',
    kind: 'IngressController',
  } as AnyObject
  const refuse = (problems: readonly string[]): never => {
    throw new Error(
      [
        `${source}: the API server would refuse the IngressController "${wanted.metadata.name}":`,
        ...problems.map((problem) => `  ${problem}`),
      ].join('\n'),
    )
  }
  const admitted = admitCustomResource(object, schema)
  if ('error' in admitted) return refuse([admitted.error])
  // What is there already was taken by whoever serves the kind: OpenShift knows more fields.
  const known = new Set(live === undefined ? [] : unknownIn(live))
  const unknown = admitted.unknown.filter((path) => !known.has(path))
  if (unknown.length > 0)
    return refuse(unknown.map((path) => `${path}: there is no such field; remove it, or mend its name`))
  const ofMeta = validateBasicMeta(object.metadata, { namespaced: true, name: complaintsAboutSubdomain })
  const parts = { object, earlier: ofMeta, ...(live && { old: live as unknown as AnyObject }) }
  const errors = [...ofMeta, ...validateCustomResource(parts, schema).errors]
  if (errors.length > 0) return refuse(errors.map(({ field, message }) => `${field}: ${message}`))
  return (live === undefined ? object : applyMergePatch(wanted, { spec: object.spec })) as WantedController
}

function unknownIn(object: Written): readonly string[] {
  const admitted = admitCustomResource(copyOf(object), schema)
  return 'error' in admitted ? [] : admitted.unknown
}

function copyOf(object: Written): Record<string, unknown> {
  return JSON.parse(JSON.stringify(object)) as Record<string, unknown>
}
