import type { Field } from './fields.ts'
import { pathText } from './fields.ts'

/** What may be written into a field, and what may not, where its schema alone does not say so. */
export interface Samples {
  readonly valid: readonly unknown[]
  readonly invalid: readonly unknown[]
}

/** The name of every controller that is mutated in a simulation of its own; how long a domain may be depends on it. */
export const mutatedName = 'edge'

const huge = 'x'.repeat(20_000)
export const hostileTexts = { unicode: 'größe-東京-🦊\u202e', huge, empty: '' } as const

/** Types of conditions that no part of Portcullis writes. */
const foreignConditions: readonly string[] = ['UnownedCondition', '', hostileTexts.unicode]

export const isForeignCondition = (type: string) =>
  foreignConditions.includes(type) || type.startsWith('UnownedCondition')

const hexadecimal = (prefix: string, digits: number) => (digit: string) => `${prefix}${digit.repeat(digits)}`
const subnet = hexadecimal('subnet-', 17)
const allocation = hexadecimal('eipalloc-', 17)
const group = hexadecimal('sg-', 8)

/** By a part of the rule that the schema holds the value to. */
const byRule: Readonly<Record<string, Samples>> = {
  'format.dns1123Subdomain()': {
    valid: [
      'apps.example.com',
      'shop.example.com',
      'a',
      '',
      longDomain(253 - `router-${mutatedName}.`.length),
    ],
    invalid: [
      'Apps.example.com',
      'apps..example.com',
      '-apps.example.com',
      'apps.example.com.',
      '*.example.com',
      'a b',
      `${'l'.repeat(64)}.example.com`,
      longDomain(254 - `router-${mutatedName}.`.length),
      ...hostile(),
    ],
  },
  'isCIDR(self)': {
    valid: ['198.51.100.0/24', '0.0.0.0/0', '2001:db8::/32', '192.0.2.1/32'],
    invalid: [
      '198.51.100.0',
      '198.51.100.0/33',
      '300.0.0.0/8',
      '2001:db8::/129',
      ' 10.0.0.0/8',
      ...hostile(),
    ],
  },
  'isIP(self)': {
    valid: ['192.0.2.10', '2001:db8::10'],
    invalid: ['192.0.2', '192.0.2.256', '192.0.2.10/32', '2001:db8:::10', ...hostile()],
  },
  '^subnet-': {
    valid: ['a', 'b', 'c'].map(subnet),
    invalid: ['subnet-1', `${subnet('a')}a`, 'vpc-1', ...hostile()],
  },
  '^eipalloc-': {
    valid: ['a', 'b', 'c'].map(allocation),
    invalid: ['eipalloc-1', allocation('g'), `${allocation('a')}a`, ...hostile()],
  },
  '^sg-': {
    valid: ['a', 'b', 'c'].map(group),
    invalid: ['sg-1', group('g'), `${group('a')}a`, ...hostile()],
  },
  "!self.contains(',')": {
    valid: ['public-a', hostileTexts.unicode, 'n'.repeat(256)],
    invalid: ['a,b', subnet('a'), 'n'.repeat(257), huge],
  },
  "oldSelf == '' || self == oldSelf": { valid: [], invalid: [] },
}

/** Where the longest domain that may be ends, or one character later. */
function longDomain(length: number): string {
  return 'd.'.repeat(length).slice(0, length - 1) + 'd'
}

const labelValues: Samples = {
  valid: ['blue', '', 'Blue_1.x', 'v'.repeat(63)],
  invalid: ['a b', '-a', 'v'.repeat(64), hostileTexts.unicode, huge],
}
const labelKeys: Samples = {
  valid: ['shard', 'example.com/shard'],
  invalid: ['', 'a b', 'a,b', '-a', 'a/b/c', '!shard', hostileTexts.unicode, huge],
}
const anything: Samples = {
  valid: ['some text', '', hostileTexts.unicode, huge],
  invalid: [],
}

/** Of strings of which the schema says nothing more than that they are some; the first that matches counts. */
const byPath: readonly (readonly [RegExp, Samples])[] = [
  [
    /matchLabels$/,
    {
      valid: [{ shard: 'blue' }, { shard: 'red', 'example.com/tier': '' }],
      invalid: [{ 'a b': 'c' }, { '': 'c' }, { 'shard=a,tier': 'b' }, { [hostileTexts.unicode]: 'c' }],
    },
  ],
  [/matchLabels\{\}$/, labelValues],
  [
    /matchExpressions\[\]$/,
    {
      valid: [
        { key: 'shard', operator: 'In', values: ['blue', 'red'] },
        { key: 'tier', operator: 'NotIn', values: ['test'] },
        { key: 'example.com/shard', operator: 'Exists' },
        { key: 'shard', operator: 'DoesNotExist' },
      ],
      invalid: [
        { key: 'shard', operator: 'In' },
        { key: 'shard', operator: 'NotIn', values: [] },
        { key: 'shard', operator: 'Exists', values: ['blue'] },
        { key: 'shard', operator: 'DoesNotExist', values: ['blue'] },
      ],
    },
  ],
  [/matchExpressions\[\]\.key$/, labelKeys],
  [/matchExpressions\[\]\.operator$/, { valid: ['In'], invalid: ['in', 'Near', '', ...hostile()] }],
  [/matchExpressions\[\]\.values\[\]$/, labelValues],
  [
    /tolerations\[\]$/,
    {
      valid: [
        { key: 'dedicated', operator: 'Equal', value: 'ingress', effect: 'NoSchedule' },
        { key: 'dedicated', operator: 'Exists' },
        { operator: 'Exists' },
        { key: 'flaky', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
        { key: 'dedicated', value: 'ingress' },
      ],
      invalid: [
        { operator: 'Equal', value: 'x' },
        {},
        { key: 'a', operator: 'Exists', value: 'x' },
        { key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 },
      ],
    },
  ],
  // Empty where the operator is Exists.
  [
    /tolerations\[\]\.key$/,
    { valid: [...labelKeys.valid, ''], invalid: labelKeys.invalid.filter((key) => key !== '') },
  ],
  [/tolerations\[\]\.operator$/, { valid: ['Equal', ''], invalid: ['equal', 'Near', ...hostile()] }],
  [/tolerations\[\]\.value$/, labelValues],
  [/tolerations\[\]\.effect$/, { valid: ['NoSchedule', ''], invalid: ['Never', ...hostile()] }],
  [
    /defaultCertificate\.name$/,
    { valid: ['shop-tls', 'tls.example.com', ''], invalid: ['Shop TLS', '-a', 'a/b', ...hostile()] },
  ],
  [
    /subnets$/,
    {
      valid: [{ ids: [subnet('a')] }, { names: ['public-a'] }, { ids: [subnet('a'), subnet('b')] }],
      invalid: [{ ids: [] }, { names: [] }],
    },
  ],
  [/connectionIdleTimeout$/, { valid: ['5m', '1h30m0s', '5 minutes'], invalid: ['soon', 'x', ...hostile()] }],
  [/lastTransitionTime$/, { valid: ['2020-01-01T00:00:00Z'], invalid: ['yesterday', ...hostile()] }],
  [/conditions\[\]\.type$/, { valid: ['Available', ...foreignConditions], invalid: [huge] }],
  [/conditions\[\]\.(reason|message)$/, anything],
  [/^status\.(selector|domain)$/, anything],
  [/^status\.(infrastructureName|apiServerURL|apiServerInternalURI|etcdDiscoveryDomain)$/, anything],
  [/^status\.platformStatus\.(aws|azure|gcp|ibmcloud|powervs)\./, anything],
  [/\.(apiServerInternalIP|ingressIP)$/, anything],
]

function hostile(): readonly string[] {
  return [hostileTexts.unicode, huge]
}

/** More than any person writes, and few enough for each of many simulations. */
const hugeSize = 200

/** Of lists and maps that may be as long as one likes, the entry of each number: all differ, and each is right. */
const numbered: readonly (readonly [RegExp, (at: number) => readonly [key: string, value: unknown]])[] = [
  [/matchLabels$/, (at) => [`example.com/shard-${at}`, `blue-${at}`]],
  [/matchExpressions$/, (at) => [`${at}`, { key: `shard-${at}`, operator: 'NotIn', values: [`red-${at}`] }]],
  [/matchExpressions\[\]\.values$/, (at) => [`${at}`, `blue-${at}`]],
  [/tolerations$/, (at) => [`${at}`, { key: `dedicated-${at}`, value: 'ingress', effect: 'NoSchedule' }]],
  [
    /conditions$/,
    (at) => [
      `${at}`,
      { type: `UnownedCondition${at}`, status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' },
    ],
  ],
]

/** A huge list or map, where the schema sets no bound to it; undefined where it does, and where a field is neither. */
export function hugeCollection({ path, schema }: Field): unknown {
  const isList = schema.type === 'array' && schema.maxItems === undefined
  // No definition of ours bounds a map.
  const isMap = schema.additionalProperties !== undefined
  if (!isList && !isMap) return undefined
  const found = numbered.find(([match]) => match.test(pathText(path)))
  if (found === undefined)
    throw missingSamples(path, 'the schema sets no bound to it: add entries that are right')
  const entries = Array.from({ length: hugeSize }, (_, at) => found[1](at))
  return isMap ? Object.fromEntries(entries) : entries.map(([, value]) => value)
}

/** Numbers that leave room for others beside them. */
const numbers: readonly (readonly [RegExp, readonly number[]])[] = [
  [/httpPort$/, [80, 8080, 10080]],
  [/httpsPort$/, [443, 8443, 10443]],
  [/statsPort$/, [1936, 9936, 11936]],
  // Each of them is a pod that some simulation has to run.
  [/replicas$/i, [0, 1, 2, 3]],
  [/observedGeneration$|tolerationSeconds$/, [0, 1, 300]],
]

export function samplesOf({ path, schema }: Field): Samples {
  const text = pathText(path)
  if (schema.enum !== undefined) return { valid: schema.enum, invalid: ['Sometimes', ...hostile()] }
  if (schema.type === 'integer')
    return { valid: numbers.find(([match]) => match.test(text))?.[1] ?? [], invalid: [] }
  const rules = (schema['x-kubernetes-validations'] ?? []) as readonly { readonly rule: string }[]
  const ruled = Object.entries(byRule).find(([part]) => rules.some(({ rule }) => rule.includes(part)))
  if (schema.type === 'string' && ruled !== undefined) return ruled[1]
  const found = byPath.find(([match]) => match.test(text))
  if (found !== undefined) return found[1]
  if (schema.type !== 'string') return { valid: [], invalid: [] }
  throw missingSamples(path, 'the schema takes any text: add samples of what is right and what is wrong')
}

function missingSamples(path: readonly string[], why: string): Error {
  const file = import.meta.url.split('/').at(-1)
  return new Error(`Nobody has said what may be written into ${pathText(path)}, and ${why} to ${file}.`)
}
