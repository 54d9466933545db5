import {
  type AnyObject,
  type FieldError,
  immutable,
  invalid,
  invalids,
  problemsOfConfigKey,
  problemsOfSubdomain,
  required,
  tooLong,
  validateMeta,
  validateMetaUpdate,
  withNullBytes,
} from '@portcullis/schema'
import type { Secret } from 'kubernetes-types/core/v1'
import type { Behaviour } from '../resource.ts'
import { ageColumn, column, nameColumn } from './columns.ts'
import { dataLimit, givenEmpty, validateUnchanged } from './config-map.ts'
import { as, type Kind } from './kind.ts'

const behaviour: Behaviour = {
  warnings: (object) => warningsAboutKeyPair(as<Secret>(object)),

  defaults(object) {
    const secret = as<Secret>(object)
    if (!secret.type) secret.type = 'Opaque'
    const { stringData } = secret
    if (stringData === undefined) return
    delete secret.stringData
    if (Object.keys(stringData).length === 0) return
    const encoded = Object.entries(stringData).map(([key, text]) => [
      key,
      Buffer.from(text).toString('base64'),
    ])
    secret.data = { ...secret.data, ...Object.fromEntries(encoded) }
  },

  validate,

  validateUpdate(object, old) {
    const now = as<Secret>(object)
    const before = as<Secret>(old)
    return [
      ...validateMetaUpdate(object.metadata, old.metadata),
      ...(now.type === before.type ? [] : [invalid('type', now.type ?? '', immutable)]),
      ...(before.immutable === true
        ? validateUnchanged({ ...givenEmpty(object, 'data'), ...now }, { ...before }, ['data'])
        : []),
      ...validate(object),
    ]
  },

  selectableFields: (object) => ({ type: as<Secret>(object).type ?? '' }),

  asKept: (object) => withNullBytes(object, 'data'),

  keepsGeneration: false,
}

export const secret: Kind = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  singular: 'secret',
  shortNames: [],
  categories: [],
  namespaced: true,
  subresources: [],
  behaviour,
  columns: [
    nameColumn,
    column('Type', 'What the Secret is for.', (object) => as<Secret>(object).type ?? ''),
    column('Data', 'How many keys there are.', (object) => Object.keys(as<Secret>(object).data ?? {}).length),
    ageColumn,
  ],
}

function validate(object: AnyObject): FieldError[] {
  const { data = {} } = as<Secret>(object)
  const errors = validateMeta(object.metadata, { namespaced: true, name: problemsOfSubdomain })
  let size = 0
  for (const [key, value] of Object.entries(data)) {
    errors.push(...invalids(`data[${key}]`, key, problemsOfConfigKey(key)))
    size += Buffer.byteLength(value, 'base64')
  }
  if (size > dataLimit) errors.push(tooLong('data', dataLimit))
  return [...errors, ...validateType(as<Secret>(object))]
}

/** Well-known types promise well-known keys. */
function validateType({ type, data = {}, metadata }: Secret): FieldError[] {
  const missing = (key: string) => (Object.hasOwn(data, key) ? [] : [required(`data[${key}]`)])
  switch (type) {
    case 'kubernetes.io/service-account-token': {
      const annotation = 'kubernetes.io/service-account.name'
      return metadata?.annotations?.[annotation] ? [] : [required(`metadata.annotations[${annotation}]`)]
    }
    case 'kubernetes.io/dockercfg':
      return validateJson(data, '.dockercfg')
    case 'kubernetes.io/dockerconfigjson':
      return validateJson(data, '.dockerconfigjson')
    case 'kubernetes.io/basic-auth':
      return Object.hasOwn(data, 'username') || Object.hasOwn(data, 'password')
        ? []
        : [...missing('username'), ...missing('password')]
    case 'kubernetes.io/ssh-auth':
      return data['ssh-privatekey'] ? [] : [required('data[ssh-privatekey]')]
    case 'kubernetes.io/tls':
      return [...missing('tls.crt'), ...missing('tls.key')]
    case undefined:
    default:
      return []
  }
}

function validateJson(data: Readonly<Record<string, string>>, key: string): FieldError[] {
  const value = data[key]
  if (value === undefined) return [required(`data[${key}]`)]
  const text = Buffer.from(value, 'base64').toString()
  try {
    JSON.parse(text)
    return []
  } catch {
    return [invalid(`data[${key}]`, '<secret contents redacted>', goJsonProblem(text))]
  }
}

/** What Go says of the commonest kinds of broken JSON. */
function goJsonProblem(text: string): string {
  const first = text.trimStart().at(0)
  if (first === undefined) return 'unexpected end of JSON input'
  if ('{["-0123456789tfn'.includes(first)) return 'unexpected end of JSON input'
  return `invalid character '${first}' looking for beginning of value`
}

/** Of what may be wrong with a certificate and its key, only that there is none is looked at. */
function warningsAboutKeyPair({ type, data = {} }: Secret): string[] {
  if (type !== 'kubernetes.io/tls') return []
  const isPem = (name: string) => Buffer.from(data[name] ?? '', 'base64').includes('-----BEGIN ')
  if (!isPem('tls.crt')) return ['tls: failed to find any PEM data in certificate input']
  return isPem('tls.key') ? [] : ['tls: failed to find any PEM data in key input']
}
