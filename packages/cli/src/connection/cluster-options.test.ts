import { expect, test } from 'vitest'
import { clusterFlags } from './cluster-options.ts'

test('what was said of the cluster is said again, in words that a shell takes as they are', () => {
  const said = { kubeconfig: '/home/ada/my clusters', context: 'prod', namespace: 'edge' }
  expect(clusterFlags(said)).toBe(" --kubeconfig '/home/ada/my clusters' --context prod -n edge")
  expect(clusterFlags({ namespace: 'openshift-ingress-operator' })).toBe('')
})
