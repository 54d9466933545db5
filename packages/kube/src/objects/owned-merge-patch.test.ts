import { expect, test } from 'vitest'
import { createdObject, patchedObject } from '../simulated/writes.ts'
import { applyMergePatch, type MergePatch } from './merge-patch.ts'
import { ownedMergePatch, REMOVE_IF_OWNED } from './owned-merge-patch.ts'

const now = new Date('2030-01-01T00:00:00Z')

/** An object of which a part was written by us, and then something by others. */
function written(ours: object, others: MergePatch = {}) {
  const created = createdObject({ metadata: {}, ...ours }, 'uid', { manager: 'ours', now })
  return patchedObject(created, others, { manager: 'theirs', now })
}

const pod = (spec: object) => ({ spec: { template: { spec } } })

test('There is no patch where everything wanted is there, whatever else is', () => {
  const live = written(
    { spec: { replicas: 2 } },
    { spec: { revisionHistoryLimit: 10 }, metadata: { labels: { a: 'b' } } },
  )
  expect(ownedMergePatch(live, { spec: { replicas: 2 } }, 'ours')).toBeUndefined()
})

test('Only what differs is patched', () => {
  const live = written({ spec: { replicas: 2, minReadySeconds: 30 } })
  expect(ownedMergePatch(live, { spec: { replicas: 3, minReadySeconds: 30 } }, 'ours')).toEqual({
    spec: { replicas: 3 },
  })
})

test('A null removes the field of any manager; REMOVE_IF_OWNED only one that we set', () => {
  const live = written(
    { metadata: { annotations: { ours: '1', gone: '1' } } },
    { metadata: { annotations: { theirs: '1', gone: null } } },
  )
  const wanted = {
    annotations: { ours: REMOVE_IF_OWNED, theirs: REMOVE_IF_OWNED, gone: REMOVE_IF_OWNED, never: null },
  }
  expect(ownedMergePatch(live, { metadata: wanted }, 'ours')).toEqual({
    metadata: { annotations: { ours: null } },
  })
  expect(ownedMergePatch(live, { metadata: { annotations: { theirs: null } } }, 'ours')).toEqual({
    metadata: { annotations: { theirs: null } },
  })
})

test('A field that another manager changed after us is not ours', () => {
  const live = written({ spec: { ranges: ['a'] } }, { spec: { ranges: ['b'] } })
  expect(ownedMergePatch(live, { spec: { ranges: REMOVE_IF_OWNED } }, 'ours')).toBeUndefined()
})

test('Our old keys are removed from a map whose keys the spec chooses', () => {
  const live = written(pod({ nodeSelector: { old: '', kept: '' } }))
  expect(ownedMergePatch(live, pod({ nodeSelector: { kept: '', new: '' } }), 'ours')).toEqual(
    pod({ nodeSelector: { old: null, new: '' } }),
  )
})

test('Nothing is removed from such a map where another manager wrote to it after us: it is undivided', () => {
  const live = written(pod({ nodeSelector: { old: '', kept: '' } }), pod({ nodeSelector: { theirs: '' } }))
  expect(ownedMergePatch(live, pod({ nodeSelector: { kept: '', new: '' } }), 'ours')).toEqual(
    pod({ nodeSelector: { new: '' } }),
  )
})

test('In a list with keys our items are updated, our old ones removed, and those of others kept with their defaults', () => {
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
  expect(ownedMergePatch(live, wanted, 'ours')).toEqual(
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

test('The order of items with keys does not matter', () => {
  const env = [
    { name: 'A', value: '1' },
    { name: 'B', value: '2' },
  ]
  const live = written(pod({ containers: [{ name: 'router', env }] }))
  expect(
    ownedMergePatch(live, pod({ containers: [{ name: 'router', env: env.toReversed() }] }), 'ours'),
  ).toBeUndefined()
})

test('A port keeps the node port that the server gave it, and is matched by number and protocol', () => {
  const live = written({ spec: { ports: [{ port: 80, protocol: 'TCP', nodePort: 30080, targetPort: 'x' }] } })
  const wanted = { spec: { ports: [{ port: 80, protocol: 'TCP', targetPort: 'http' }] } }
  expect(ownedMergePatch(live, wanted, 'ours')).toEqual({
    spec: { ports: [{ port: 80, protocol: 'TCP', nodePort: 30080, targetPort: 'http' }] },
  })
})

test('Other lists are replaced whole; an empty list and none are the same', () => {
  const live = written({ spec: { tolerations: [{ key: 'a' }] } })
  expect(ownedMergePatch(live, { spec: { tolerations: [{ key: 'b' }] } }, 'ours')).toEqual({
    spec: { tolerations: [{ key: 'b' }] },
  })
  expect(ownedMergePatch({ spec: {} }, { spec: { tolerations: [] } }, 'ours')).toBeUndefined()
})

test('Once the patch is applied there is nothing left to do', () => {
  const live = written({ spec: { replicas: 1, old: 'x' }, metadata: { annotations: { a: '1' } } })
  const wanted = {
    spec: { replicas: 2, old: REMOVE_IF_OWNED },
    metadata: { annotations: { a: REMOVE_IF_OWNED, b: '1' } },
  }
  const patch = ownedMergePatch(live, wanted, 'ours') ?? {}
  expect(ownedMergePatch(applyMergePatch(live, patch), wanted, 'ours')).toBeUndefined()
})

test.each([
  { list: 'containers', live: { name: 'a', x: 1, y: 1 }, wanted: { name: 'a', x: 2 } },
  { list: 'initContainers', live: { name: 'a', x: 1, y: 1 }, wanted: { name: 'a', x: 2 } },
  { list: 'env', live: { name: 'a', x: 1, y: 1 }, wanted: { name: 'a', x: 2 } },
  { list: 'volumes', live: { name: 'a', x: 1, y: 1 }, wanted: { name: 'a', x: 2 } },
  { list: 'volumeMounts', live: { mountPath: '/a', x: 1, y: 1 }, wanted: { mountPath: '/a', x: 2 } },
  { list: 'ports', live: { containerPort: 80, x: 1, y: 1 }, wanted: { containerPort: 80, x: 2 } },
  { list: 'ports', live: { port: 80, protocol: 'TCP', x: 1, y: 1 }, wanted: { port: 80, x: 2 } },
  { list: 'ports', live: { port: 80, x: 1, y: 1 }, wanted: { port: 80, protocol: 'TCP', x: 2 } },
])('The items of $list are matched by their keys: $wanted updates $live', ({ list, live, wanted }) => {
  const others = [{ name: 'b', mountPath: '/b', containerPort: 81, port: 81 }]
  const patch = ownedMergePatch(
    { spec: { [list]: [...others, live] } },
    { spec: { [list]: [wanted] } },
    'ours',
  )
  expect(patch).toEqual({ spec: { [list]: [...others, { ...live, ...wanted }] } })
})

test.each(['port', 'containerPort'])(
  'With a %s, ports of one number and different protocols are two, and so are ports of different numbers',
  (number) => {
    const live = { spec: { ports: [{ [number]: 80, protocol: 'UDP' }, { [number]: 8080 }] } }
    const wanted = { [number]: 80, protocol: 'TCP' }
    expect(ownedMergePatch(live, { spec: { ports: [wanted] } }, 'ours')).toEqual({
      spec: { ports: [...live.spec.ports, wanted] },
    })
  },
)

test('A field that is not mentioned, or mentioned as undefined, is left alone', () => {
  const live = written({ spec: { replicas: 2, paused: true } })
  expect(ownedMergePatch(live, { spec: { replicas: undefined } }, 'ours')).toBeUndefined()
})

test('An absent field need not be removed, and a value that is not an object becomes one', () => {
  expect(ownedMergePatch({}, { spec: { paused: null, type: REMOVE_IF_OWNED } }, 'ours')).toBeUndefined()
  expect(ownedMergePatch({ spec: 'odd' }, { spec: { replicas: 1 } }, 'ours')).toEqual({
    spec: { replicas: 1 },
  })
})

test('In any other map the keys that we do not name stay, whether the server divides it or not', () => {
  const live = written({
    metadata: { labels: { old: '1', kept: '1' } },
    spec: { selector: { old: '1', kept: '1' } },
  })
  const wanted = { metadata: { labels: { kept: '1' } }, spec: { selector: { kept: '1' } } }
  expect(ownedMergePatch(live, wanted, 'ours')).toBeUndefined()
})

test('In a map whose keys the spec chooses nothing but our old keys is patched, and nothing where there are none', () => {
  const live = written(pod({ nodeSelector: { old: '', constructor: '', kept: '' } }))
  expect(ownedMergePatch(live, pod({ nodeSelector: { kept: '' } }), 'ours')).toEqual(
    pod({ nodeSelector: { old: null, constructor: null } }),
  )
  const settled = written(pod({ nodeSelector: { kept: '' } }))
  expect(ownedMergePatch(settled, pod({ nodeSelector: { kept: '' } }), 'ours')).toBeUndefined()
})

test('A value that is not an item is dropped from a list of items, and a list that does not exist is created', () => {
  const wanted = { spec: { containers: [{ name: 'router' }] } }
  expect(ownedMergePatch({ spec: { containers: ['odd', { name: 'router' }] } }, wanted, 'ours')).toEqual(
    wanted,
  )
  expect(ownedMergePatch({ spec: { containers: 'odd' } }, wanted, 'ours')).toEqual(wanted)
})
