import { describe, expect, test } from 'vitest'
import { annotationsFor, scopeAskedFor, typeAskedFor } from './platform.ts'
import { platformNamed, platforms } from './platforms.ts'

const of = (name: string) => {
  const platform = platformNamed(name)
  if (platform === undefined) throw new Error(`There is no platform ${name}.`)
  return platform
}

/** The annotations that the cloud controller manager of each platform documents. */
const documented = {
  AWS: { internal: { 'service.beta.kubernetes.io/aws-load-balancer-internal': 'true' }, external: {} },
  Azure: { internal: { 'service.beta.kubernetes.io/azure-load-balancer-internal': 'true' }, external: {} },
  GCP: { internal: { 'cloud.google.com/load-balancer-type': 'Internal' }, external: {} },
  IBMCloud: {
    internal: { 'service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type': 'private' },
    external: { 'service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type': 'public' },
  },
  PowerVS: {
    internal: { 'service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type': 'private' },
    external: { 'service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type': 'public' },
  },
  OpenStack: {
    internal: { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' },
    external: {},
  },
} as const

describe.each(Object.entries(documented))('%s', (name, { internal, external }) => {
  test('A platform requests each scope as documented, and reads back what it requested', () => {
    const platform = of(name)
    expect(annotationsFor(platform, { scope: 'Internal' })).toEqual(internal)
    expect(annotationsFor(platform, { scope: 'External' })).toEqual(external)
    expect(scopeAskedFor(platform, internal)).toBe('Internal')
    expect(scopeAskedFor(platform, external)).toBe('External')
    expect(scopeAskedFor(platform)).toBe('External')
  })
})

test('The scope changes in place on Azure and GCP, and on no other (OCPBUGS-39151)', () => {
  const inPlace = platforms.filter(({ changesScopeInPlace }) => changesScopeInPlace)
  expect(inPlace.map(({ name }) => name)).toEqual(['Azure', 'GCP'])
})

test('The other platforms have no annotation that requests the scope Internal', () => {
  const others = platforms.filter(({ name }) => !(name in documented))
  expect(others.map(({ name }) => name)).toContain('BareMetal')
  for (const platform of others) {
    expect(platform.scope).toBeUndefined()
    expect(annotationsFor(platform, { scope: 'External' })).toEqual({})
  }
})

test('No platform reads the annotations of another', () => {
  const azure = of('Azure')
  expect(scopeAskedFor(azure, documented.AWS.internal)).toBe('External')
})

/** Which values each cloud takes for Internal; all others, and none at all, are External there. */
const internalValues = {
  // Anything but nothing and "false": BZ2055470.
  AWS: [
    'true',
    'True',
    'yes',
    '0.0.0.0/0',
    'Internal',
    'internal',
    'INTERNAL',
    'private',
    'public',
    'External',
  ],
  Azure: ['true'],
  GCP: ['Internal', 'internal', 'INTERNAL'],
  IBMCloud: ['private'],
  PowerVS: ['private'],
  OpenStack: ['true'],
} as const
const values = ['', 'false', ...internalValues.AWS]

describe.each(Object.entries(internalValues))('%s', (name, internal) => {
  test.each(values)('A platform reads "%s" as Internal only if that is the documented value', (value) => {
    const platform = of(name)
    for (const key of [platform.scope?.key, ...(platform.scope?.otherKeys ?? [])]) {
      const scope = scopeAskedFor(platform, { [key ?? '']: value })
      expect(scope).toBe((internal as readonly string[]).includes(value) ? 'Internal' : 'External')
    }
  })
})

test('GCP reads both of its annotations', () => {
  expect(scopeAskedFor(of('GCP'), { 'networking.gke.io/load-balancer-type': 'Internal' })).toBe('Internal')
  expect(scopeAskedFor(of('GCP'), { 'cloud.google.com/load-balancer-type': 'Internal' })).toBe('Internal')
})

test('AWS has types, Classic unless the annotation says nlb', () => {
  const key = 'service.beta.kubernetes.io/aws-load-balancer-type'
  expect(typeAskedFor(of('AWS'))).toBe('Classic')
  expect(typeAskedFor(of('AWS'), { [key]: 'nlb' })).toBe('NLB')
  expect(typeAskedFor(of('AWS'), { [key]: 'garbage' })).toBe('Classic')
  expect(annotationsFor(of('AWS'), { scope: 'External', type: 'NLB' })).toEqual({ [key]: 'nlb' })
  expect(typeAskedFor(of('GCP'), { [key]: 'nlb' })).toBeUndefined()
})

test.each([
  ['a1-2.us-east-1.elb.amazonaws.com', { type: 'Classic', scope: 'External' }],
  ['internal-a1-2.us-east-1.elb.amazonaws.com', { type: 'Classic', scope: 'Internal' }],
  ['internal-a1-2.cn-north-1.elb.amazonaws.com.cn', { type: 'Classic', scope: 'Internal' }],
  ['a1-2.elb.eu-west-3.amazonaws.com', { type: 'NLB' }], // Its host name does not give the scope away.
  ['some.host.example', {}],
  ['203.0.113.7', {}],
  ['', {}],
])('The address "%s" on AWS proves %o', (address, proven) => {
  expect(of('AWS').readAddress?.(address)).toEqual(proven)
})
