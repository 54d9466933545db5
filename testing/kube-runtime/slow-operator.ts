// An operator whose reconciles take their time, to see what becomes of them when it is stopped: copies each
// ConfigMap `in-*` to `out-*` after SLOW_MS.
import { setTimeout as pause } from 'node:timers/promises'
import { ConfigMap, enqueueFrom, keyOfObject, runOperator } from '@portcullis/kube'
import { pino } from 'pino'

const { NAMESPACE: namespace = '', SLOW_MS: slowMs = '0', HEALTH_PORT: port = '0' } = process.env

await runOperator({
  name: 'slow-operator',
  version: '1.0.0',
  lease: {
    namespace,
    name: 'slow',
    timing: { leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 400 },
  },
  health: { host: '127.0.0.1', port: Number(port) },
  process,
  log: pino(),
  assemble(manager) {
    const maps = manager.watch(ConfigMap, { selection: { namespace } })
    manager.reconcile({
      name: 'copy',
      kind: ConfigMap,
      sources: [
        enqueueFrom(maps, ({ metadata }) =>
          metadata.name.startsWith('in-') ? keyOfObject({ metadata }) : undefined,
        ),
      ],
      async reconcile(key, { client, log, signal }) {
        const map = maps.get(key)
        if (map === undefined) return
        if (map.data?.['fail'] !== undefined) throw new Error(map.data['fail'])
        log.info({}, 'copying')
        await pause(Number(slowMs), undefined, { signal })
        const name = map.metadata.name.replace('in-', 'out-')
        await client.create(ConfigMap, { metadata: { namespace, name } }, { signal })
      },
    })
  },
})
