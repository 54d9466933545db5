import type { AnyObject } from '@portcullis/schema'
import type { Registry } from './registry.ts'
import type { ResourceTable } from './resource-table.ts'

const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

/** What a new cluster has from the start. */
export function bootstrap(registry: Registry, resources: ResourceTable): void {
  for (const name of namespaces)
    create(registry, resources, 'namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  create(registry, resources, 'services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      clusterIP: '10.96.0.1',
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
      type: 'ClusterIP',
    },
  })
}

function create(registry: Registry, resources: ResourceTable, plural: string, object: AnyObject): void {
  const resource = resources.find({ group: '', version: 'v1', plural })
  if (resource === undefined) throw new Error(`The sandbox does not serve ${plural}`)
  resource.behaviour.defaults?.(object)
  const { namespace } = object.metadata
  registry.create({ resource, namespace, subresource: undefined, dryRun: false, track: () => {} }, object)
}
