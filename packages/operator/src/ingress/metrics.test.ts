import { VirtualClock } from '@portcullis/kube/testing'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import type { Scene } from '../testing/scene.ts'
import { IngressMetrics } from './metrics.ts'

function meter() {
  const registry = new Registry()
  const clock = new VirtualClock()
  const metrics = new IngressMetrics({ registry, clock })
  const keyOf = (edge: Scene) => `openshift-ingress-operator/${edge.name}`
  return {
    clock,
    report: (edge: Scene) => metrics.report(keyOf(edge), edge.controller.status),
    forget: (edge: Scene) => metrics.forget(keyOf(edge)),
    lines: async () =>
      (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#')),
  }
}

const onAws = (name = 'edge') => anIngressController(name).on('AWS').scoped('External').published()

test('Metrics show conditions as numbers, set anew with every status (OCPBUGS-61508)', async () => {
  const { report, lines } = meter()
  const edge = onAws()
  report(edge)
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'portcullis_ingress_controller_condition{name="edge",condition="Available"} 1',
      'portcullis_ingress_controller_condition{name="edge",condition="Degraded"} 0',
    ]),
  )
  edge.later(60).cloudSays('SyncLoadBalancerFailed').settle()
  report(edge)
  expect(await lines()).toContain(
    'portcullis_ingress_controller_condition{name="edge",condition="Available"} 0',
  )
})

test('Metrics count contested fields until they are no longer contested', async () => {
  const registry = new Registry()
  const metrics = new IngressMetrics({ registry, clock: new VirtualClock() })
  const counted = () => registry.getSingleMetricAsString('portcullis_ingress_controller_contested_fields')
  const { status } = onAws().controller
  metrics.report('ns/edge', status, { contested: 2 })
  expect(await counted()).toContain('{name="edge"} 2')
  metrics.report('ns/edge', status)
  expect(await counted()).not.toContain('edge')
  metrics.report('ns/edge', status, { contested: 1 })
  metrics.forget('ns/edge')
  expect(await counted()).not.toContain('edge')
})

test('Metrics show for how long a change has waited for the user', async () => {
  const { report, lines, clock } = meter()
  const edge = onAws().scoped('Internal')
  edge.settle()
  report(edge)
  await clock.advance(90_000)
  expect(await lines()).toContain('portcullis_ingress_controller_pending_change_seconds{name="edge"} 90')
  edge.scoped('External').settle()
  report(edge)
  expect((await lines()).join()).not.toContain('pending_change_seconds{')
})

test('Metrics count load balancers by scope', async () => {
  const { report, lines } = meter()
  report(onAws('one'))
  report(onAws('two'))
  report(anIngressController('three').on('GCP').scoped('Internal').published())
  report(anIngressController('four').on('None').published())
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'portcullis_load_balancers{scope="External"} 2',
      'portcullis_load_balancers{scope="Internal"} 1',
    ]),
  )
})

test('Metrics of a deleted controller are removed (BZ1972977)', async () => {
  const { report, forget, lines } = meter()
  const edge = onAws().scoped('Internal')
  edge.settle()
  report(edge)
  forget(edge)
  expect((await lines()).filter((line) => !line.startsWith('portcullis_load_balancers'))).toEqual([])
  expect(await lines()).toContain('portcullis_load_balancers{scope="Internal"} 0')
})
