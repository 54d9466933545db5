import type { Cached } from '@portcullis/kube'
import type { Ingress } from 'kubernetes-types/networking/v1'
import { expect, it } from 'vitest'
import { addressManager, decideAddress, type IngressSnapshot } from './decide-ingress.ts'

const now = 1_000_000_000
const minute = 60_000

const ours = addressManager('here')

function anIngress(ip: string | undefined, manager = ours): Cached<Ingress> {
  return {
    metadata: {
      name: 'web',
      namespace: 'ns',
      uid: 'u',
      resourceVersion: '1',
      managedFields: [
        {
          manager,
          subresource: 'status',
          fieldsV1: { 'f:status': { 'f:loadBalancer': { 'f:ingress': {} } } },
        },
      ],
    },
    status: { loadBalancer: { ingress: ip === undefined ? [] : [{ ip }] } },
  }
}

const decide = (snapshot: Partial<IngressSnapshot>) =>
  decideAddress({
    now,
    manager: ours,
    ingress: anIngress('10.0.0.1'),
    belonging: { to: 'default' },
    selection: 'selected',
    entry: { addresses: [{ ip: '10.0.0.1' }], lostSince: undefined },
    since: undefined,
    lostAddressGraceMs: 10 * minute,
    ...snapshot,
  })

const nowhere = (minutesAgo: number) => ({
  addresses: [],
  lostSince: now - minutesAgo * minute,
})

it('An Ingress of ours with the right address is left alone, whichever client wrote it', () => {
  expect(decide({})).toEqual({ do: 'nothing' })
  expect(decide({ ingress: anIngress('10.0.0.1', 'another') })).toEqual({ do: 'nothing' })
})

it('An Ingress of ours without an address, or with another, gets the right one', () => {
  const addresses = [{ ip: '10.0.0.1' }]
  expect(decide({ ingress: anIngress(undefined) })).toEqual({ do: 'write', addresses })
  expect(decide({ ingress: anIngress('10.9.9.9', 'another') })).toEqual({ do: 'write', addresses })
})

it('An Ingress of ours keeps its address while the addresses of the controller are unknown', () => {
  expect(decide({ entry: undefined })).toEqual({ do: 'nothing' })
})

it('An Ingress of ours keeps a lost address for the grace, and then loses it, if it is ours', () => {
  expect(decide({ entry: nowhere(4) })).toEqual({ do: 'wait', until: now + 6 * minute })
  expect(decide({ entry: nowhere(10) })).toEqual({ do: 'clear' })
  expect(decide({ entry: nowhere(10), ingress: anIngress('10.0.0.1', 'another') })).toEqual({
    do: 'nothing',
  })
  expect(decide({ entry: nowhere(10_000), lostAddressGraceMs: Number.POSITIVE_INFINITY })).toEqual({
    do: 'nothing',
  })
})

it('An Ingress that moves to another class keeps its address for the grace period', () => {
  const since = now - minute
  expect(decide({ entry: nowhere(60), since })).toMatchObject({ do: 'wait' })
})

it.each([
  ['has just come', { lost: 60, came: 1 }, 9],
  ['was there before the loss', { lost: 1, came: 60 }, 9],
  ['has always been there', { lost: 4, came: undefined }, 6],
  ['has just come, when nobody saw the loss', { lost: undefined, came: 3 }, 7],
  ['has always been there, when nobody saw the loss', { lost: undefined, came: undefined }, 10],
])(
  'An Ingress that %s keeps a lost address for the grace since the later of the two',
  (_, { lost, came }, left) => {
    const ago = (minutes: number | undefined) => (minutes === undefined ? undefined : now - minutes * minute)
    const entry = { addresses: [], lostSince: ago(lost) }
    expect(decide({ entry, since: ago(came) })).toEqual({ do: 'wait', until: now + left * minute })
  },
)

const excluded = { selection: 'excluded', since: now - minute / 2 } as const

it('An Ingress that its controller does not select keeps our address for a minute, or for the grace where that is shorter, and then loses it', () => {
  expect(decide(excluded)).toEqual({ do: 'wait', until: now + minute / 2 })
  expect(decide({ ...excluded, since: now - minute })).toEqual({ do: 'clear' })
  expect(decide({ ...excluded, lostAddressGraceMs: minute / 2 })).toEqual({ do: 'clear' })
})

it('An Ingress that its controller does not select neither gets an address nor loses one that others wrote', () => {
  const long = { ...excluded, since: now - 60 * minute }
  expect(decide({ ...long, ingress: anIngress(undefined) })).toEqual({ do: 'nothing' })
  expect(decide({ ...long, ingress: anIngress('10.9.9.9', 'another') })).toEqual({ do: 'nothing' })
})

it('An Ingress of others never gets an address, and loses only one that we wrote', () => {
  expect(decide({ belonging: 'others', ingress: anIngress(undefined) })).toEqual({ do: 'nothing' })
  expect(decide({ belonging: 'others', ingress: anIngress('10.9.9.9', 'another') })).toEqual({
    do: 'nothing',
  })
  expect(
    decide({ belonging: 'others', ingress: anIngress('10.9.9.9', addressManager('elsewhere')) }),
  ).toEqual({
    do: 'nothing',
  })
  expect(decide({ belonging: 'others' })).toEqual({ do: 'clear' })
})

it('An Ingress of another Portcullis is left to it', () => {
  const entry = { addresses: [{ ip: '10.0.0.2' }], lostSince: undefined }
  expect(decide({ belonging: 'otherInstance', entry })).toEqual({ do: 'nothing' })
})

it('An Ingress whose class is missing may be ours again in a moment: it keeps its address for the grace', () => {
  const since = now - minute
  expect(decide({ belonging: 'unknown', since })).toMatchObject({ do: 'wait' })
  const long = now - 11 * minute
  expect(decide({ belonging: 'unknown', since: long })).toEqual({ do: 'clear' })
})

it('The address of an Ingress of another Portcullis is left alone, although our field manager wrote it', () => {
  const entry = { addresses: [{ ip: '10.0.0.2' }], lostSince: undefined }
  expect(decide({ belonging: 'otherInstance', entry })).toEqual({ do: 'nothing' })
})

it('An address that others wrote stays when the class, or the controller’s address, is gone', () => {
  const ingress = anIngress('10.0.0.9', 'theirs')
  expect(decide({ ingress, belonging: 'unknown', since: 0 })).toEqual({ do: 'nothing' })
  expect(decide({ ingress, entry: nowhere(60) })).toEqual({ do: 'nothing' })
})
