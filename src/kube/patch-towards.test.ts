import { expect, test } from 'vitest'
import { FieldAccount } from '../../test/ingress/field-account.ts'
import { applyMergePatch } from './merge-patch.ts'
import { absentIfOurs, patchTowards } from './patch-towards.ts'

const time = '2030-01-01T00:00:00Z'

/** An object of which a part was written by us, and then something by others. */
function written(ours: object, others: object = {}) {
  const account = new FieldAccount()
  const whole = applyMergePatch(ours, others as never)
  account.book('ours', {}, ours, time)
  account.book('theirs', ours, whole, time)
  return applyMergePatch(whole, { metadata: { managedFields: account.managedFields } })
}

const pod = (spec: object) => ({ spec: { template: { spec } } })

test('nothing is to be done where everything that is wanted is there, whatever else is', () => {
  const live = written(
    { spec: { replicas: 2 } },
    { spec: { revisionHistoryLimit: 10 }, metadata: { labels: { a: 'b' } } },
  )
  expect(patchTowards(live, { spec: { replicas: 2 } }, 'ours')).toBeUndefined()
})

test('only what differs is patched', () => {
  const live = written({ spec: { replicas: 2, minReadySeconds: 30 } })
  expect(patchTowards(live, { spec: { replicas: 3, minReadySeconds: 30 } }, 'ours')).toEqual({
    spec: { replicas: 3 },
  })
})

test('null removes a field whoever set it; absentIfOurs only one that we set', () => {
  const live = written(
    { metadata: { annotations: { ours: '1', gone: '1' } } },
    { metadata: { annotations: { theirs: '1', gone: null } } },
  )
  const wanted = {
    annotations: { ours: absentIfOurs, theirs: absentIfOurs, gone: absentIfOurs, never: null },
  }
  expect(patchTowards(live, { metadata: wanted }, 'ours')).toEqual({
    metadata: { annotations: { ours: null } },
  })
  expect(patchTowards(live, { metadata: { annotations: { theirs: null } } }, 'ours')).toEqual({
    metadata: { annotations: { theirs: null } },
  })
})

test('what somebody else changed after us is theirs', () => {
  const live = written({ spec: { ranges: ['a'] } }, { spec: { ranges: ['b'] } })
  expect(patchTowards(live, { spec: { ranges: absentIfOurs } }, 'ours')).toBeUndefined()
})

test('of a map whose keys the spec chooses, our old keys go', () => {
  const live = written(pod({ nodeSelector: { old: '', kept: '' } }))
  expect(patchTowards(live, pod({ nodeSelector: { kept: '', new: '' } }), 'ours')).toEqual(
    pod({ nodeSelector: { old: null, new: '' } }),
  )
})

test('such a map is not divided: where somebody else wrote to it after us, nothing goes', () => {
  const live = written(pod({ nodeSelector: { old: '', kept: '' } }), pod({ nodeSelector: { theirs: '' } }))
  expect(patchTowards(live, pod({ nodeSelector: { kept: '', new: '' } }), 'ours')).toEqual(
    pod({ nodeSelector: { new: '' } }),
  )
})

test('of a list with keys, our items are mended, our old ones go, those of others stay with what the server filled in', () => {
  const live = written(
    pod({
      containers: [
        {
          name: 'router',
          env: [
            { name: 'A', value: '1' },
            { name: 'OLD', value: '1' },
          ],
        },
      ],
    }),
    pod({
      containers: [
        {
          name: 'router',
          imagePullPolicy: 'Always',
          env: [
            { name: 'A', value: '1' },
            { name: 'OLD', value: '1' },
            { name: 'THEIRS', value: '1' },
          ],
        },
        { name: 'sidecar' },
      ],
    }),
  )
  const wanted = pod({
    containers: [
      {
        name: 'router',
        env: [
          { name: 'A', value: '2' },
          { name: 'NEW', value: '3' },
        ],
      },
    ],
  })
  expect(patchTowards(live, wanted, 'ours')).toEqual(
    pod({
      containers: [
        {
          name: 'router',
          imagePullPolicy: 'Always',
          env: [
            { name: 'A', value: '2' },
            { name: 'THEIRS', value: '1' },
            { name: 'NEW', value: '3' },
          ],
        },
        { name: 'sidecar' },
      ],
    }),
  )
})

test('the order of items that have keys is of no matter', () => {
  const env = [
    { name: 'A', value: '1' },
    { name: 'B', value: '2' },
  ]
  const live = written(pod({ containers: [{ name: 'router', env }] }))
  expect(
    patchTowards(live, pod({ containers: [{ name: 'router', env: env.toReversed() }] }), 'ours'),
  ).toBeUndefined()
})

test('a port keeps the node port that the server gave it, and is known by number and protocol', () => {
  const live = written({ spec: { ports: [{ port: 80, protocol: 'TCP', nodePort: 30080, targetPort: 'x' }] } })
  const wanted = { spec: { ports: [{ port: 80, protocol: 'TCP', targetPort: 'http' }] } }
  expect(patchTowards(live, wanted, 'ours')).toEqual({
    spec: { ports: [{ port: 80, protocol: 'TCP', nodePort: 30080, targetPort: 'http' }] },
  })
})

test('other lists are replaced whole; an empty one and none are the same', () => {
  const live = written({ spec: { tolerations: [{ key: 'a' }] } })
  expect(patchTowards(live, { spec: { tolerations: [{ key: 'b' }] } }, 'ours')).toEqual({
    spec: { tolerations: [{ key: 'b' }] },
  })
  expect(patchTowards({ spec: {} }, { spec: { tolerations: [] } }, 'ours')).toBeUndefined()
})

test('once the patch is applied there is nothing left to do', () => {
  const live = written({ spec: { replicas: 1, old: 'x' }, metadata: { annotations: { a: '1' } } })
  const wanted = {
    spec: { replicas: 2, old: absentIfOurs },
    metadata: { annotations: { a: absentIfOurs, b: '1' } },
  }
  const patch = patchTowards(live, wanted, 'ours') ?? {}
  expect(patchTowards(applyMergePatch(live, patch), wanted, 'ours')).toBeUndefined()
})
