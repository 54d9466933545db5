import type { Lease } from 'kubernetes-types/coordination/v1'
import { expect, it } from 'vitest'
import type { Persisted } from '../objects/objects.ts'
import {
  created,
  durationMsOf,
  holderOf,
  released,
  renewed,
  restored,
  type Signature,
  taken,
  wasReleased,
} from './lease-record.ts'

const before = '2026-11-18T12:00:00.000000Z'
const now = '2026-11-18T12:00:02.000000Z'
const me: Signature = { identity: 'me', leaseDurationMs: 15_000, time: now }

/** As it was read from the API server, with what others wrote into it. */
function aLease(metadata: object = {}): Persisted<Lease> {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'leader', namespace: 'portcullis', uid: 'u', resourceVersion: '7', ...metadata },
    spec: {
      holderIdentity: 'other',
      leaseDurationSeconds: 60,
      acquireTime: before,
      renewTime: before,
      leaseTransitions: 4,
    },
  }
}

it.each([
  { spec: undefined, holder: undefined, durationMs: undefined, isReleased: false },
  { spec: {}, holder: undefined, durationMs: undefined, isReleased: false },
  { spec: { holderIdentity: '' }, holder: undefined, durationMs: undefined, isReleased: false },
  {
    spec: { holderIdentity: '', leaseDurationSeconds: 1, renewTime: now },
    holder: undefined,
    durationMs: 1_000,
    isReleased: true,
  },
  {
    spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: now },
    holder: 'me',
    durationMs: 15_000,
    isReleased: false,
  },
])('A Lease with $spec is held by $holder for $durationMs ms, and released: $isReleased', (row) => {
  const lease: Lease = row.spec === undefined ? {} : { spec: row.spec }
  expect([holderOf(lease), durationMsOf(lease), wasReleased(lease)]).toEqual([
    row.holder,
    row.durationMs,
    row.isReleased,
  ])
})

it('A written Lease names the Lease, its holder and its acquireTime, if there was none', () => {
  expect(created({ namespace: 'portcullis', name: 'leader' }, me)).toEqual({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'portcullis', name: 'leader' },
    spec: {
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 0,
    },
  })
})

it('A Lease changes hands with one more transition and a new acquireTime', () => {
  expect(taken(aLease(), me)).toEqual({
    ...aLease(),
    spec: {
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 5,
    },
  })
})

it.each([
  { transitions: undefined, next: 1 },
  { transitions: 0, next: 1 },
  { transitions: 2 ** 31 - 2, next: 2 ** 31 - 1 },
  { transitions: 2 ** 31 - 1, next: 2 ** 31 - 1 },
])('A Lease has $next transitions after $transitions: the field takes 32 bits', ({ transitions, next }) => {
  const lease = aLease()
  const spec = transitions === undefined ? {} : { leaseTransitions: transitions }
  expect(taken({ ...lease, spec }, me).spec?.leaseTransitions).toBe(next)
})

it('A Lease keeps its acquireTime when it is renewed', () => {
  expect(renewed(aLease(), me)).toEqual({
    ...aLease(),
    spec: { ...aLease().spec, holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: now },
  })
})

it.each([
  { ms: 1, seconds: 1 },
  { ms: 1_000, seconds: 1 },
  { ms: 1_001, seconds: 2 },
  { ms: 15_000, seconds: 15 },
  { ms: 15_000.5, seconds: 16 },
  { ms: 3_600_000, seconds: 3_600 },
])('A Lease is held for $seconds s where $ms ms are wanted: never for less', ({ ms, seconds }) => {
  expect(renewed(aLease(), { ...me, leaseDurationMs: ms }).spec?.leaseDurationSeconds).toBe(seconds)
})

it.each([{}, { labels: { team: 'edge' } }, { annotations: { why: 'test' } }])(
  'A Lease keeps %j but neither uid nor resourceVersion when it is created again',
  (metadata) => {
    expect(restored(aLease(metadata), me)).toStrictEqual({
      ...renewed(aLease(), me),
      metadata: { name: 'leader', namespace: 'portcullis', ...metadata },
    })
  },
)

it('A Lease has no holder and the shortest duration when it is released', () => {
  expect(released(aLease(), now)).toEqual({
    ...aLease(),
    spec: {
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 4,
    },
  })
})
