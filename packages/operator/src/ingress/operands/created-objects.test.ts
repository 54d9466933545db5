import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { anIngressController } from '../../testing/a-snapshot.ts'
import type { Scene } from '../../testing/scene.ts'

/** To the last field, so that every change is seen in the file, in a review too. `vitest run -u` writes them anew. */
test.each([
  [
    'by-load-balancer-on-aws',
    () =>
      anIngressController()
        .on('AWS')
        .spec({ replicas: 2, defaultCertificate: { name: 'mine' } })
        .asking({ scope: 'Internal', allowedSourceRanges: ['192.0.2.0/24', '198.51.100.0/24'] }),
  ],
  [
    'by-load-balancer-on-gcp',
    () =>
      anIngressController()
        .on('GCP')
        .spec({ replicas: 4 })
        .asking({ scope: 'Internal', providerParameters: { type: 'GCP', gcp: { clientAccess: 'Global' } } }),
  ],
  [
    'by-host-ports-with-oc',
    () => {
      const edge = anIngressController().on('None')
      edge.settings = { ...edge.settings, commandLine: 'oc' }
      return edge.spec({
        endpointPublishingStrategy: {
          type: 'HostNetwork',
          hostNetwork: { protocol: 'PROXY', httpPort: 8080 },
        },
        nodePlacement: {
          nodeSelector: { matchLabels: { zone: 'a' } },
          tolerations: [{ key: 'edge', operator: 'Exists' }],
        },
      })
    },
  ],
  [
    'by-node-ports-on-one-node',
    () => {
      const edge = anIngressController().on('None')
      edge.isSingleNode = true
      return edge.spec({
        endpointPublishingStrategy: { type: 'NodePortService' },
        namespaceSelector: { matchLabels: { shard: 'a' } },
        httpHeaders: { forwardedHeaderPolicy: 'Never' },
      })
    },
  ],
])(
  'The objects of an IngressController that is published %s match the recorded manifests',
  async (name, scene: () => Scene) => {
    const made = scene()
      .decide()
      .actions.filter((action) => action.do === 'create')
      .map(({ object, kind }) => JSON.parse(JSON.stringify({ kind: kind.kind, ...object })) as object)
    await expect(made.map((object) => stringify(object)).join('---\n')).toMatchFileSnapshot(
      `created-objects/${name}.yaml`,
    )
  },
)
