import { expect, test } from 'vitest'
import { validateScalePaths } from './scale-paths.ts'

const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
}

test.each([
  [{}, undefined],
  [{ spec: { replicas: 3 } }, undefined],
  [{ spec: { replicas: -1 } }, 'Invalid value: -1: should be a non-negative integer'],
  [
    { spec: '10.0.0.0/8' },
    'Invalid value: 0: .spec.replicas accessor error: 10.0.0.0/8 is of the type string, expected map[string]interface{}',
  ],
  [
    { spec: [] },
    'Invalid value: 0: .spec.replicas accessor error: [] is of the type []interface {}, expected map[string]interface{}',
  ],
  [
    { spec: 1.5 },
    'Invalid value: 0: .spec.replicas accessor error: 1.5 is of the type float64, expected map[string]interface{}',
  ],
])('%j can be scaled, or the error is that of kube-apiserver', (object, message) => {
  expect(validateScalePaths(object, scale)[0]?.message).toBe(message)
})
