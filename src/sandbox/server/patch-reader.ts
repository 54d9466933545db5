import { parse as parseYaml } from 'yaml'
import { appliedObject } from '../patch/apply/applied-object.ts'
import { goFormat } from '../patch/go-text.ts'
import { applyJsonPatch, type Patched } from '../patch/json-patch.ts'
import type { Json, JsonObject } from '../patch/json-value.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import { undecodable } from '../patch/patch-refused.ts'
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.ts'
import type { AnyObject, Resource } from '../resource.ts'
import { admitCustomResource } from '../schema/custom-resource.ts'
import { decode, strictProblem } from '../schema/decode.ts'
import type { KubernetesSchemas } from '../schema/kubernetes.ts'
import type { Schema } from '../schema/schema.ts'
import { badRequest, StatusError, unsupportedMediaType } from './api-status.ts'
import type { Body } from './body-reader.ts'
import { inConverterWords } from './conversion-words.ts'
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

type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

const patchTypes: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
}

/** Custom resources have no strategic merge patch. */
export function refuseUnknownPatch(contentType: string | undefined, { isCustom = false }: Resource): void {
  const type = typeOf(contentType)
  if (type !== undefined && !(isCustom && type === 'strategic')) return
  if (!isCustom) throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})
  throw unsupportedMediaType(Object.keys(patchTypes).filter((name) => patchTypes[name] !== 'strategic'))
}

export function isApplyPatch(contentType: string | undefined): boolean {
  return typeOf(contentType) === 'apply'
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

  patchScale(request: PatchRequest, scale: AnyObject, options: WriteOptions): AnyObject {
    const schema = this.#schemas.lookup(scaleKind)
    if (schema === undefined) throw new Error('There is no schema of Scale')
    const resource = { ...request.resource, isCustom: false }
    return this.#patched({ ...request, resource }, scale, schema, options).object
  }

  /**
   * The object that a server-side apply sends: YAML, of which JSON is a part. What was sent is what is applied, not
   * what Go would make of it: an empty value is a value that one may own.
   */
  readApply({ body }: PatchRequest): AnyObject {
    try {
      return refusing(() => appliedObject(parseYaml(body))) as unknown as AnyObject
    } catch (error) {
      if (error instanceof StatusError) throw error
      throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** What becomes of an object that an apply has made, as if it had been sent whole. */
  admitApplied(merged: AnyObject, resource: Resource, applied: AnyObject): AnyObject {
    const value = merged as unknown as JsonObject
    const read = resource.isCustom ? admit(value, resource) : decodeBuiltIn(value, resource.schema)
    const { apiVersion, kind } = merged
    if ('error' in read) {
      const { group, version } = resource
      const { metadata } = applied
      const what = `${group}/${version}, Kind=${kind}`
      const problem = `unable to convert unstructured object to ${what}: ${inConverterWords(read.error)}`
      const message = `failed to convert new object (${metadata.namespace ?? ''}/${metadata.name ?? ''}; ${what}) to proper version: ${problem}`
      throw new StatusError(500, '', message)
    }
    const admitted = { ...read.object, apiVersion, kind }
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
    const isStrategic = typeOf(headers['content-type']) === 'strategic'
    const { strictErrors, read, told } = refusing(() => {
      const { patched, strictErrors } = this.#changed({ headers, body, resource }, object, schema, options)
      const told = isStrategic ? goFormat(parseBody(body)) : JSON.stringify(patched)
      const read = resource.isCustom ? admit(patched as JsonObject, resource) : decodeBuiltIn(patched, schema)
      if ('error' in read) {
        throw undecodable(told, isStrategic ? inConverterWords(read.error) : read.error)
      }
      return { strictErrors, read, told }
    })
    const problems = [...strictErrors, ...read.problems]
    if (fieldValidation === 'Strict' && problems.length > 0) {
      const detail = `Invalid value: ${JSON.stringify(told)}: strict decoding error: ${problems.join(', ')}`
      throw new StatusError(422, 'Invalid', ` "" is invalid: patch: ${detail}`, {
        causes: [{ reason: 'FieldValueInvalid', message: detail, field: 'patch' }],
      })
    }
    const { apiVersion, kind } = object
    return {
      object: { ...read.object, apiVersion, kind },
      warnings: fieldValidation === 'Warn' ? problems : [],
    }
  }

  #changed(
    { headers, body }: PatchRequest,
    object: AnyObject,
    schema: Schema,
    { fieldValidation }: WriteOptions,
  ): Patched {
    const patch = parseBody(body)
    const whole = object as unknown as JsonObject
    switch (typeOf(headers['content-type'])) {
      case 'json':
        return applyJsonPatch(whole, patch, { fieldValidation })
      case 'merge':
        return applyMergePatch(whole, patch, { fieldValidation })
      case 'strategic':
        return applyStrategicMergePatch(whole, patch, schema)
      case 'apply':
      case undefined:
        throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})
    }
  }
}

/** What Go makes of the result of a patch. */
function decodeBuiltIn(value: Json, schema: Schema): Read | { readonly error: string } {
  const decoded = decode(schema, { value })
  if ('error' in decoded) return decoded
  return { object: decoded.object as AnyObject, problems: decoded.strict.map(strictProblem) }
}

function admit(value: JsonObject, { schema }: Resource): Read | { readonly error: string } {
  const admitted = admitCustomResource(value, schema)
  if ('error' in admitted) return admitted
  const problems = admitted.unknown.map((path) => strictProblem({ kind: 'unknown', path }))
  return { object: value as unknown as AnyObject, problems }
}

function typeOf(contentType: string | undefined): PatchType | undefined {
  return patchTypes[(contentType ?? '').split(';')[0]?.trim() ?? '']
}

function parseBody(body: string): Json {
  try {
    return JSON.parse(body) as Json
  } catch (error) {
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : String(error)}`)
  }
}
