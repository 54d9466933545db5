import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'

describe('source ranges', () => {
  const ranges = ['198.51.100.0/24']

  test('of the spec are on a new Service and come to a live one', () => {
    const fresh = anIngressController().on('AWS').asking({ scope: 'External', allowedSourceRanges: ranges })
    fresh.settle()
    expect(fresh.service.spec.loadBalancerSourceRanges).toEqual(ranges)
    const live = anIngressController().on('AWS').scoped('External').published()
    live.asking({ allowedSourceRanges: ranges }).settle()
    expect(live.service.spec.loadBalancerSourceRanges).toEqual(ranges)
  })

  test.each([null, []])('cleared by %o in the spec: what we set goes', (cleared) => {
    const edge = anIngressController()
      .on('AWS')
      .asking({ scope: 'External', allowedSourceRanges: ranges })
      .published()
    edge.asking({ allowedSourceRanges: cleared }).settle()
    expect(edge.service.spec).not.toHaveProperty('loadBalancerSourceRanges')
    expect(edge.condition('Progressing').status).toBe('False')
  })

  test('that the user set on the Service stay when there are none in the spec (BZ1906560)', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.edit('Service', { spec: { loadBalancerSourceRanges: ranges } }).settle()
    expect(edge.service.spec.loadBalancerSourceRanges).toEqual(ranges)
    expect(edge.condition('Progressing').status).toBe('False')
  })

  test('that the user set are on the Service that takes its place, and are still theirs', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.edit('Service', { spec: { loadBalancerSourceRanges: ranges } }).settle()
    edge.remove('Service').cloudRemoves().settle()
    expect(edge.service.spec.loadBalancerSourceRanges).toEqual(ranges)
    edge.remove('Service').settle()
    expect(edge.service.spec.loadBalancerSourceRanges).toEqual(ranges)
  })

  test('that the user takes off the Service are not put back', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.edit('Service', { spec: { loadBalancerSourceRanges: ranges } }).settle()
    edge.edit('Service', { spec: { loadBalancerSourceRanges: null } }).settle()
    expect(edge.service.spec).not.toHaveProperty('loadBalancerSourceRanges')
    edge.remove('Service').cloudRemoves().settle()
    expect(edge.service.spec).not.toHaveProperty('loadBalancerSourceRanges')
  })

  test('of the spec are not remembered as if a user had set them', () => {
    const edge = anIngressController()
      .on('AWS')
      .asking({ scope: 'External', allowedSourceRanges: ranges })
      .published()
    edge.asking({ allowedSourceRanges: null }).settle()
    edge.remove('Service').cloudRemoves().settle()
    expect(edge.service.spec).not.toHaveProperty('loadBalancerSourceRanges')
  })
})
