import { expect, test } from 'vitest'
import type { ReceivedProbe } from '../fake-backends/received-probe.ts'
import { knownIssues } from '../known-issues.ts'
import type { ServiceName } from '../load-balancer/services.ts'
import type { AttemptResult } from '../probe/attempt.ts'
import { attemptsOf, by, closed, found, seen, target } from '../testing/observations.ts'
import { finding } from './check-result.ts'
import { timesOf } from './checks/health-check.ts'
import type { Observations, ObservedFlip } from './observations.ts'
import { remedies } from './remedies.ts'
import { runChecks } from './run-checks.ts'

const refused: AttemptResult = { kind: 'no-connection', code: 'ECONNREFUSED' }

const sightedAt = (listener: ReceivedProbe['listener'], visits: Partial<ReceivedProbe>, times = 5) =>
  seen().members.map((member) => ({
    ...member,
    receivedProbes: Array.from(
      { length: times },
      (_, i): ReceivedProbe => ({
        listener,
        kind: 'request',
        isTls: true,
        from: '192.0.2.2',
        atMs: i * 1000,
        ...visits,
      }),
    ),
  }))

test('Nothing is found where every member answers', () => {
  expect(found(seen())).toEqual([])
})

test.each([
  ['closed', refused, 'front-end-closed in reach api'],
  ['silent', { kind: 'no-connection', code: 'ETIMEDOUT' }, 'front-end-silent in reach api'],
  ['without members', closed, 'members-not-reached in reach api'],
] satisfies [string, AttemptResult, string][])(
  'A front end that is %s is reported',
  (_, outcome, expected) => {
    const observations = seen({ api: [outcome, outcome] })
    expect(found(observations)).toEqual([expected])
    expect(runChecks(observations).flatMap(({ findings }) => findings)[0]?.subject).toBe('192.0.2.10:6443')
  },
)

test('Front ends are named with their port, even a well-known one', () => {
  const [result] = runChecks(seen({ https: [refused] })).flatMap(({ findings }) => findings)
  expect(result?.subject).toBe('192.0.2.10:443')
})

test('Front ends that sometimes fail are one finding, with the members that were never reached', () => {
  const observations = seen({ api: [by('192.0.2.21', 'api'), closed, by('192.0.2.21', 'api'), closed] })
  expect(found(observations)).toEqual(['front-end-unsteady in reach api'])
  const [result] = runChecks(observations).flatMap(({ findings }) => findings)
  expect(result?.cameBack).toBe('2 of 4 failed: accepted, and closed during TLS; never reached: 192.0.2.22')
})

test('Front ends are reported with the members in order, whichever came first', () => {
  const withBootstrap = { target: { ...target, bootstrap: '192.0.2.20' } }
  const turns = ['192.0.2.22', '192.0.2.21', '192.0.2.22', '192.0.2.21'].map((who) => by(who, 'api'))
  const [result] = runChecks(seen({ api: turns }, withBootstrap)).flatMap(({ findings }) => findings)
  expect(result?.cameBack).toMatch(/^192\.0\.2\.21, 192\.0\.2\.22 answered; 192\.0\.2\.20 never did/)
})

test('Front ends are reported as open where no members are known, whatever happens then', () => {
  const noBackends = { behind: 'nobody', members: [] } as const
  expect(found(seen({ api: [closed], http: [closed] }, noBackends))).toEqual([])
  expect(found(seen({ api: [refused] }, noBackends))).toEqual(['front-end-closed in reach api'])
})

const same = { api: [by('192.0.2.21', 'api'), by('192.0.2.21', 'api')] }

test('A client that always reaches the same member of the API is a persistence finding, if the other members are health-checked', () => {
  const members = sightedAt('api', { path: '/readyz', status: 200 })
  expect(found(seen(same, { members }))).toEqual(['api-sticky in persistence api'])
})

test('A client that always reaches the same member of the API is a missing member, if the others are not health-checked', () => {
  expect(found(seen(same))).toEqual(['member-missing in reach api'])
})

test('A client may stay with its router, and a member without any sign is not reported as missing', () => {
  const https = [by('192.0.2.31', 'https')]
  const members = sightedAt('router', { path: '/healthz/ready', isTls: false, status: 200 })
  expect(found(seen({ https, http: [by('192.0.2.31', 'http')] }, { members }))).toEqual([])
})

test('No router is reported as missing without health checks, since all clients may reach the same one by chance', () => {
  expect(found(seen({ http: [by('192.0.2.31', 'http')] }))).toEqual([])
})

test('One or two connections without a request are not a health check', () => {
  const few = seen({ api: [closed] }, { members: sightedAt('api', { kind: 'tls' }, 2) })
  expect(found(few)).toEqual(['members-not-reached in reach api'])
  const many = seen({ api: [closed] }, { members: sightedAt('api', { kind: 'tls' }, 9) })
  expect(found(many)).toEqual(['check-tcp-only in reach api'])
})

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

test('The time a load balancer takes lasts from the change until the last, and the first, connection', () => {
  expect(timesOf(flip('vovovoooooooooo', 'ooov'), seen())).toEqual({ dropMs: 400, takeBackMs: 300 })
})

test('The time a load balancer takes is infinite, if the member was used until the end', () => {
  expect(timesOf(flip('vovovovovovovoo', 'oooo'), seen())).toEqual({
    dropMs: undefined,
    takeBackMs: undefined,
  })
})

test('The time a load balancer takes is compared with the limit', () => {
  const members = sightedAt('api', { path: '/readyz', status: 200 })
  const limits = { dropMs: { api: 300, 'machine-config': 300, router: 300 }, idleMs: 1 }
  const flips = [flip('vovovoooooooooo', 'ov')]
  expect(found(seen({}, { members, limits, flips }))).toEqual(['drop-too-slow in health-check api'])
  expect(found(seen({}, { members, flips }))).toEqual([])
})

test('The time a load balancer takes does not count without health checks: that is accepted or not', () => {
  const observations = seen({}, { flips: [flip('vovovovovovovov', 'v')] })
  expect(found(observations)).toEqual(['no-health-checks in health-check api'])
  const statuses = runChecks(observations, ['no-health-checks']).map(({ status }) => status)
  expect(statuses).toContain('accepted')
  expect(statuses).not.toContain('failed')
})

const outside = { target: { ...target, vantage: 'outside' } } as const
const machineConfigCheck = (observations: Observations) =>
  runChecks(observations).find(({ check }) => check === 'outside machine-config')

test('The port of machine configuration counts as closed outside, whatever closes it, if nodes get through', () => {
  const attempts = attemptsOf('machine-config', [by('192.0.2.21', 'machine-config')])
  const dials = [{ from: '192.0.2.22', service: 'machine-config', attempts }] as const
  expect(
    machineConfigCheck(seen({ 'machine-config': [closed, refused] }, { ...outside, dials }))?.status,
  ).toBe('passed')
  expect(found(seen({}, outside))).toEqual(['machine-config-open in outside machine-config'])
})

test('The port of machine configuration does not count as closed where connections are accepted and no member is behind it', () => {
  const noBackends = { ...outside, behind: 'nobody', members: [] } as const
  expect(machineConfigCheck(seen({ 'machine-config': [closed, refused] }, noBackends))).toMatchObject({
    status: 'skipped',
    note: 'the port accepts connections; there is no member behind it to compare',
  })
  expect(machineConfigCheck(seen({ 'machine-config': [refused] }, noBackends))?.status).toBe('passed')
})

const redirect: AttemptResult = { kind: 'answered', status: 302, location: 'https://192.0.2.11/' }

test.each(['fake-backends', 'nodes', 'nobody'] as const)(
  'A redirect from HTTP is found where %s are behind',
  (behind) => {
    const members = behind === 'fake-backends' ? {} : { members: [] }
    const result = runChecks(seen({ http: [redirect] }, { behind, ...members })).find(
      ({ check }) => check === 'redirect http',
    )
    expect(result?.findings.map(({ id }) => id)).toEqual(['http-redirected'])
  },
)

test('A redirect from HTTP is not ruled out where nobody answers', () => {
  const result = runChecks(seen({ http: [closed] })).find(({ check }) => check === 'redirect http')
  expect(result?.status).toBe('skipped')
})

const [one = '', other = ''] = target.routers
const members = sightedAt('router', { path: '/healthz/ready', isTls: false, status: 200 })
// v: the victim answers; o: the other; x: nobody.
const outcomes = (service: ServiceName, who: string) =>
  who
    .split('')
    .map((each): AttemptResult => (each === 'x' ? closed : by(each === 'v' ? one : other, service)))
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

test('Health checks of routers are right if both services drop the router', () => {
  expect(found(seen(stays, { members, flips: [right, flipOf('http', 'vvoooooooooo')] }))).toEqual([])
})

test('Health checks of routers for the one service do not count for the other', () => {
  const flips = [right, flipOf('http', 'vvvvvvvvvvvv', 'oooo')]
  expect(found(seen(stays, { members, flips }))).toEqual(['no-health-checks in health-check router'])
})

test('Health checks of routers do not excuse a member that never answered, though no other was left', () => {
  const flips = [right, flipOf('http', 'vvxxxxxxxxxx')]
  expect(found(seen(stays, { members, flips }))).toEqual(['member-missing in reach http'])
})

test('A router that was never dropped may have kept all clients', () => {
  const flips = [right, flipOf('http', 'vvvvvvvvvvvv', 'xxxx')]
  expect(found(seen(stays, { members, flips }))).toEqual(['no-health-checks in health-check router'])
})

const idle = (before: AttemptResult, after: AttemptResult) =>
  runChecks(seen({}, { idle: [{ service: 'https', tried: 'it', idleMs: 60_000, before, after }] })).find(
    ({ check }) => check === 'idle https',
  )

test('An idle connection that is closed is found', () => {
  expect(idle({ kind: 'answered', status: 200 }, closed)?.findings[0]?.id).toBe('idle-cut')
})

test('An idle connection is not blamed for the response before it that closed it', () => {
  const noRoute: AttemptResult = { kind: 'answered', status: 503, endsConnection: true }
  expect(idle(noRoute, noRoute)).toMatchObject({
    status: 'skipped',
    note: 'the response closed the connection: 503',
  })
})

test('Every finding has a meaning, a remedy and only known issues', () => {
  for (const id of Object.keys(remedies) as (keyof typeof remedies)[]) {
    const { means, remedy, known } = finding(id, { subject: 's', tried: 't', cameBack: 'c' })
    expect(means).toMatch(/\.$/)
    expect(remedy).toMatch(/\.$/)
    expect(known.every((text) => text.length > 0)).toBe(true)
  }
  expect(Object.keys(knownIssues)).toHaveLength(22)
})
