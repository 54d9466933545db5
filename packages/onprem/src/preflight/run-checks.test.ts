import { describe, expect, test } from 'vitest'
import { namesOf } from '../dns/cluster-names.ts'
import type { Sighting } from '../fake-backends/received-probe.ts'
import { knownProblems } from '../known-issues.ts'
import { memberPorts, type ServiceName, serviceNames, services } from '../load-balancer/services.ts'
import type { Attempt, Outcome } from '../probe/attempt.ts'
import { finding } from './check-result.ts'
import { timesOf } from './checks/health-check.ts'
import type { Observations, ObservedFlip, Target } from './observations.ts'
import { knowledge } from './remedies.ts'
import { judge } from './run-checks.ts'

const target: Target = {
  domain: 'edge.example.com',
  apiVips: ['192.0.2.10'],
  ingressVips: ['192.0.2.11'],
  nodesAskOutside: true,
  controlPlane: ['192.0.2.21', '192.0.2.22'],
  routers: ['192.0.2.31', '192.0.2.32'],
  bootstrap: undefined,
  frontPortOffset: 0,
  ports: memberPorts(0),
  vantage: 'node',
}

const by = (standIn: string, service: string): Outcome => ({
  kind: 'answered',
  status: 200,
  standIn,
  service,
  ...(service !== 'http' && { certificate: { fingerprint: standIn, subject: standIn } }),
})
const refused: Outcome = { kind: 'no-connection', code: 'ECONNREFUSED' }
const closed: Outcome = { kind: 'closed', during: 'TLS' }

const attemptsOf = (service: ServiceName, outcomes: readonly Outcome[]): Attempt[] =>
  outcomes.map((outcome, i) => ({
    tried: `https://192.0.2.10:${services[service].port}/`,
    atMs: i * 100,
    outcome,
  }))

const membersOf = (service: ServiceName) =>
  services[service].use === 'api' ? target.controlPlane : target.routers

/** What is seen where all is right, but for the outcomes that are given for a service. */
function seen(
  outcomes: Partial<Record<ServiceName, readonly Outcome[]>> = {},
  changes: Partial<Observations> = {},
): Observations {
  return {
    target,
    limits: { dropMs: { api: 30_000, 'machine-config': 30_000, router: 45_000 }, idleMs: 60_000 },
    behind: 'stand-ins',
    names: namesOf(target, () => 0),
    answers: [],
    members: [...target.controlPlane, ...target.routers].map((address) => ({
      address,
      saysWho: true,
      fingerprints: { api: address, 'machine-config': address, https: address },
      unseen: [],
      sightings: [],
    })),
    frontEnds: serviceNames.map((service) => ({
      service,
      address: '192.0.2.10',
      port: services[service].port,
      attempts: attemptsOf(
        service,
        outcomes[service] ??
          membersOf(service).flatMap((member) => [by(member, service), by(member, service)]),
      ),
    })),
    byName: [],
    dials: [],
    idle: [],
    flips: [],
    cluster: undefined,
    ...changes,
  }
}

const found = (observations: Observations) =>
  judge(observations).flatMap(({ check, findings }) => findings.map(({ id }) => `${id} in ${check}`))

const sightedAt = (listener: Sighting['listener'], visits: Partial<Sighting>, times = 5) =>
  seen().members.map((member) => ({
    ...member,
    sightings: Array.from(
      { length: times },
      (_, i): Sighting => ({
        listener,
        kind: 'request',
        isTls: true,
        from: '192.0.2.2',
        atMs: i * 1000,
        ...visits,
      }),
    ),
  }))

test('where everybody answers, nothing is found', () => {
  expect(found(seen())).toEqual([])
})

describe('front ends', () => {
  test.each([
    ['closed', refused, 'front-end-closed in reach api'],
    ['silent', { kind: 'no-connection', code: 'ETIMEDOUT' }, 'front-end-silent in reach api'],
    ['without members', closed, 'members-not-reached in reach api'],
  ] satisfies [string, Outcome, string][])('%s', (_, outcome, expected) => {
    const observations = seen({ api: [outcome, outcome] })
    expect(found(observations)).toEqual([expected])
    expect(judge(observations).flatMap(({ findings }) => findings)[0]?.subject).toBe('192.0.2.10:6443')
  })

  test('are named with their port, also where everybody knows it', () => {
    const [told] = judge(seen({ https: [refused] })).flatMap(({ findings }) => findings)
    expect(told?.subject).toBe('192.0.2.10:443')
  })

  test('that sometimes fail are told once, with who was never reached', () => {
    const observations = seen({ api: [by('192.0.2.21', 'api'), closed, by('192.0.2.21', 'api'), closed] })
    expect(found(observations)).toEqual(['front-end-unsteady in reach api'])
    const [told] = judge(observations).flatMap(({ findings }) => findings)
    expect(told?.cameBack).toBe('2 of 4 failed: taken, and closed during TLS; never reached: 192.0.2.22')
  })

  test('are told with who answered in order, whoever had the first turn', () => {
    const withBootstrap = { target: { ...target, bootstrap: '192.0.2.20' } }
    const turns = ['192.0.2.22', '192.0.2.21', '192.0.2.22', '192.0.2.21'].map((who) => by(who, 'api'))
    const [told] = judge(seen({ api: turns }, withBootstrap)).flatMap(({ findings }) => findings)
    expect(told?.cameBack).toMatch(/^192\.0\.2\.21, 192\.0\.2\.22 answered; 192\.0\.2\.20 never did/)
  })

  test('are called open where nobody is known to be behind them, whatever happens then', () => {
    const nobody = { behind: 'nobody', members: [] } as const
    expect(found(seen({ api: [closed], http: [closed] }, nobody))).toEqual([])
    expect(found(seen({ api: [refused] }, nobody))).toEqual(['front-end-closed in reach api'])
  })
})

describe('a client that always gets the same member of the API', () => {
  const same = { api: [by('192.0.2.21', 'api'), by('192.0.2.21', 'api')] }

  test('is kept there, if the others are looked after', () => {
    const members = sightedAt('api', { path: '/readyz', status: 200 })
    expect(found(seen(same, { members }))).toEqual(['api-sticky in persistence api'])
  })

  test('has nobody else, if they are not', () => {
    expect(found(seen(same))).toEqual(['member-missing in reach api'])
  })
})

test('a client may stay with its router, and who is not seen is not called missing without a sign', () => {
  const https = [by('192.0.2.31', 'https')]
  const members = sightedAt('router', { path: '/healthz/ready', isTls: false, status: 200 })
  expect(found(seen({ https, http: [by('192.0.2.31', 'http')] }, { members }))).toEqual([])
})

test('nor where nobody is looked after, and all clients may happen to get the same', () => {
  expect(found(seen({ http: [by('192.0.2.31', 'http')] }))).toEqual([])
})

test('a connection or two that said nothing are no health check', () => {
  const few = seen({ api: [closed] }, { members: sightedAt('api', { kind: 'tls' }, 2) })
  expect(found(few)).toEqual(['members-not-reached in reach api'])
  const many = seen({ api: [closed] }, { members: sightedAt('api', { kind: 'tls' }, 9) })
  expect(found(many)).toEqual(['check-tcp-only in reach api'])
})

describe('how long a load balancer takes', () => {
  const flip = (victims: string, afterwards: string): ObservedFlip => ({
    check: 'api',
    service: 'api',
    victim: '192.0.2.21',
    notReadyAtMs: 0,
    // v: the victim answers; o: the other.
    whileNotReady: attemptsOf(
      'api',
      victims.split('').map((who) => by(who === 'v' ? '192.0.2.21' : '192.0.2.22', 'api')),
    ),
    whileRefusing: [],
    readyAgainAtMs: 0,
    afterwards: attemptsOf(
      'api',
      afterwards.split('').map((who) => by(who === 'v' ? '192.0.2.21' : '192.0.2.22', 'api')),
    ),
  })

  test('is from the change until the last, and the first, connection', () => {
    expect(timesOf(flip('vovovoooooooooo', 'ooov'), seen())).toEqual({ dropMs: 400, takeBackMs: 300 })
  })

  test('is never, if the victim had its turn until the end', () => {
    expect(timesOf(flip('vovovovovovovoo', 'oooo'), seen())).toEqual({
      dropMs: undefined,
      takeBackMs: undefined,
    })
  })

  test('is measured against the limit', () => {
    const members = sightedAt('api', { path: '/readyz', status: 200 })
    const limits = { dropMs: { api: 300, 'machine-config': 300, router: 300 }, idleMs: 1 }
    const flips = [flip('vovovoooooooooo', 'ov')]
    expect(found(seen({}, { members, limits, flips }))).toEqual(['drop-too-slow in health-check api'])
    expect(found(seen({}, { members, flips }))).toEqual([])
  })

  test('does not count where nobody asks: that is accepted or not', () => {
    const observations = seen({}, { flips: [flip('vovovovovovovov', 'v')] })
    expect(found(observations)).toEqual(['no-health-checks in health-check api'])
    const statuses = judge(observations, ['no-health-checks']).map(({ status }) => status)
    expect(statuses).toContain('accepted')
    expect(statuses).not.toContain('failed')
  })
})

describe('machine configuration', () => {
  const outside = { target: { ...target, vantage: 'outside' } } as const
  const toldOf = (observations: Observations) =>
    judge(observations).find(({ check }) => check === 'outside machine-config')

  test('is closed outside, whatever closes it, if nodes get through', () => {
    const attempts = attemptsOf('machine-config', [by('192.0.2.21', 'machine-config')])
    const dials = [{ from: '192.0.2.22', service: 'machine-config', attempts }] as const
    expect(toldOf(seen({ 'machine-config': [closed, refused] }, { ...outside, dials }))?.status).toBe(
      'passed',
    )
    expect(found(seen({}, outside))).toEqual(['machine-config-open in outside machine-config'])
  })

  test('is not called closed where connections are taken and nobody is behind', () => {
    const nobody = { ...outside, behind: 'nobody', members: [] } as const
    expect(toldOf(seen({ 'machine-config': [closed, refused] }, nobody))).toMatchObject({
      status: 'skipped',
      note: 'the port takes connections; nobody is behind it to tell',
    })
    expect(toldOf(seen({ 'machine-config': [refused] }, nobody))?.status).toBe('passed')
  })
})

describe('a redirect from HTTP', () => {
  const redirect: Outcome = { kind: 'answered', status: 302, location: 'https://192.0.2.11/' }

  test.each(['stand-ins', 'nodes', 'nobody'] as const)('is found where %s are behind', (behind) => {
    const members = behind === 'stand-ins' ? {} : { members: [] }
    const told = judge(seen({ http: [redirect] }, { behind, ...members })).find(
      ({ check }) => check === 'redirect http',
    )
    expect(told?.findings.map(({ id }) => id)).toEqual(['http-redirected'])
  })

  test('is not denied where nobody answers', () => {
    const told = judge(seen({ http: [closed] })).find(({ check }) => check === 'redirect http')
    expect(told?.status).toBe('skipped')
  })
})

describe('routers are watched through both of their services', () => {
  const [one = '', other = ''] = target.routers
  const members = sightedAt('router', { path: '/healthz/ready', isTls: false, status: 200 })
  // v: the victim answers; o: the other; x: nobody.
  const outcomes = (service: ServiceName, who: string) =>
    who.split('').map((each): Outcome => (each === 'x' ? closed : by(each === 'v' ? one : other, service)))
  const flipOf = (service: 'https' | 'http', whileNotReady: string, whileRefusing = ''): ObservedFlip => ({
    check: 'router',
    service,
    victim: one,
    notReadyAtMs: 0,
    whileNotReady: attemptsOf(service, outcomes(service, whileNotReady)),
    whileRefusing: whileRefusing === '' ? [] : attemptsOf(service, outcomes(service, whileRefusing)),
    readyAgainAtMs: 0,
    afterwards: attemptsOf(service, outcomes(service, 'v')),
  })
  const stays = { https: [by(one, 'https')], http: [by(one, 'http')] }
  const right = flipOf('https', 'vvoooooooooo')

  test('and are right if both leave them out', () => {
    expect(found(seen(stays, { members, flips: [right, flipOf('http', 'vvoooooooooo')] }))).toEqual([])
  })

  test('and visits for the one are no health check of the other', () => {
    const flips = [right, flipOf('http', 'vvvvvvvvvvvv', 'oooo')]
    expect(found(seen(stays, { members, flips }))).toEqual(['no-health-checks in health-check router'])
  })

  test('nor do they excuse who never answered, though nobody else was left', () => {
    const flips = [right, flipOf('http', 'vvxxxxxxxxxx')]
    expect(found(seen(stays, { members, flips }))).toEqual(['member-missing in reach http'])
  })

  test('but who was never left out may have kept all clients', () => {
    const flips = [right, flipOf('http', 'vvvvvvvvvvvv', 'xxxx')]
    expect(found(seen(stays, { members, flips }))).toEqual(['no-health-checks in health-check router'])
  })
})

describe('where our own connections by address fail', () => {
  const api = [by('192.0.2.21', 'api'), closed]
  const [attempt] = attemptsOf('api', [closed])
  const byName =
    attempt === undefined ? [] : [{ service: 'api', name: 'api.edge.example.com', attempt } as const]
  const dials = [{ from: '192.0.2.21', service: 'api', attempts: attemptsOf('api', [closed]) }] as const

  test('nothing is blamed on names or on who asks', () => {
    expect(found(seen({ api }, { byName, dials }))).toEqual(['front-end-unsteady in reach api'])
  })

  test('as it is where they do not', () => {
    expect(found(seen({}, { byName, dials }))).toEqual([
      'by-name-fails in by name',
      'hairpin-fails in hairpin',
    ])
  })
})

describe('of a node that cannot be reached past the load balancer', () => {
  const far = '192.0.2.22'
  const timedOut: Outcome = { kind: 'no-connection', code: 'ETIMEDOUT' }
  const nodeAt = (address: string, isFar: boolean) => ({
    address,
    saysWho: false,
    fingerprints: { 'machine-config': address, https: address, ...(!isFar && { api: address }) },
    unseen: isFar ? [{ service: 'api' as const, port: 6443, outcome: timedOut }] : [],
    sightings: [],
  })
  const showing = (address: string): Outcome => ({
    kind: 'answered',
    status: 200,
    certificate: { fingerprint: address, subject: address },
  })
  const serving = (addresses: readonly string[]) =>
    addresses.map((address) => ({ node: `node-${address}`, address }))
  const live = (api: readonly Outcome[], isFar = true): Observations =>
    seen(
      {
        api,
        'machine-config': target.controlPlane.map(showing),
        https: target.routers.map(showing),
        http: [{ kind: 'answered', status: 503 }],
      },
      {
        behind: 'nodes',
        members: [...target.controlPlane, ...target.routers].map((each) =>
          nodeAt(each, isFar && each === far),
        ),
        cluster: {
          controlPlane: serving(target.controlPlane),
          routers: serving(target.routers),
          listedControlPlane: [],
          listedRouters: [],
          routerHealth: [],
        },
      },
    )
  const reason = `node ${far}:6443 could not be reached directly from here (no answer in time)`

  test.each([
    ['alone', [showing(far), showing(far)]],
    ['beside others', [showing('192.0.2.21'), showing(far)]],
  ])('an unknown certificate, %s, proves nothing', (_, api) => {
    const observations = live(api)
    expect(found(observations)).toEqual([])
    const skippedFor = judge(observations).filter(({ note }) => note === reason)
    expect(skippedFor.map(({ check, status }) => `${check} ${status}`)).toEqual([
      'reach api skipped',
      'tls api skipped',
      'persistence api skipped',
      'bootstrap skipped',
    ])
  })

  test('nor does its silence: it is not called missing', () => {
    expect(found(live([showing('192.0.2.21'), showing('192.0.2.21')]))).toEqual([])
  })

  test('connections that fail are told all the same', () => {
    expect(found(live([showing(far), closed]))).toEqual(['front-end-unsteady in reach api'])
  })

  test('but where all nodes are known, a stranger is one', () => {
    expect(found(live([showing('192.0.2.21'), showing(far), showing('192.0.2.99')], false))).toEqual([
      'bootstrap-in-pool in bootstrap',
    ])
  })
})

describe('silence', () => {
  const idle = (before: Outcome, after: Outcome) =>
    judge(seen({}, { idle: [{ service: 'https', tried: 'it', idleMs: 60_000, before, after }] })).find(
      ({ check }) => check === 'idle https',
    )

  test('that ends a connection is found', () => {
    expect(idle({ kind: 'answered', status: 200 }, closed)?.findings[0]?.id).toBe('idle-cut')
  })

  test('is not blamed for what the answer before it ended', () => {
    const noRoute: Outcome = { kind: 'answered', status: 503, endsConnection: true }
    expect(idle(noRoute, noRoute)).toMatchObject({
      status: 'skipped',
      note: 'the answer ended the connection: 503',
    })
  })
})

test('every finding has a meaning, a remedy and only known problems', () => {
  for (const id of Object.keys(knowledge) as (keyof typeof knowledge)[]) {
    const { means, remedy, known } = finding(id, { subject: 's', tried: 't', cameBack: 'c' })
    expect(means).toMatch(/\.$/)
    expect(remedy).toMatch(/\.$/)
    expect(known.every((text) => text.length > 0)).toBe(true)
  }
  expect(Object.keys(knownProblems)).toHaveLength(22)
})
