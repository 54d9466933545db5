import type { ControllerPlan, ObjectChange, Plan } from '@portcullis/operator'
import { expect, test } from 'vitest'
import { paint } from '../io/colours.ts'
import { exitCodeOf, printedPlan } from './report.ts'

const controllerPlan: ControllerPlan = {
  name: 'edge',
  domain: 'apps.example',
  isBeingDeleted: false,
  addresses: { before: ['192.0.2.1'], after: ['192.0.2.1'], decidedBy: undefined },
  ingresses: { count: 0, hosts: [] },
  interruptions: [],
  waits: undefined,
  problems: [],
}
const change: ObjectChange = {
  sign: '~',
  kind: 'Service',
  namespace: 'openshift-ingress',
  name: 'router-edge',
  controller: 'edge',
  fields: [{ path: 'spec.x', from: 1, to: '\u001b[2J' }],
  disruption: 'none',
  when: 'at once',
}
const aPlan = (some: Partial<ControllerPlan>, changes: readonly ObjectChange[] = [change]): Plan => ({
  changes,
  controllers: [{ ...controllerPlan, ...some }],
  isBehind: false,
})
const text = (plan: Plan, wide = false) => printedPlan(plan).table({ wide, paint: paint(false) })

test('The exit code of a plan is 0 for no changes, 2 for changes, 3 for changes that interrupt traffic', () => {
  expect(exitCodeOf(aPlan({}, []))).toBe(0)
  expect(exitCodeOf(aPlan({}))).toBe(2)
  expect(exitCodeOf(aPlan({ interruptions: ['It stops.'] }))).toBe(3)
})

test('The report shows each object with its sign and each field from old to new, with escaped values', () => {
  const shown = text(aPlan({}))
  expect(shown).toContain('    ~ Service openshift-ingress/router-edge\n')
  expect(shown).toContain(String.raw`spec.x: 1 → "\u001b[2J"`)
  expect(shown).toContain('0 to add, 1 to change, 0 to replace, 0 to remove. Traffic is not interrupted.')
  expect(shown).not.toContain('address ')
})

test('The report of a plan without changes says so', () => {
  expect(text(aPlan({}, []))).toBe('IngressController edge\n  no changes\n\nNo changes.')
})

test('The report shows the effect on address, Ingresses, DNS and traffic, the commands it waits for, and problems', () => {
  const shown = text(
    aPlan(
      {
        addresses: { before: ['192.0.2.1'], after: ['<given by the cloud>'], decidedBy: 'cloud' },
        ingresses: { count: 7, hosts: ['a', 'b', 'c', 'd', 'e', 'f'] },
        interruptions: ['Traffic stops for a while.'],
        waits: { reason: 'ScopeChanged', message: '', command: 'proceed', revert: 'revert' },
        problems: [
          { condition: 'PortsAvailable', reason: 'PortsTaken', message: 'Port 80 is taken: `free it`' },
        ],
      },
      [{ ...change, sign: '-/+', disruption: 'interrupts', when: 'when you agree' }],
    ),
  )
  for (const line of [
    '-/+ Service openshift-ingress/router-edge   interrupts traffic, waits for you',
    'address    192.0.2.1 → <given by the cloud>',
    '7 Ingresses get a new address, which affects 6 DNS names: a, b, c, d, e and 1 more',
    'update the record of *.apps.example',
    'traffic    Traffic stops for a while.',
    'to proceed: proceed',
    'to revert:  revert',
    'PortsAvailable (PortsTaken)',
    '(1)  free it',
    '1 to replace, 0 to remove. Traffic is interrupted when you proceed. 1 problem: see above.',
  ])
    expect(shown).toContain(line)
})

test('The report counts the nodes that the scheduler chooses, instead of naming them', () => {
  const addresses = { before: [], after: ['10.0.0.1', '10.0.0.2'], decidedBy: 'scheduler' } as const
  expect(text(aPlan({ addresses }))).toContain('(none) → 2 nodes chosen by the scheduler')
})

test('The report says that Ingresses get new ports where only ports change, even if the scheduler chooses the nodes', () => {
  const addresses = { before: ['10.0.0.1'], after: ['10.0.0.1'], decidedBy: 'scheduler' } as const
  const shown = text(aPlan({ addresses, ingresses: { count: 1, hosts: [] } }))
  expect(shown).toContain('10.0.0.1 → 1 node chosen by the scheduler')
  expect(shown).toContain('1 Ingress gets new ports')
})

test('A problem is in the summary and in the JSON, also in a plan without changes', () => {
  const problems = [{ condition: 'Admitted', reason: 'Invalid', message: 'No.' }]
  expect(text(aPlan({ problems }, []))).toContain('\n\nNo changes. 1 problem: see above.')
  expect(text(aPlan({ problems: [...problems, ...problems] }))).toContain(' 2 problems: see above.')
  expect(printedPlan(aPlan({ problems })).data).toMatchObject({ hasProblems: true, interrupts: false })
  expect(exitCodeOf(aPlan({ problems }))).toBe(2)
})

test('The report of an IngressController that is being deleted says that the change has no effect', () => {
  expect(text(aPlan({ isBeingDeleted: true }))).toMatch(
    /^IngressController edge\n {2}is being deleted; the change has no effect\n {4}~ Service/,
  )
})

test('The report cuts long values, except with -o wide', () => {
  const fields = [{ path: 'spec.y', from: undefined, to: 'z'.repeat(500) }]
  const plan = aPlan({}, [{ ...change, fields }])
  expect(text(plan)).toContain('… (-o wide shows all)')
  expect(text(plan, true)).toContain('z'.repeat(500))
})

test('The JSON of a plan contains whether it interrupts traffic and has problems', () => {
  expect(printedPlan(aPlan({ interruptions: ['x'] })).data).toMatchObject({
    interrupts: true,
    hasProblems: false,
    changes: [{ sign: '~' }],
  })
  expect(printedPlan(aPlan({})).names).toEqual(['service/router-edge'])
})
