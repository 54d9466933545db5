import { routerName } from '@portcullis/operator'
import { describe, expect, it } from 'vitest'
import {
  type Baseline,
  baselineOf,
  everySingleFault,
  type Planned,
  planOf,
  severalFaults,
  shuffled,
} from './campaign.ts'
import { faultText, parseFault } from './faults.ts'
import { baselineSteps, playHistory } from './history.ts'
import { Invariants } from './invariants.ts'
import { operandNamespace, operatorNamespace, type WriteMode } from './simulation/api.ts'
import { Simulation } from './simulation/simulation.ts'
import { stories } from './stories/stories.ts'
import type { Story } from './stories/story.ts'
import { User } from './user.ts'

const storyNamed = (name: string): Story => {
  const [found, ...others] = stories.filter((story) => story.name.includes(name))
  if (found === undefined || others.length > 0)
    throw new Error(`${name} is the name of no story, or of several`)
  return found
}

const someStories = [
  'AWS: scope changes with auto-delete',
  'Azure: edits of the Service stay through a scope change',
  'GCP: client access',
  'from NodePortService to LoadBalancerService',
  'LoadBalancerService: the beginning and the end of a controller',
  'addresses: Ingresses follow the load balancer through its replacement',
].map(storyNamed)

/** Quick writes keep a shorter account of managed fields. */
const withoutOwners = (state: string) => state.replace(/"managedFields":\[.*?\](?=,")/g, '')

/** It freezes every object that the operators receive. */
const checkingEveryWrite = { writeMode: 'checks every write' } as const

describe('The simulated simulation of the fault campaign', { timeout: 120_000 }, () => {
  it.each(someStories)(
    'A story ends the same whether or not the sandbox validates each write: $name',
    async (story) => {
      const quick = await baselineSteps(story)
      const checked = await baselineSteps(story, checkingEveryWrite)
      expect(quick.map(({ state }) => withoutOwners(state))).toEqual(
        checked.map(({ state }) => withoutOwners(state)),
      )
      expect(quick.map(({ requests }) => requests)).toEqual(checked.map(({ requests }) => requests))
    },
  )

  it('Duplicate creations and late patches are refused in the words of the sandbox', async () => {
    const passes = { fate: 'passes' } as const
    const budgets = `/apis/policy/v1/namespaces/${operandNamespace}/poddisruptionbudgets`
    const refusals = async (writeMode: WriteMode) => {
      const { api } = await Simulation.on({
        platform: 'AWS',
        seed: 1,
        operators: 1,
        interference: { request: () => passes, event: () => passes },
        writeMode,
      })
      const ask = (method: string, path: string, contentType: string, object: object) =>
        api.as('operator-1', () =>
          api.answer({ method, path, contentType, body: JSON.stringify(object), userAgent: 'portcullis/1' }),
        )
      const create = () => ask('POST', budgets, 'application/json', { metadata: { name: 'edge' } })
      const patch = { metadata: { resourceVersion: '1', labels: { late: 'yes' } } }
      create()
      return [create(), ask('PATCH', `${budgets}/edge`, 'application/merge-patch+json', patch)]
    }
    const checked = await refusals('checks every write')
    expect(checked).toMatchObject([{ status: 409 }, { status: 409 }])
    expect(await refusals('remembers')).toEqual(checked)
  })

  it.each([
    'request 12: answer 500 after',
    'request 7: stop before until 3',
    'event 3: lost',
    'event 3: frozen for 12 s',
    'event 3: frozen until 2',
  ])('The text of a fault parses to the same fault: %s', (text) => {
    expect(faultText(parseFault(text))).toBe(text)
  })

  it.each(['event 3: frozen', 'event 3: lost until 2', 'request 3: lost'])(
    'Other texts do not parse as a fault: %s',
    (text) => {
      expect(() => parseFault(text)).toThrow(`"${text}" is no fault`)
    },
  )

  it('A history plays the same twice', async () => {
    const story = storyNamed('AWS: scope changes with auto-delete')
    const steps = await baselineSteps(story)
    const faults = ['request 12: crash after', 'event 5: lost', 'event 9: frozen for 4 s'].map(parseFault)
    const play = () => playHistory(story, steps, { step: 1, faults, seed: 7 }, true)
    const [once, again] = [await play(), await play()]
    expect(once.missed).toEqual([])
    expect(once.trace.length).toBeGreaterThan(20)
    expect(again).toEqual(once)
  })

  it('A history without a fault ends like the baseline, with remembered writes', async () => {
    const story = storyNamed('AWS: scope changes with auto-delete')
    const steps = await baselineSteps(story)
    for (const step of steps.keys())
      expect(await playHistory(story, steps, { step, faults: [] })).toMatchObject({ broken: [] })
  })

  it('An address is cleared though the server first answered that there is no such Ingress', async () => {
    const story = storyNamed('an Ingress changes its class')
    const steps = await baselineSteps(story)
    const cleared = steps[2]?.requests.find(({ path, isWrite }) => isWrite && path.includes('/cart/status'))
    const faults = [parseFault(`request ${cleared?.number}: answer 404`)]
    expect((await playHistory(story, steps, { step: 2, faults })).broken).toEqual([])
  })

  it('The operator does not repeat writes while one of its watches is silent', async () => {
    const story = storyNamed('AWS: scope changes with auto-delete')
    const steps = await baselineSteps(story)
    for (const event of [3, 4, 5, 6]) {
      const faults = [parseFault(`event ${event}: silence`)]
      const { broken, trace } = await playHistory(story, steps, { step: 0, faults }, true)
      expect(broken).toEqual([])
      expect(trace.filter((line) => line.includes('409')).length).toBeLessThan(25)
    }
  })

  it('The invariants hold in one history of every kind of fault, and in some with several', async () => {
    const baselines = await baselinesOf([
      'AWS: scope changes with auto-delete',
      'two operators: a change in place',
    ])
    const single = new Map(shuffled(everySingleFault(baselines), 1).map((planned) => [planned.kind, planned]))
    expect(single.size).toBeGreaterThan(25)
    const generator = severalFaults(baselines, 1)
    const several = Array.from({ length: 10 }, () => generator.next().value as Planned)
    for (const { story, history } of [...single.values(), ...several]) {
      const { story: played, steps } = baselines[story] ?? fail()
      const { broken } = await playHistory(played, steps, history)
      expect(broken, JSON.stringify(history)).toEqual([])
    }
  })

  it('The operator mutates no cached object, whatever the fault', async () => {
    const story = storyNamed('AWS: scope changes with auto-delete')
    const [quick, steps] = [await baselineOf(story), await baselineSteps(story, checkingEveryWrite)]
    const single = new Map(shuffled(everySingleFault([quick]), 1).map((planned) => [planned.kind, planned]))
    for (const { history } of single.values()) {
      const { broken } = await playHistory(story, steps, history)
      expect(broken, JSON.stringify(history)).toEqual([])
    }
  })

  it('Every single fault is played where there is room, and else by one of several seeds', async () => {
    const baselines = await baselinesOf(['GCP: client access'])
    const all = new Set(everySingleFault(baselines).map(nameOf))
    const singlesAmong = (wanted: number, seed: number) => {
      const histories = [...planOf(baselines, { histories: wanted }, seed).histories]
      expect(histories).toHaveLength(wanted)
      return histories.filter(({ kind }) => !kind.startsWith('several')).map(nameOf)
    }
    expect(new Set(singlesAmong(all.size + 100, 1))).toEqual(all)

    const withSeveral = planOf(baselines, { several: 7 }, 1)
    expect(withSeveral).toMatchObject({ singles: all.size, chosen: all.size, wanted: all.size + 7 })
    const kinds = [...withSeveral.histories].map(({ kind }) => kind.startsWith('several'))
    expect(kinds.filter((isSeveral) => isSeveral)).toHaveLength(7)
    expect(kinds.filter((isSeveral) => !isSeveral)).toHaveLength(all.size)

    const perSeed = 400
    const seeds = Math.ceil(all.size / (perSeed * 0.75))
    const seen = Array.from({ length: seeds }, (_, index) => singlesAmong(perSeed, index + 1))
    expect(seen.map(({ length }) => length)).toEqual(seen.map(() => perSeed * 0.75))
    expect(new Set(seen.flat())).toEqual(all)
  })
})

const nameOf = ({ story, history }: Planned) => JSON.stringify({ story, history })

function baselinesOf(names: readonly string[]): Promise<Baseline[]> {
  return Promise.all(names.map(storyNamed).map(baselineOf))
}

function fail(): never {
  throw new Error('there is no such story')
}

describe('Invariants of the fault campaign', { timeout: 120_000 }, () => {
  const rogue = 'operator-0'
  const ingress = '/apis/networking.k8s.io/v1/namespaces/shop/ingresses/cart'
  const service = `/api/v1/namespaces/${operandNamespace}/services/${routerName('edge')}`
  const controller = `/apis/operator.openshift.io/v1/namespaces/${operatorNamespace}/ingresscontrollers/edge`

  /** A published controller with an Ingress, and a process that writes what no operator would. */
  async function published(write: { method: string; path: string; body?: object }, operators = 1) {
    const passes = { fate: 'passes' } as const
    const simulation = await Simulation.on({
      platform: 'AWS',
      seed: 1,
      operators,
      interference: { request: () => passes, event: () => passes },
    })
    const invariants = new Invariants(simulation, {})
    const user = new User(simulation)
    simulation.startOperators()
    await simulation.rest()
    user.publish({
      type: 'LoadBalancerService',
      loadBalancer: { scope: 'External', dnsManagementPolicy: 'Managed' },
    })
    user.createIngress('cart')
    user.createUnownedService('web')
    await simulation.rest()
    expect(invariants.broken).toEqual([])
    simulation.end()
    simulation.api.as(rogue, () =>
      simulation.api.answer({
        method: write.method,
        path: write.path,
        contentType: write.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        body: JSON.stringify(write.body ?? {}),
        userAgent: 'rogue/1',
      }),
    )
    return { simulation, invariants }
  }

  it.each([
    ['a load balancer that is deleted without consent', { method: 'DELETE', path: service }, 'nobody agreed'],
    [
      'a foreign object that is written',
      {
        method: 'PATCH',
        path: `/api/v1/namespaces/${operandNamespace}/services/web`,
        body: { metadata: { labels: { a: 'b' } } },
      },
      'not its own',
    ],
    [
      'an Ingress that is blank',
      { method: 'PATCH', path: `${ingress}/status`, body: { status: { loadBalancer: { ingress: null } } } },
      'has lost its address',
    ],
    [
      'a spec that is not as its user left it',
      { method: 'PATCH', path: controller, body: { spec: { replicas: 5 } } },
      'writes the spec',
    ],
  ])('The invariants detect %s', async (_, write, words) => {
    const { invariants } = await published(write)
    expect(invariants.broken.join()).toContain(words)
  })

  it('The invariants detect a write by a process that does not lead', async () => {
    const body = { metadata: { labels: { a: 'b' } } }
    const { invariants } = await published({ method: 'PATCH', path: service, body }, 2)
    expect(invariants.broken.join()).toContain(`${rogue} sends PATCH`)
  })

  it('The invariants detect a write that is repeated without backoff', async () => {
    const body = { metadata: { labels: { a: 'b' } } }
    const { simulation, invariants } = await published({ method: 'PATCH', path: service, body })
    expect(invariants.broken).toEqual([])
    const contentType = 'application/merge-patch+json'
    const again = {
      method: 'PATCH',
      path: service,
      contentType,
      body: JSON.stringify(body),
      userAgent: 'rogue/1',
    }
    for (let count = 0; count < 30; count++) simulation.api.as(rogue, () => simulation.api.answer(again))
    expect(invariants.broken.join()).toContain('more than 25 times in 10 s')
  })

  it('The invariants detect a wrong status and a load balancer without a Service', async () => {
    const availableReplicas = 7
    const { simulation, invariants } = await published({
      method: 'PATCH',
      path: `${controller}/status`,
      body: { status: { availableReplicas } },
    })
    simulation.api.storage.remove('services', `${operandNamespace}/${routerName('edge')}`)
    invariants.checkAtRest(0)
    const broken = invariants.broken.join()
    for (const words of ['7 routers are available, not 2', 'it has no Service', 'the cloud still has'])
      expect(broken).toContain(words)
  })
})
