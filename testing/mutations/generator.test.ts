import { describe, expect, test } from 'vitest'
import { seeded } from '../faults/simulation/random.ts'
import { campaign, changesAlone, replayArguments } from './campaign.ts'
import { changeKinds, changesOf } from './changes.ts'
import { fieldAt } from './controller-fields.ts'
import { type Field, fieldsOf, pathText } from './fields.ts'
import { hugeCollection, samplesOf } from './samples.ts'
import { makeRoomFor } from './values.ts'

describe('The generator of changes', () => {
  test.each(['IngressController', 'Infrastructure'] as const)(
    'The generator has valid and invalid values for every field of %s',
    (kind) => {
      for (const field of fieldsOf(kind)) {
        const kinds = changeKinds.filter((change) => changesOf(field, change, seeded(1)).length > 0)
        expect(kinds, pathText(field.path)).toEqual(
          expect.arrayContaining(['add', 'remove', 'wrong type', 'null']),
        )
      }
    },
  )

  test('The generator needs samples for text that the schema does not restrict', () => {
    const field = { path: ['spec', 'motto'], schema: { type: 'string' as const }, isRequired: false }
    expect(() => samplesOf(field)).toThrow(/what may be written into spec\.motto.*add samples/)
  })

  test('The generator goes one past every boundary of the schema', () => {
    const past = (path: string) =>
      changesOf(fieldAt(path), 'past the boundary', seeded(1)).map(({ value }) => value)
    expect(past('spec.endpointPublishingStrategy.hostNetwork.httpPort')).toEqual(
      expect.arrayContaining([0, 65_536]),
    )
    expect(past('spec.replicas')).toEqual(expect.arrayContaining([-1, 2 ** 31]))
    expect((past('spec.domain')[0] as string).length).toBe(245)
  })

  test('The generator makes huge lists and maps where the schema sets no bound', () => {
    const hugeOf = (path: string) =>
      changesOf(fieldAt(path), 'huge', seeded(1)).map(({ verdict, value }) => [
        verdict,
        Object.keys(value as object).length,
      ])
    for (const path of [
      'spec.routeSelector.matchLabels',
      'spec.nodePlacement.nodeSelector.matchExpressions',
      'spec.nodePlacement.tolerations',
      'status.conditions',
    ])
      expect(hugeOf(path), path).toEqual([['valid', 200]])
    expect(hugeOf('spec.endpointPublishingStrategy.loadBalancer.allowedSourceRanges')).toEqual([])
  })

  test('The generator needs entries for lists that the schema does not bound', () => {
    const schema = { type: 'array' as const, items: { type: 'string' as const } }
    const field = { path: ['spec', 'mottos'], schema, isRequired: false }
    expect(() => hugeCollection(field)).toThrow(/what may be written into spec\.mottos.*add entries/)
  })

  test('The generator changes one value to another, and has no change where there is one value only', () => {
    const values = (path: string) => changesOf(fieldAt(path), 'change', seeded(1)).map(({ value }) => value)
    expect(values('spec.replicas')).toEqual([0, 1, 2, 3])
    expect(
      new Set(values('spec.endpointPublishingStrategy.hostNetwork').map((one) => JSON.stringify(one))).size,
    ).toBe(2)
    expect(values('status.conditions[].lastTransitionTime')).toEqual([])
  })

  test('The generator does not modify the samples', () => {
    const [subnets, ids] = ['subnets', 'subnets.ids[]'].map((name) =>
      fieldAt(
        `spec.endpointPublishingStrategy.loadBalancer.providerParameters.aws.classicLoadBalancer.${name}`,
      ),
    ) as [Field, Field]
    const before = structuredClone(samplesOf(subnets))
    const random = seeded(1)
    for (let count = 0; count < 20; count++) makeRoomFor({}, ids, fieldAt('spec'), random)
    expect(samplesOf(subnets)).toEqual(before)
  })

  test('The generator plans the same for the same seed, and differently for another', () => {
    const plans = (seed: number) =>
      [...campaign(seed, 100)].slice(0, 40).map((plan) => replayArguments(plan, 1))
    expect(plans(1)).toEqual(plans(1))
    expect(plans(1)).not.toEqual(plans(2))
  })

  test('The generator plans every change of every field once for any seed, and the requested number of sequences', () => {
    const everyField = [...changesAlone()].map((plan) => replayArguments(plan, 1)).toSorted()
    expect(everyField.length).toBeGreaterThan(1500)
    for (const seed of [1, 2]) {
      const plans = [...campaign(seed, 70)]
      const alone = plans.filter((plan) => 'alone' in plan).map((plan) => replayArguments(plan, 1))
      const sequences = plans.flatMap((plan) => ('sequence' in plan ? [plan.sequence] : []))
      expect(alone.toSorted()).toEqual(everyField)
      expect(sequences).toEqual(Array.from({ length: 70 }, (_, at) => at))
    }
  })
})
