import { expect, test } from 'vitest'
import { clusterFlags } from './cluster-options.ts'

test('The cluster options of a command are repeated, quoted for a shell, in the commands that it prints', () => {
  const options = { kubeconfig: '/home/ada/my clusters', context: 'prod', namespace: 'edge' }
  expect(clusterFlags(options)).toBe(" --kubeconfig '/home/ada/my clusters' --context prod -n edge")
  expect(clusterFlags({ namespace: 'openshift-ingress-operator' })).toBe('')
})
