import type { Schema } from '@portcullis/schema'
import type { Write } from '../patch/apply/field-manager.ts'
import type { Json, JsonObject } from '../patch/json-value.ts'

const string: Schema = { type: 'string' }
const configMap: Schema = {
  type: 'object',
  properties: {
    data: { type: 'object', additionalProperties: string, 'x-go': { omit: 'empty' } },
    immutable: { type: 'boolean', 'x-go': { pointer: true, omit: 'empty' } },
  },
}
const service: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      'x-go': { omit: 'empty' },
      properties: {
        type: { ...string, 'x-go': { omit: 'empty' } },
        selector: {
          type: 'object',
          additionalProperties: string,
          'x-kubernetes-map-type': 'atomic',
          'x-go': { omit: 'empty' },
        },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          'x-go': { omit: 'empty' },
          items: {
            type: 'object',
            properties: {
              name: string,
              port: { type: 'integer', default: 0 },
              protocol: { ...string, default: 'TCP' },
              targetPort: { 'x-kubernetes-int-or-string': true },
            },
          },
        },
        affinity: {
          type: 'object',
          'x-go': { pointer: true, omit: 'empty' },
          properties: { seconds: { type: 'integer' } },
        },
      },
    },
    status: {
      type: 'object',
      'x-go': { omit: 'empty' },
      properties: { ip: { ...string, 'x-go': { omit: 'empty' } } },
    },
  },
}
const foo: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        text: string,
        count: { type: 'integer' },
        on: { type: 'boolean' },
        set: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
        list: { type: 'array', items: string },
        map: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', properties: { name: string, value: string } },
        },
        whole: { type: 'object', additionalProperties: string, 'x-kubernetes-map-type': 'atomic' },
        parts: { type: 'object', additionalProperties: string },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: { type: 'object', properties: { ready: string } },
  },
}

export const now = new Date('2030-01-01T00:00:00Z')
export const later = new Date('2030-01-01T00:01:00Z')
export const kinds = {
  configMap: { kind: { apiVersion: 'v1', kind: 'ConfigMap', schema: configMap }, isCustom: false },
  service: {
    kind: { apiVersion: 'v1', kind: 'Service', schema: service },
    isCustom: false,
    resetFields: [['status']],
  },
  foo: {
    kind: { apiVersion: 'x.test/v1', kind: 'Foo', schema: foo },
    isCustom: true,
    resetFields: [['status']],
  },
}

export function by(manager: string, of: keyof typeof kinds = 'configMap', more: Partial<Write> = {}): Write {
  return { ...kinds[of], manager, now, ...more }
}

export function aConfigMap(data: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata }, data }
}

export function aFoo(spec: JsonObject): JsonObject {
  return { apiVersion: 'x.test/v1', kind: 'Foo', metadata: { name: 'f' }, spec }
}

interface Entry {
  manager: string
  operation: string
  time?: string
  subresource?: string
  fieldsV1: JsonObject
}

export function entries(object: JsonObject): Entry[] {
  const { managedFields = [] } = object['metadata'] as { managedFields?: Json[] }
  return managedFields as unknown as Entry[]
}

export function owned(object: JsonObject): Record<string, JsonObject> {
  return Object.fromEntries(
    entries(object).map(({ manager, operation, subresource, fieldsV1 }) => [
      `${manager} ${operation}${subresource === undefined ? '' : ` ${subresource}`}`,
      fieldsV1,
    ]),
  )
}
