import {
  type AnyObject,
  admitCustomResource,
  decode,
  type KubernetesSchemas,
  parseJson,
  type Schema,
  strictProblem,
  toValue,
} from '@portcullis/schema'
import { appliedObject } from '../patch/apply/applied-object.ts'
import { goFormat } from '../patch/go-text.ts'
import { applyJsonPatch, type Patched } from '../patch/json-patch.ts'
import type { Json, JsonObject } from '../patch/json-value.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import { undecodable } from '../patch/patch-refused.ts'
import { type PatchType, patchType } from '../patch/patch-type.ts'
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.ts'
import type { Resource } from '../resource.ts'
import { badRequest, StatusError } from './api-status.ts'
import type { Body } from './body-reader.ts'
import { jsonOfYaml } from './body-text.ts'
import { refusing } from './refused-patch.ts'
import { scaleKind } from './scale.ts'
import type { WriteOptions } from './write-options.ts'

interface PatchRequest extends Body {
  readonly resource: Resource
}

export interface PatchedObject {
  readonly object: AnyObject
  readonly warnings: readonly string[]
}

interface Read {
  readonly object: AnyObject
  readonly problems: string[]
}

/** What kind of patch a request is; one that the resource does not take is refused. */
export function patchTypeOf({ headers, resource }: PatchRequest): PatchType {
  return refusing(() => patchType(headers['content-type'], { isCustom: resource.isCustom ?? false }))
}

/** Carries patches out on objects, and reads the result as if it had been sent whole. */
export class PatchReader {
  readonly #schemas: KubernetesSchemas

  constructor(schemas: KubernetesSchemas) {
    this.#schemas = schemas
  }

  patch(request: PatchRequest, object: AnyObject, options: WriteOptions): PatchedObject {
    const { resource } = request
    const patched = this.#patched(request, object, resource.schema, options)
    resource.behaviour.defaults?.(patched.object)
    return patched
  }

  patchScale(request: PatchRequest, scale: AnyObject, options: WriteOptions): PatchedObject {
    const schema = this.#schemas.lookup(scaleKind)
    if (schema === undefined) throw new Error('There is no schema of Scale')
    const resource = { ...request.resource, isCustom: false }
    return this.#patched({ ...request, resource }, scale, schema, options)
  }

  /**
   * The object that a server-side apply sends: YAML, of which JSON is a part. What was sent is what is applied, not
   * what Go would make of it: an empty value is a value that one may own.
   */
  readApply({ body }: PatchRequest): AnyObject {
    const read = jsonOfYaml(body)
    if ('unreadable' in read)
      throw badRequest(`error decoding YAML: error converting YAML to JSON: ${read.unreadable.cause}`)
    return refusing(() => appliedObject(JSON.parse(read.text))) as unknown as AnyObject
  }

  /** What becomes of an object that an apply has made, as if it had been sent whole. */
  admitApplied(merged: AnyObject, resource: Resource, applied: AnyObject): AnyObject {
    const value = merged as unknown as JsonObject
    const read = resource.isCustom
      ? admit(value, resource, { keepsNulls: true })
      : decodeBuiltIn(value, resource.schema, 'converter')
    const { apiVersion, kind } = merged
    if ('error' in read) {
      const { group, version } = resource
      const { metadata } = applied
      const what = `${group}/${version}, Kind=${kind}`
      const problem = `unable to convert unstructured object to ${what}: ${read.error}`
      const message = `failed to convert new object (${metadata.namespace ?? ''}/${metadata.name ?? ''}; ${what}) to proper version: ${problem}`
      throw new StatusError(500, '', message)
    }
    const admitted = Object.assign(read.object, { apiVersion, kind })
    resource.behaviour.defaults?.(admitted)
    return admitted
  }

  #patched(
    { headers, body, resource }: PatchRequest,
    object: AnyObject,
    schema: Schema,
    options: WriteOptions,
  ): PatchedObject {
    const { fieldValidation } = options
    const isStrategic = patchTypeOf({ headers, body, resource }) === 'application/strategic-merge-patch+json'
    const { strictErrors, read, shownBody } = refusing(() => {
      const { patched, strictErrors } = this.#changed({ headers, body, resource }, object, schema, options)
      const shownBody = isStrategic ? goFormat(parseBody(body)) : JSON.stringify(patched)
      const read = resource.isCustom
        ? admit(patched as JsonObject, resource)
        : decodeBuiltIn(patched, schema, isStrategic ? 'converter' : 'parser')
      if ('error' in read) throw undecodable(shownBody, read.error)
      return { strictErrors, read, shownBody }
    })
    const problems = [...strictErrors, ...read.problems]
    if (fieldValidation === 'Strict' && problems.length > 0) {
      const detail = `Invalid value: ${JSON.stringify(shownBody)}: strict decoding error: ${problems.join(', ')}`
      throw new StatusError(422, 'Invalid', ` "" is invalid: patch: ${detail}`, {
        causes: [{ reason: 'FieldValueInvalid', message: detail, field: 'patch' }],
      })
    }
    const { apiVersion, kind } = object
    return {
      object: Object.assign(read.object, { apiVersion, kind }),
      warnings: fieldValidation === 'Warn' ? problems : [],
    }
  }

  #changed(
    request: PatchRequest,
    object: AnyObject,
    schema: Schema,
    { fieldValidation }: WriteOptions,
  ): Patched {
    const { body } = request
    const patch = parseBody(body)
    const whole = object as unknown as JsonObject
    switch (patchTypeOf(request)) {
      case 'application/json-patch+json':
        return applyJsonPatch(whole, patch, { fieldValidation, text: body })
      case 'application/merge-patch+json':
        return applyMergePatch(whole, patch, { fieldValidation })
      case 'application/strategic-merge-patch+json':
        return applyStrategicMergePatch(whole, patch, schema)
      case 'application/apply-patch+yaml':
        throw new Error('An apply patch is laid over an object, not carried out on it')
    }
  }
}

/** What Go makes of the result of a patch. */
function decodeBuiltIn(
  value: Json,
  schema: Schema,
  by: 'parser' | 'converter',
): Read | { readonly error: string } {
  const decoded = decode(schema, { value }, by)
  if ('error' in decoded) return decoded
  return { object: decoded.object as AnyObject, problems: decoded.strict.map(strictProblem) }
}

function admit(
  value: JsonObject,
  { schema }: Resource,
  options: { keepsNulls?: boolean } = {},
): Read | { readonly error: string } {
  const admitted = admitCustomResource(value, schema, options)
  if ('error' in admitted) return admitted
  const problems = admitted.unknown.map((path) => strictProblem({ kind: 'unknown', path }))
  return { object: value as unknown as AnyObject, problems }
}

function parseBody(body: string): Json {
  try {
    const value = JSON.parse(body) as Json
    // Half characters may be escaped in it, which Go reads otherwise.
    return /\\ud/i.test(body) ? (toValue(parseJson(body)) as Json) : value
  } catch (error) {
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : String(error)}`)
  }
}
