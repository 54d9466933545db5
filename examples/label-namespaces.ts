// A whole operator: gives every Namespace without an owner to the platform team.
//
//     KUBECONFIG=… npx tsx examples/label-namespaces.ts

import { enqueueFrom, keyOfObject, Namespace, runOperator } from '@portcullis/kube'
import { pino } from 'pino'

await runOperator({
  name: 'label-namespaces',
  version: '1.0.0',
  lease: { namespace: 'default', name: 'label-namespaces' },
  health: { host: '127.0.0.1', port: Number(process.env['HEALTH_PORT'] ?? 8080) },
  process,
  log: pino(),
  assemble(manager) {
    const namespaces = manager.watch(Namespace)
    manager.reconcile({
      name: 'label-namespaces',
      kind: Namespace,
      sources: [enqueueFrom(namespaces, keyOfObject)],
      async reconcile(key, { client, events, signal }) {
        const namespace = namespaces.get(key)
        if (namespace === undefined || namespace.metadata.labels?.['owner'] !== undefined) return
        const body = { metadata: { labels: { owner: 'platform' } } }
        await client.patch(Namespace, namespace.metadata, { type: 'merge', body }, { signal })
        const note = 'It had no owner, so it now belongs to the platform team'
        events.record(namespace, { type: 'Normal', reason: 'Labelled', action: 'Label', note })
      },
    })
  },
})
