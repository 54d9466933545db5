import { applyMergePatch } from '@portcullis/kube'
import { type ControllerManifest, crds, type WantedController } from '@portcullis/operator'
import {
  type AnyObject,
  admitCustomResource,
  type FieldError,
  problemsOfSubdomain,
  type Schema,
  validateBasicMeta,
  validateCustomResource,
} from '@portcullis/schema'
import { printable } from '../io/printable.ts'

const definition = crds.find(({ spec }) => spec.names.kind === 'IngressController')
const schema = (definition?.spec.versions[0]?.schema.openAPIV3Schema ?? {}) as Schema

/**
 * Admits a controller as the API server would: sets defaults, and refuses what it would refuse. The sandbox uses the same
 * functions, which are tested against a real API server.
 *
 * @param live the controller in the cluster, if there is one
 * @param source where it comes from, for the error
 */
export function admitController(
  wanted: ControllerManifest,
  live: ControllerManifest | undefined,
  source: string,
): WantedController {
  const object = {
    ...copyOf(wanted),
    apiVersion: 'operator.openshift.io/v1',
    kind: 'IngressController',
  } as AnyObject
  const refuse = refusalOf(wanted.metadata.name, source)
  const admitted = admitCustomResource(object, schema)
  if ('error' in admitted) return refuse([metadataError(admitted.error)])
  // The API server has already accepted the fields of the live object: the CRD of OpenShift has more of them.
  const known = new Set(live === undefined ? [] : unknownIn(live))
  const unknown = admitted.unknown.filter((path) => !known.has(path))
  if (unknown.length > 0) return refuse(unknown.map(noSuchField))
  const ofMeta = validateBasicMeta(object.metadata, metaRules)
  const parts = { object, earlier: ofMeta, ...(live && { old: live as unknown as AnyObject }) }
  const errors = [...ofMeta, ...validateCustomResource(parts, schema).errors]
  if (errors.length > 0) return refuse(errors.map(fieldError))
  return (live === undefined ? object : applyMergePatch(wanted, { spec: object.spec })) as WantedController
}

/**
 * Refuses what the API server would refuse in a file, except for the spec. The status is not checked: the server ignores
 * it, and other versions of the API have other fields.
 */
export function refuseInvalidMetadata(
  document: Readonly<Record<string, unknown>>,
  namespace: string,
  source: string,
): void {
  const { spec: _, status: __, ...rest } = document
  const metadata = { ...(rest['metadata'] as object), namespace } as AnyObject['metadata']
  const object = JSON.parse(JSON.stringify({ ...rest, metadata })) as AnyObject
  const refuse = refusalOf(String(metadata.name), source)
  const admitted = admitCustomResource(object, schema)
  if ('error' in admitted) return refuse([metadataError(admitted.error)])
  if (admitted.unknown.length > 0) return refuse(admitted.unknown.map(noSuchField))
  const errors = validateBasicMeta(object.metadata, metaRules)
  if (errors.length > 0) refuse(errors.map(fieldError))
}

const metaRules = { namespaced: true, name: problemsOfSubdomain }

const noSuchField = (path: string) => `${path}: unknown field; remove it, or correct its name`
const fieldError = ({ field, message }: FieldError) => `${field}: ${message}`

/** An error of Go names the field by its Go type: `ObjectMeta.labels`. */
function metadataError(error: string): string {
  const field = /ObjectMeta\.([\w.]+)/.exec(error)?.[1]
  return field === undefined ? error : `metadata.${field}: ${error}`
}

function refusalOf(name: string, source: string): (problems: readonly string[]) => never {
  return (problems) => {
    throw new Error(
      [
        `${source}: the API server would reject the IngressController "${printable(name)}":`,
        ...problems.map((problem) => `  ${printable(problem)}`),
      ].join('\n'),
    )
  }
}

function unknownIn(object: ControllerManifest): readonly string[] {
  const admitted = admitCustomResource(copyOf(object), schema)
  return 'error' in admitted ? [] : admitted.unknown
}

function copyOf(object: ControllerManifest): Record<string, unknown> {
  return JSON.parse(JSON.stringify(object)) as Record<string, unknown>
}
