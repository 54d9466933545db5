import { systemClock } from '../src/kube/clock.ts'
import { createMetrics } from '../src/kube/metrics.ts'
import { operatorMetrics } from '../src/operator.ts'

/** The reference page of all metrics, made from the code that defines them. */
export async function metricsPage(): Promise<string> {
  const { registry } = createMetrics()
  operatorMetrics(registry, systemClock)
  const metrics = await registry.getMetricsAsJSON()
  const rows = metrics.map(({ name, type, help }) => `| \`${name}\` | ${type} | ${help} |`)
  return [
    '# Metrics',
    '',
    'Served at `/metrics` in the Prometheus text format. This page is generated: `npm run generate`.',
    '',
    '| name | type | meaning |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
