import type { Deployment as AppsDeployment } from 'kubernetes-types/apps/v1'
import type { PodSpec } from 'kubernetes-types/core/v1'

/** Three replicas of a container with a named port, unless the test says otherwise. */
export function webDeployment(
  namespace: string,
  spec: Partial<AppsDeployment['spec']> = {},
  pod: Partial<PodSpec> = {},
) {
  return {
    metadata: { namespace, name: 'web' },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [{ name: 'c', image: 'web:1', ports: [{ name: 'http', containerPort: 8080 }] }],
          ...pod,
        },
      },
      ...spec,
    },
  }
}
