import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDirectory } from '../cache.ts'
import { type Build, build, builtOnce } from '../go-build.ts'
import type { Log } from '../log.ts'

/** The user as which the program on each node asks the API server. */
export const networkPolicyUser = 'network-policy'

/** The program that enforces the NetworkPolicies of a node's pods; half a minute the first time, nothing afterwards. */
export async function networkPolicyProgram(log: Log, signal: AbortSignal | undefined): Promise<string> {
  const module = fileURLToPath(new URL('../go/network-policy', import.meta.url))
  const source: Build = { module, ldflags: '-s -w', packages: '.' }
  const place = { cache: cacheDirectory(process.env), name: 'network-policy', builds: [source] }
  const directory = await builtOnce(place, (into) =>
    build(source, 'the program that enforces NetworkPolicies', into, log, signal),
  )
  return join(directory, 'network-policy')
}

/** What that program may: read what it needs, and nothing else. */
export function networkPolicyAccess(): readonly object[] {
  const name = networkPolicyUser
  const verbs = ['list', 'watch']
  return [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name },
      rules: [
        { apiGroups: [''], resources: ['pods', 'namespaces'], verbs },
        { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
    },
  ]
}
