import { describe, expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import { earliest, report } from './build-status.ts'
import { type ConditionDraft, conditionDraft } from './conditions/condition-draft.ts'
import type { Status } from './decision.ts'

const lastTransitionTime = '2029-01-01T00:00:00Z'
const said = ['LoadBalancerReady', 'PortsAvailable', 'UnownedCondition'] as const
const ofRouters = [
  'DeploymentAvailable',
  'DeploymentReplicasMinAvailable',
  'DeploymentReplicasAllAvailable',
  'DeploymentRollingOut',
] as const
const before: Status = {
  conditions: [...said, ...ofRouters].map((type) => ({ type, status: 'True', lastTransitionTime })),
}

/** The status that is reported for a controller that had another one before. */
function reported(old: Status, drafts: readonly ConditionDraft[], status?: Status) {
  const snapshot = anIngressController().snapshot()
  const controller = { ...snapshot.controller, status: old }
  return report(
    { ...snapshot, controller },
    { actions: [], drafts, addresses: [], ...(status && { status }) },
  ).status
}

describe('previous conditions', () => {
  const kept = (...drafts: readonly ConditionDraft[]) => {
    const types = reported(before, drafts)?.conditions?.map(({ type }) => type) ?? []
    return [...said, ...ofRouters].filter((type) => types.includes(type))
  }
  const managed = conditionDraft(
    'LoadBalancerManaged',
    'False',
    'EndpointPublishingStrategyExcludesManagedLoadBalancer',
    '',
  )

  test('Previous conditions are removed if they describe routers that are gone', () => {
    expect(kept()).toEqual(said)
  })

  test('Previous conditions are removed if they describe another strategy, once the current one is reported', () => {
    expect(kept(managed)).toEqual(['UnownedCondition'])
  })

  test.each([...said, ...ofRouters])(
    'A previous condition %s keeps its transition time if it is reported again',
    (type) => {
      const again = conditionDraft(type, 'True', 'DeploymentAvailable', '')
      expect(reported(before, [managed, again])?.conditions).toContainEqual({ ...again, lastTransitionTime })
    },
  )
})

describe('selectors in the status', () => {
  const selectors = {
    namespaceSelector: { matchLabels: { shard: 'a' } },
    routeSelector: { matchLabels: { edge: 'yes' } },
  }
  const old: Status = { ...selectors, domain: 'old.example.com', selector: 'a=b' }

  test('Selectors stay in the status as long as it is reported as it was', () => {
    expect(reported(old, [])).toMatchObject(old)
  })

  test('Selectors are removed from the status once the spec requests none, and all other fields stay', () => {
    const status = reported(old, [], { domain: 'new.example.com' })
    expect(status).toMatchObject({ domain: 'new.example.com', selector: 'a=b' })
    for (const field of Object.keys(selectors)) expect(status).not.toHaveProperty(field)
  })
})

test('The earlier of two requeue times counts, and one that is not set is ignored', () => {
  const [early, late] = [new Date('2030-01-01T00:00:00Z'), new Date('2030-01-01T00:00:01Z')]
  expect(earliest(early, late)).toEqual(early)
  expect(earliest(late, early)).toEqual(early)
  expect([earliest(early, undefined), earliest(undefined, late)]).toEqual([early, late])
  expect(earliest(undefined, undefined)).toBeUndefined()
})
