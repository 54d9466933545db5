import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'

describe('source ranges', () => {
  const ranges = ['198.51.100.0/24']

  test('Source ranges of the spec are set on a new Service and on an existing one', () => {
    const fresh = anIngressController().on('AWS').asking({ scope: 'External', allowedSourceRanges: ranges })
    fresh.settle()
    expect(fresh.service.spec.loadBalancerSourceRanges).toEqual(ranges)
    const live = anIngressController().on('AWS').scoped('External').published()
    live.asking({ allowedSourceRanges: ranges }).settle()
    expect(live.service.spec.loadBalancerSourceRanges).toEqual(ranges)
  })

  test.each([null, []])(
    'Source ranges that the operator set are removed when the spec sets them to %o',
    (cleared) => {
      const edge = anIngressController()
        .on('AWS')
        .asking({ scope: 'External', allowedSourceRanges: ranges })
        .published()
      edge.asking({ allowedSourceRanges: cleared }).settle()
      expect(edge.service.spec).not.toHaveProperty('loadBalancerSourceRanges')
      expect(edge.condition('Progressing').status).toBe('False')
    },
  )

  test('Source ranges that the user set on the Service stay if the spec sets none (BZ1906560)', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.edit('Service', { spec: { loadBalancerSourceRanges: ranges } }).settle()
    expect(edge.service.spec.loadBalancerSourceRanges).toEqual(ranges)
    expect(edge.condition('Progressing').status).toBe('False')
  })

  test('Source ranges that the user set are carried over to a replacement Service, and still count as set by the user', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.edit('Service', { spec: { loadBalancerSourceRanges: ranges } }).settle()
    edge.remove('Service').cloudRemoves().settle()
    expect(edge.service.spec.loadBalancerSourceRanges).toEqual(ranges)
    edge.remove('Service').settle()
    expect(edge.service.spec.loadBalancerSourceRanges).toEqual(ranges)
  })

  test('Source ranges that the user removes from the Service are not restored', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.edit('Service', { spec: { loadBalancerSourceRanges: ranges } }).settle()
    edge.edit('Service', { spec: { loadBalancerSourceRanges: null } }).settle()
    expect(edge.service.spec).not.toHaveProperty('loadBalancerSourceRanges')
    edge.remove('Service').cloudRemoves().settle()
    expect(edge.service.spec).not.toHaveProperty('loadBalancerSourceRanges')
  })

  test('Source ranges of the spec do not count as set by the user', () => {
    const edge = anIngressController()
      .on('AWS')
      .asking({ scope: 'External', allowedSourceRanges: ranges })
      .published()
    edge.asking({ allowedSourceRanges: null }).settle()
    edge.remove('Service').cloudRemoves().settle()
    expect(edge.service.spec).not.toHaveProperty('loadBalancerSourceRanges')
  })
})
