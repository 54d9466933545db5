import { createMetrics, systemClock } from '@portcullis/kube'
import { operatorMetrics } from '@portcullis/operator/internal/operator.ts'

/** The reference page of all metrics, made from the code that defines them. */
export async function metricsPage(): Promise<string> {
  const { registry } = createMetrics('portcullis')
  operatorMetrics(registry, systemClock)
  const metrics = await registry.getMetricsAsJSON()
  const labels = new Map(registry.getMetricsAsArray().map((metric) => [metric.name, labelsOf(metric)]))
  const rows = metrics.map(
    ({ name, type, help }) => `| \`${name}\` | ${type} | ${labels.get(name) ?? ''} | ${help} |`,
  )
  return [
    '# Metrics',
    '',
    'Served at `/metrics` in the Prometheus text format. This page is generated: `npm run generate`.',
    '',
    '| name | type | labels | meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

/** The library has them, though not in its types. */
function labelsOf(metric: object): string {
  const { labelNames = [] } = metric as { readonly labelNames?: readonly string[] }
  return labelNames.map((name) => `\`${name}\``).join(', ')
}
