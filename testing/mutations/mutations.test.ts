import { Deployment } from '@portcullis/kube'
import type { decide } from '@portcullis/operator/internal/ingress/decide.ts'
import { update } from '@portcullis/operator/internal/ingress/decision.ts'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { seeded } from '../faults/simulation/random.ts'
import { campaign, changesAlone, type Planned, play, replayArguments } from './campaign.ts'
import { ChangeRun } from './change-run.ts'
import type { ChangeKind } from './changes.ts'
import { namesTheField } from './checks.ts'
import { fieldAt } from './controller-fields.ts'
import { type Field, fieldsOf, pathText } from './fields.ts'
import type { JsonObject } from './values.ts'

type Decide = typeof decide

/** What is wrong with the operator, while a test wants something to be. */
const sabotage = vi.hoisted(() => ({ of: undefined as ((honest: Decide) => Decide) | undefined }))

vi.mock('@portcullis/operator/internal/ingress/decide.ts', async (original) => {
  const { decide: honest } = await original<{ decide: Decide }>()
  return { decide: (snapshot: Parameters<Decide>[0]) => (sabotage.of?.(honest) ?? honest)(snapshot) }
})

afterEach(() => {
  sabotage.of = undefined
})

describe('The campaign of field changes', { timeout: 60_000 }, () => {
  test('A sequence plays the same twice', async () => {
    const once = await play({ sequence: 2 }, 5)
    expect(once[0]?.steps.length).toBeGreaterThan(1)
    expect(await play({ sequence: 2 }, 5)).toEqual(once)
  })

  test.each([0, 1, 2])(
    'Sequence %i is compared with a fresh cluster after its last change',
    async (sequence) => {
      const [played] = await play({ sequence }, 5)
      expect(played?.steps.slice(-2)).toEqual([
        'comparison with a fresh cluster → done',
        'back to the beginning → done',
      ])
    },
  )

  test('A sample of the campaign passes', async () => {
    for (const planned of [...campaign(4, 2000)].slice(0, 10)) {
      for (const { broken } of await play(planned, 4)) expect(broken, replayArguments(planned, 4)).toEqual([])
    }
  })
})

describe('Single changes', { timeout: 60_000 }, () => {
  const stepsOf = async (field: string, change: ChangeKind) => {
    const [planned] = [...changesAlone(field, change)]
    const played = await play(planned as Planned, 1)
    return played.map(({ fate, steps }) => [fate, ...steps])
  }
  const back = 'back to the beginning → done'

  test('A change of a value begins with another value', async () => {
    const path = 'spec.endpointPublishingStrategy.nodePort.protocol'
    // It begins with the empty text, which is allowed too.
    expect(await stepsOf(`IngressController ${path}`, 'change')).toEqual([
      ['done', `IngressController change: ${path} = "TCP" → done`, back],
      ['done', `IngressController change: ${path} = "PROXY" → done`, back],
    ])
  })

  test.each(['spec.routeSelector.matchLabels', 'status.namespaceSelector'])(
    'A removal of %s begins with a value',
    async (path) => {
      expect(await stepsOf(`IngressController ${path}`, 'remove')).toEqual([
        ['done', `IngressController remove: ${path} = absent → done`, back],
      ])
    },
  )

  test.each(['spec.domain', 'spec.defaultCertificate.name', 'status.conditions[].type'])(
    'An addition of %s begins without a value',
    async (path) => {
      const [[fate] = []] = await stepsOf(`IngressController ${path}`, 'add')
      expect(fate).toBe('done')
    },
  )

  test('A change that changes nothing is an error of the campaign', async () => {
    const field = fieldAt('status.conditions[].lastTransitionTime')
    await expect(play({ alone: { kind: 'IngressController', field, change: 'change' } }, 1)).rejects.toThrow(
      'Nothing was changed',
    )
  })
})

describe('Intended differences from a fresh cluster', { timeout: 60_000 }, () => {
  const infrastructure = { spec: {}, status: { platformStatus: { type: 'AWS' } } }
  const valid = { kind: 'change', verdict: 'valid' } as const

  test('Node ports stay where only the status names another strategy', async () => {
    const spec = { domain: 'apps.example.com', endpointPublishingStrategy: { type: 'NodePortService' } }
    const started = await ChangeRun.with({ platform: 'AWS', spec, consents: false, infrastructure })
    const strategy = fieldAt('spec.endpointPublishingStrategy')
    const removal = { field: strategy, kind: 'remove', verdict: 'valid', value: undefined } as const
    const written = {
      ...valid,
      field: fieldAt('status.endpointPublishingStrategy'),
      value: { type: 'HostNetwork' },
    }
    const outcomes = [
      await started.change('IngressController', removal, seeded(1)),
      await started.change('IngressController', written, seeded(1)),
    ]
    started.end()
    expect(outcomes.map(({ fate, broken }) => [fate, ...broken])).toEqual([['done'], ['done']])
  })

  test('A load balancer stays where Infrastructure names another platform than when it was made', async () => {
    const providerParameters = { type: 'AWS', aws: { type: 'NLB' } }
    const loadBalancer = { scope: 'Internal', dnsManagementPolicy: 'Managed', providerParameters }
    const endpointPublishingStrategy = { type: 'LoadBalancerService', loadBalancer }
    const spec = { domain: 'apps.example.com', endpointPublishingStrategy }
    const started = await ChangeRun.with({ platform: 'AWS', spec, consents: false, infrastructure })
    const path = 'status.platformStatus.type'
    const field = fieldsOf('Infrastructure').find((one) => pathText(one.path) === path) as Field
    const outcome = await started.change('Infrastructure', { ...valid, field, value: 'GCP' }, seeded(1))
    started.end()
    expect([outcome.fate, ...outcome.broken]).toEqual(['done'])
  })
})

describe('Refusals', () => {
  const invalid = { verdict: 'invalid' } as const
  const port = ['endpointPublishingStrategy', 'hostNetwork', 'httpPort']
  const type = ['endpointPublishingStrategy', 'type']
  const range = ['endpointPublishingStrategy', 'loadBalancer', 'allowedSourceRanges', '0']
  const label = ['routeSelector', 'matchLabels', 'shard']

  test.each([
    ['the field', port, 'spec.endpointPublishingStrategy.hostNetwork.httpPort: Invalid value: 0'],
    [
      'what it is in, and its name',
      port,
      'spec.endpointPublishingStrategy.hostNetwork: httpPort must differ',
    ],
    ['something in it', type.slice(0, 1), 'spec.endpointPublishingStrategy.type: Unsupported value: "x"'],
    ['an item', range, 'spec.endpointPublishingStrategy.loadBalancer.allowedSourceRanges[0]: Invalid value'],
    ['its list', range, 'spec.endpointPublishingStrategy.loadBalancer.allowedSourceRanges: Too many: 4097'],
    ['a key of a map', label, 'spec.routeSelector.matchLabels[shard]: must be at most 63 characters'],
  ])('A refusal may name %s', (_, place, refusal) => {
    expect(namesTheField(invalid, 'spec', place, refusal)).toEqual([])
  })

  test.each([
    ['a field beside it', port, 'spec.endpointPublishingStrategy.hostNetwork.httpsPort: Invalid value: 0'],
    ['a field of the same name elsewhere', type, 'spec.endpointPublishingStrategy.loadBalancer.type: wrong'],
    ['the whole spec, and the name of the field', type, 'spec: type is wrong'],
    ['nothing but the whole spec', range, 'spec is wrong'],
    ['another item', range, 'spec.endpointPublishingStrategy.loadBalancer.allowedSourceRanges[1]: wrong'],
    ['another key', label, 'spec.routeSelector.matchLabels[tier]: wrong'],
  ])('A refusal that names %s instead is an error', (_, place, refusal) => {
    expect(namesTheField(invalid, 'spec', place, refusal)).toHaveLength(1)
  })

  test('A refusal may name another field only where each of the two is valid', () => {
    const refusal =
      'spec.endpointPublishingStrategy.hostNetwork.statsPort is 80 too: choose three different ports'
    expect(namesTheField({ verdict: 'valid' }, 'spec', port, refusal)).toEqual([])
    expect(namesTheField(invalid, 'spec', port, refusal)).toHaveLength(1)
  })
})

describe('The checks of the campaign', { timeout: 60_000 }, () => {
  /** Makes one change of one field, where everything but the decision is as it should be. */
  async function changed(path: string, kind: ChangeKind, value: unknown, spec: JsonObject = {}) {
    const started = await ChangeRun.with({
      platform: 'AWS',
      spec: {
        domain: 'apps.example.com',
        replicas: 1,
        endpointPublishingStrategy: { type: 'Private' },
        ...spec,
      },
      consents: false,
      infrastructure: undefined,
    })
    const verdict = kind === 'malformed' ? 'invalid' : 'valid'
    const outcome = await started.change(
      'IngressController',
      { field: fieldAt(path), kind, verdict, value },
      seeded(1),
    )
    started.end()
    return outcome.broken.join('\n')
  }

  const strategy = 'spec.endpointPublishingStrategy'
  const onNodePorts = { endpointPublishingStrategy: { type: 'NodePortService' } }
  const near = { key: 'shard', operator: 'Near' }

  test('The checks pass where nothing is wrong', async () => {
    expect(await changed(strategy, 'change', { type: 'Private' }, onNodePorts)).toBe('')
    expect(await changed('spec.routeSelector.matchExpressions[]', 'malformed', near)).toBe('')
  })

  test('The checks detect an operand that is left over', async () => {
    sabotage.of = (honest) => (snapshot) => {
      const decision = honest(snapshot)
      return { ...decision, actions: decision.actions.filter((action) => action.do !== 'delete') }
    }
    expect(await changed(strategy, 'change', { type: 'Private' }, onNodePorts)).toMatch(
      /there is services .*router-nodeport-edge, and should not be/,
    )
  })

  test('The checks detect an operand that is left over in the comparison after the last step', async () => {
    sabotage.of = (honest) => (snapshot) => {
      const decision = honest(snapshot)
      return { ...decision, actions: decision.actions.filter((action) => action.do !== 'delete') }
    }
    const spec = { domain: 'apps.example.com', replicas: 1, ...onNodePorts }
    const started = await ChangeRun.with({
      platform: 'AWS',
      spec,
      consents: false,
      infrastructure: undefined,
    })
    const change = {
      field: fieldAt(strategy),
      kind: 'change',
      verdict: 'valid',
      value: { type: 'Private' },
    } as const
    expect((await started.change('IngressController', change, seeded(1), false)).broken).toEqual([])
    const { broken } = await started.compare()
    started.end()
    expect(broken.join()).toMatch(/there is services .*router-nodeport-edge, and should not be/)
  })

  test('The checks detect an operator that never stops writing', async () => {
    const everyMs = 10_000
    sabotage.of = (honest) => (snapshot) => {
      const decision = honest(snapshot)
      const turn = Math.floor(snapshot.now.getTime() / everyMs)
      const requeueAt = new Date((turn + 1) * everyMs)
      return { ...decision, status: { ...decision.status, selector: `turn ${turn}` }, requeueAt }
    }
    expect(await changed('spec.replicas', 'change', 2)).toContain('and nobody does anything')
  })

  test('The checks detect an operator that gives up', async () => {
    sabotage.of = (honest) => (snapshot) => {
      if (snapshot.controller.spec?.replicas === 2) throw new Error('Two are too many')
      return honest(snapshot)
    }
    expect(await changed('spec.replicas', 'change', 2)).toContain('the status speaks of generation 1')
  })

  test('The checks detect an invalid value that is accepted', async () => {
    sabotage.of = (honest) => (snapshot) =>
      honest({
        ...snapshot,
        controller: { ...snapshot.controller, spec: { ...snapshot.controller.spec, routeSelector: {} } },
      })
    expect(await changed('spec.routeSelector.matchExpressions[]', 'malformed', near)).toContain(
      'it is wrong, and was taken',
    )
  })

  test('The checks detect a valid value that is refused', async () => {
    sabotage.of = (honest) => (snapshot) =>
      withRefusal(honest(snapshot), snapshot.controller.spec?.replicas === 2)
    expect(await changed('spec.replicas', 'change', 2)).toMatch(
      /it is right, and was refused[^]*does not name spec\.replicas/,
    )
  })

  test('The checks detect an action for a refused spec', async () => {
    sabotage.of = (honest) => (snapshot) => {
      const { deployment } = snapshot.operands
      const isRefused = snapshot.controller.spec?.routeSelector?.matchExpressions !== undefined
      const decision = honest(snapshot)
      if (!isRefused || deployment === undefined || deployment.metadata.labels?.['a'] === 'b') return decision
      const rash = update(Deployment, deployment, { metadata: { labels: { a: 'b' } } })
      return { ...decision, actions: [rash] }
    }
    expect(await changed('spec.routeSelector.matchExpressions[]', 'malformed', near)).toMatch(
      /it was refused, and apps\/deployments .* was written/,
    )
  })

  test('The checks detect an admitted spec that cannot be carried out', async () => {
    sabotage.of = (honest) => (snapshot) => {
      const { deployment } = snapshot.operands
      const decision = honest(snapshot)
      if (snapshot.controller.spec?.replicas !== 2 || deployment === undefined) return decision
      return { ...decision, actions: [update(Deployment, deployment, { spec: { replicas: -1 } })] }
    }
    expect(await changed('spec.replicas', 'change', 2)).toContain(
      'it was admitted, and cannot be done: PATCH',
    )
  })

  function withRefusal(decision: ReturnType<Decide>, isRefused: boolean): ReturnType<Decide> {
    if (!isRefused) return decision
    const conditions = (decision.status?.conditions ?? []).map((condition) =>
      condition.type === 'Admitted' ? { ...condition, status: 'False' as const, message: 'No.' } : condition,
    )
    return { ...decision, actions: [], status: { ...decision.status, conditions } }
  }
})
