import { expect, test } from 'vitest'
import { refuseSelections } from './refused-selections.ts'

const refused = (spec: object) => refuseSelections(spec)

test.each([
  [
    'a Secret that cannot be',
    { defaultCertificate: { name: 'Shop TLS' } },
    'spec.defaultCertificate.name is "Shop TLS"',
  ],
  [
    'a key that would be two',
    { namespaceSelector: { matchLabels: { 'shard=a,tier': 'b' } } },
    'spec.namespaceSelector.matchLabels has "shard=a,tier"',
  ],
  [
    'a value with a blank',
    { routeSelector: { matchLabels: { shard: 'a b' } } },
    'spec.routeSelector.matchLabels.shard is "a b"',
  ],
  [
    'an operator that there is not',
    { routeSelector: { matchExpressions: [{ key: 'a', operator: 'Near', values: ['b'] }] } },
    'spec.routeSelector.matchExpressions[0].operator is "Near": choose In,',
  ],
  [
    'a key of an expression that would be two',
    { routeSelector: { matchExpressions: [{ key: 'a,b', operator: 'Exists' }] } },
    'spec.routeSelector.matchExpressions[0].key has "a,b"',
  ],
  [
    'a value of an expression with a blank',
    { routeSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'c d'] }] } },
    'spec.routeSelector.matchExpressions[0].values[1] is "c d"',
  ],
  [
    'NotIn without values',
    { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'NotIn' }] } },
    'spec.namespaceSelector.matchExpressions[0].values is empty, but operator NotIn',
  ],
  [
    'a toleration of a key that cannot be',
    { nodePlacement: { tolerations: [{ key: 'a b' }] } },
    'spec.nodePlacement.tolerations[0].key has "a b"',
  ],
  [
    'a toleration of a value that cannot be',
    { nodePlacement: { tolerations: [{ key: 'a', value: 'b c' }] } },
    'spec.nodePlacement.tolerations[0].value is "b c", which is not a valid label value',
  ],
  [
    'In without values',
    { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
    'spec.namespaceSelector.matchExpressions[0].values is empty',
  ],
  [
    'Exists with values',
    {
      nodePlacement: {
        nodeSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
      },
    },
    'spec.nodePlacement.nodeSelector.matchExpressions[0].values is set',
  ],
  [
    'a toleration of nothing',
    { nodePlacement: { tolerations: [{ operator: 'Exists' }, {}] } },
    'spec.nodePlacement.tolerations[1].key is not set',
  ],
  [
    'a toleration by an operator that there is not',
    { nodePlacement: { tolerations: [{ key: 'a', operator: 'equal' }] } },
    'spec.nodePlacement.tolerations[0].operator is "equal": choose Equal or Exists',
  ],
  [
    'a toleration that exists and compares',
    { nodePlacement: { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] } },
    'spec.nodePlacement.tolerations[0].value is "b"',
  ],
  [
    'a toleration of an effect that there is not',
    { nodePlacement: { tolerations: [{ key: 'a', effect: 'Never' }] } },
    'spec.nodePlacement.tolerations[0].effect is "Never"',
  ],
  [
    'a time to stay where nothing makes a router go',
    { nodePlacement: { tolerations: [{ key: 'a', effect: 'NoSchedule', tolerationSeconds: 5 }] } },
    'spec.nodePlacement.tolerations[0].tolerationSeconds is 5',
  ],
])('The spec is refused for %s, and the field named', (_, spec, message) => {
  expect(refused(spec).join('\n')).toContain(message)
})

test('Selectors and tolerations that Kubernetes accepts are not refused', () => {
  const selector = {
    matchLabels: { 'example.com/shard': '', tier: 'Blue_1' },
    matchExpressions: [
      { key: 'a', operator: 'In', values: ['b'] },
      { key: 'a', operator: 'DoesNotExist' },
    ],
  }
  expect(
    refused({
      defaultCertificate: { name: '' },
      namespaceSelector: selector,
      routeSelector: {},
      nodePlacement: {
        nodeSelector: selector,
        tolerations: [
          { operator: 'Exists' },
          { key: 'a', operator: '', value: '', effect: '' },
          { key: 'a', effect: 'NoExecute', tolerationSeconds: 0 },
          { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' },
          { key: 'a', effect: 'PreferNoSchedule' },
        ],
      },
    }),
  ).toEqual([])
})

test('A valid Secret name is not refused', () => {
  expect(refused({ defaultCertificate: { name: 'shop-tls' } })).toEqual([])
})

test('An invalid value of a toleration is reported once', () => {
  const tolerations = [{ key: 'a', operator: 'Exists', value: 'b c' }]
  expect(refused({ nodePlacement: { tolerations } })).toHaveLength(1)
})

test('A huge value is quoted by its beginning', () => {
  const [message = ''] = refused({ defaultCertificate: { name: 'X'.repeat(100_000) } })
  expect(message.length).toBeLessThan(300)
})
