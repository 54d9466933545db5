import { describe, expect, it } from 'vitest'
import { routerName } from '../../src/ingress/names.ts'
import { everySingleFault, type Planned, severalFaults, shuffled } from './campaign.ts'
import { parseFault } from './faults.ts'
import { chaptersOf, playHistory } from './history.ts'
import { Invariants } from './invariants.ts'
import { type Story, stories } from './stories.ts'
import { User } from './user.ts'
import { operandNamespace, operatorNamespace } from './world/api.ts'
import { World } from './world/world.ts'

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

/** Who owns which field is told in fewer words where a write is done quickly. */
const withoutOwners = (state: string) => state.replace(/"managedFields":\[.*?\](?=,")/g, '')

describe('the world of the fault campaign', { timeout: 120_000 }, () => {
  it.each(someStories)(
    'comes to the same whether or not the sandbox checks each write: $name',
    async (story) => {
      const quick = await chaptersOf(story)
      const checked = await chaptersOf(story, { diligence: 'checks every write' })
      expect(quick.map(({ state }) => withoutOwners(state))).toEqual(
        checked.map(({ state }) => withoutOwners(state)),
      )
      expect(quick.map(({ requests }) => requests)).toEqual(checked.map(({ requests }) => requests))
    },
  )

  it('plays a history again to the letter', async () => {
    const story = storyNamed('AWS: scope changes with auto-delete')
    const chapters = await chaptersOf(story)
    const faults = ['request 36: crash after', 'event 5: lost', 'event 9: frozen for 4 s'].map(parseFault)
    const play = () => playHistory(story, chapters, { chapter: 1, faults, seed: 7 }, true)
    const [once, again] = [await play(), await play()]
    expect(once.trace.length).toBeGreaterThan(20)
    expect(again).toEqual(once)
  })

  it('shows an address cleared though the server first said that there is no such Ingress', async () => {
    const story = storyNamed('an Ingress changes its class')
    const faults = [parseFault('request 31: answer 404')]
    const played = await playHistory(story, await chaptersOf(story), { chapter: 2, faults })
    expect(played.broken).toEqual([])
  })

  it('holds in a sample of every kind of fault, and of several at once', async () => {
    const chosen = [
      storyNamed('AWS: scope changes with auto-delete'),
      storyNamed('through a change in place'),
    ]
    const told = await Promise.all(
      chosen.map(async (story) => ({ story, chapters: await chaptersOf(story) })),
    )
    const single = shuffled(everySingleFault(told), 1).slice(0, 30)
    const generator = severalFaults(told, 1)
    const several = Array.from({ length: 10 }, () => generator.next().value as Planned)
    for (const { story, history } of [...single, ...several]) {
      const { story: played, chapters } = told[story] ?? fail()
      const { broken } = await playHistory(played, chapters, history)
      expect(broken, JSON.stringify(history)).toEqual([])
    }
  })
})

function fail(): never {
  throw new Error('there is no such story')
}

describe('the invariants notice', { timeout: 120_000 }, () => {
  const rogue = 'operator-0'
  const ingress = '/apis/networking.k8s.io/v1/namespaces/shop/ingresses/cart'
  const service = `/api/v1/namespaces/${operandNamespace}/services/${routerName('edge')}`
  const controller = `/apis/operator.openshift.io/v1/namespaces/${operatorNamespace}/ingresscontrollers/edge`

  /** A published controller with an Ingress, and a process that writes what no operator would. */
  async function published(write: { method: string; path: string; body?: object }, operators = 1) {
    const passes = { fate: 'passes' } as const
    const world = await World.on({
      platform: 'AWS',
      seed: 1,
      operators,
      interference: { request: () => passes, event: () => passes },
    })
    const invariants = new Invariants(world, {})
    const user = new User(world)
    world.startOperators()
    await world.rest()
    user.publish({
      type: 'LoadBalancerService',
      loadBalancer: { scope: 'External', dnsManagementPolicy: 'Managed' },
    })
    user.createIngress('cart')
    user.createForeignService('web')
    await world.rest()
    expect(invariants.broken).toEqual([])
    world.end()
    world.api.as(rogue, () =>
      world.api.answer({
        method: write.method,
        path: write.path,
        contentType: write.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        body: JSON.stringify(write.body ?? {}),
        userAgent: 'rogue/1',
      }),
    )
    return { world, invariants }
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
  ])('%s', async (_, write, words) => {
    const { invariants } = await published(write)
    expect(invariants.broken.join()).toContain(words)
  })

  it('a write by somebody who does not lead', async () => {
    const body = { metadata: { labels: { a: 'b' } } }
    const { invariants } = await published({ method: 'PATCH', path: service, body }, 2)
    expect(invariants.broken.join()).toContain(`${rogue} sends PATCH`)
  })

  it('a status that is not true, and a load balancer without a Service', async () => {
    const availableReplicas = 7
    const { world, invariants } = await published({
      method: 'PATCH',
      path: `${controller}/status`,
      body: { status: { availableReplicas } },
    })
    world.api.storage.remove('services', `${operandNamespace}/${routerName('edge')}`)
    invariants.checkAtRest(0)
    const told = invariants.broken.join()
    for (const words of ['7 routers are available, not 2', 'it has no Service', 'the cloud still has'])
      expect(told).toContain(words)
  })
})
