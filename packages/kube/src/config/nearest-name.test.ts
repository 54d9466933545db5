import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { nearestName } from './nearest-name.ts'

it.each([
  { wanted: 'prd', names: ['dev', 'prod', 'staging'], meant: 'prod' },
  { wanted: 'PROD', names: ['dev', 'prod'], meant: 'prod' },
  { wanted: 'prod-eats', names: ['prod-west', 'prod-east'], meant: 'prod-east' },
  { wanted: 'prod-eats', names: ['prod-east', 'prod-west'], meant: 'prod-east' },
  { wanted: 'prod-x', names: ['prod-a', 'prod-b'], meant: 'prod-a' },
  { wanted: 'xprod', names: ['prod'], meant: 'prod' },
  { wanted: 'prodx', names: ['prod'], meant: 'prod' },
  { wanted: 'dxx', names: ['dev'], meant: undefined },
  { wanted: 'eastxx', names: ['eastern', 'easter', 'eastuv'], meant: 'easter' },
  { wanted: 'eastxx', names: ['westyy'], meant: undefined },
  { wanted: 'staging', names: ['dev', 'prod'], meant: undefined },
  { wanted: 'x', names: ['staging'], meant: undefined },
  { wanted: 'prod', names: ['d'], meant: undefined },
  { wanted: 'x', names: [], meant: undefined },
])('The nearest name is $meant for $wanted among $names', ({ wanted, names, meant }) => {
  expect(nearestName(wanted, names)).toBe(meant)
})

it('The nearest name is found after any single slip', () => {
  const slip = fc
    .string({ minLength: 4 })
    .chain((name) =>
      fc.nat(name.length - 1).map((at) => ({ name, slipped: name.slice(0, at) + name.slice(at + 1) })),
    )
  fc.assert(fc.property(slip, ({ name, slipped }) => nearestName(slipped, [name]) === name))
})
