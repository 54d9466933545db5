import { expect, test } from 'vitest'
import { resetFieldsOf } from './reset-fields.ts'

const foo = { group: 'x.test', kind: 'Foo', subresources: ['status'], isCustom: true }
const deployment = { group: 'apps', kind: 'Deployment', subresources: ['status', 'scale'], isCustom: false }
const configMap = { group: '', kind: 'ConfigMap', subresources: [], isCustom: false }

test.each([
  [configMap, undefined, []],
  [deployment, undefined, [['status']]],
  [deployment, 'status', [['spec'], ['metadata', 'labels']]],
  [deployment, 'scale', []],
  [foo, undefined, [['status']]],
  [foo, 'status', [['metadata'], ['spec']]],
])('The object %j, written through %j, keeps %j', (resource, subresource, fields) => {
  expect(resetFieldsOf(resource, subresource)).toEqual(fields)
})
