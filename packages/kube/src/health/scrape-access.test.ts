import { expect, it, test } from 'vitest'
import type { KubeApi } from '../client/api.ts'
import { VirtualClock } from '../testing/virtual-clock.ts'
import { ScrapeAccess } from './scrape-access.ts'

/** An API server that knows the tokens `ann`, `ann-N` and `bob`, and lets only ann read metrics. */
function anApiServer() {
  const asked: string[] = []
  const isAnn = (name = '') => /^ann(-\d+)?$/.test(name)
  const state = { isAway: false, isAnnForbidden: false }
  const create = async ({ kind }: { kind: string }, { spec }: { spec: Record<string, unknown> }) => {
    const { token, user } = spec as { token?: string; user?: string }
    asked.push(`${kind} ${token ?? user}`)
    if (state.isAway) throw new Error('no route')
    if (kind === 'SubjectAccessReview') {
      expect(spec['nonResourceAttributes']).toEqual({ path: '/metrics', verb: 'get' })
      return { status: { allowed: isAnn(user) && !state.isAnnForbidden } }
    }
    const authenticated = isAnn(token) || token === 'bob'
    return {
      status: { authenticated, ...(authenticated && { user: { username: token, groups: ['people'] } }) },
    }
  }
  const clock = new VirtualClock()
  const access = new ScrapeAccess({ create } as unknown as Pick<KubeApi, 'create'>, clock)
  const statusOf = async (authorization?: string) => (await access.refusalOf(authorization))?.status ?? 200
  return { asked, state, clock, statusOf }
}

test.each([
  [undefined, 401],
  ['Basic YW5uOng=', 401],
  ['Bearer', 401],
  ['Bearer eve', 401],
  ['Bearer bob', 403],
  ['Bearer ann', 200],
  ['bearer ann', 200],
])('A scrape with %j is answered %i', async (authorization, status) => {
  expect(await anApiServer().statusOf(authorization)).toBe(status)
})

it('A decision is cached for ten seconds, and concurrent scrapes share it', async () => {
  const { asked, clock, statusOf } = anApiServer()
  expect(await Promise.all(Array.from({ length: 5 }, () => statusOf('Bearer ann')))).toEqual(
    Array(5).fill(200),
  )
  await clock.advance(9_999)
  await statusOf('Bearer ann')
  expect(asked).toEqual(['TokenReview ann', 'SubjectAccessReview ann'])
  await clock.advance(1)
  await statusOf('Bearer ann')
  expect(asked).toHaveLength(4)
})

it('Nobody may scrape while the API server cannot be asked, and that is not cached', async () => {
  const { state, statusOf } = anApiServer()
  state.isAway = true
  expect(await statusOf('Bearer ann')).toBe(503)
  state.isAway = false
  expect(await statusOf('Bearer ann')).toBe(200)
})

it('A peer that tries many tokens costs the API server no more than a few reviews a second', async () => {
  const { asked, clock, statusOf } = anApiServer()
  for (let number = 0; number < 1_000; number++) await statusOf(`Bearer ${number}`)
  expect(asked.length).toBeLessThanOrEqual(20)
  expect(await statusOf('Bearer ann')).toBe(429)
  await clock.advance(1_000)
  expect(await statusOf('Bearer ann')).toBe(200)
})

/** For so many seconds; what ann is answered, who scrapes each half minute. */
async function scrapedFor(seconds: number, { clock, statusOf }: ReturnType<typeof anApiServer>) {
  const statuses: number[] = []
  for (let second = 0; second < seconds; second++) {
    for (let number = 0; number < 18; number++) await statusOf(`Bearer ${second}-${number}`)
    if (second % 30 === 29) statuses.push(await statusOf('Bearer ann'))
    await clock.advance(1_000)
  }
  return statuses
}

it('A token that was accepted before is still accepted while a peer tries 18 tokens a second', async () => {
  const server = anApiServer()
  expect(await server.statusOf('Bearer ann')).toBe(200)
  expect(await scrapedFor(300, server)).toEqual(Array(10).fill(200))
})

it('The API server reviews unknown tokens no more often than otherwise while a peer tries 18 tokens a second', async () => {
  const server = anApiServer()
  await server.statusOf('Bearer ann')
  await scrapedFor(60, server)
  expect(server.asked.filter((asked) => !asked.endsWith('ann')).length).toBeLessThanOrEqual(20 + 60 * 5)
})

it('A token that is no longer accepted is rejected, and loses its own budget', async () => {
  const { state, clock, statusOf } = anApiServer()
  expect(await statusOf('Bearer ann')).toBe(200)
  state.isAnnForbidden = true
  await clock.advance(10_000)
  expect(await statusOf('Bearer ann')).toBe(403)
  await clock.advance(10_000)
  for (let number = 0; number < 20; number++) await statusOf(`Bearer ${number}`)
  expect(await statusOf('Bearer ann')).toBe(429)
})

it('A token accepted an hour ago, and any beyond the ten accepted last, share the common budget', async () => {
  const { clock, statusOf } = anApiServer()
  const exhaust = async () => {
    for (let number = 0; number < 20; number++) await statusOf(`Bearer ${number}`)
  }
  await statusOf('Bearer ann')
  await clock.advance(3_600_000)
  await exhaust()
  expect(await statusOf('Bearer ann')).toBe(429)
  await clock.advance(20_000)
  for (let number = 0; number < 11; number++) await statusOf(`Bearer ann-${number}`)
  await clock.advance(20_000)
  await exhaust()
  expect(await statusOf('Bearer ann-0')).toBe(429)
  expect(await statusOf('Bearer ann-1')).toBe(200)
  expect(await statusOf('Bearer ann-10')).toBe(200)
})

it('An API server that is away costs no token its own budget', async () => {
  const { state, clock, statusOf } = anApiServer()
  await statusOf('Bearer ann')
  await clock.advance(10_000)
  state.isAway = true
  expect(await statusOf('Bearer ann')).toBe(503)
  state.isAway = false
  for (let number = 0; number < 20; number++) await statusOf(`Bearer ${number}`)
  expect(await statusOf('Bearer ann')).toBe(200)
})
