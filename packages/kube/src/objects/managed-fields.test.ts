import { describe, expect, test } from 'vitest'
import { fieldsOwnedBy, lastChangeOf, lastWriteBy, otherManagersOf } from './managed-fields.ts'

const entry = (manager: string, fieldsV1: object, more: object = {}) => ({
  manager,
  operation: 'Update',
  fieldsV1,
  ...more,
})
const service = {
  metadata: {
    managedFields: [
      entry(
        'ours',
        { 'f:metadata': { 'f:annotations': { '.': {}, 'f:a.b/c': {} } } },
        { time: '2030-01-01T00:00:00Z' },
      ),
      entry('ours', {
        'f:spec': { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } },
      }),
      entry('ours', { 'f:status': { 'f:x': {} } }, { subresource: 'status', time: '2031-01-01T00:00:00Z' }),
      entry('theirs', { 'f:spec': { 'f:type': {} } }, { time: '2032-01-01T00:00:00Z' }),
    ],
  },
}

test('The fields of a manager are found over all of its entries', () => {
  const owned = fieldsOwnedBy('ours', service)
  expect(owned.in('metadata').in('annotations').has('a.b/c')).toBe(true)
  expect(owned.in('spec').has('ports')).toBe(true)
})

test('Fields of other managers, and of none, are not ours', () => {
  const owned = fieldsOwnedBy('ours', service)
  expect(owned.in('spec').has('type')).toBe(false)
  expect(owned.in('metadata').in('labels').has('a')).toBe(false)
})

test('A write to a subresource does not count', () => {
  expect(fieldsOwnedBy('ours', service).has('status')).toBe(false)
})

test('An item of a list is found by its keys, and is ours if we put it there', () => {
  const ports = fieldsOwnedBy('ours', service).in('spec').in('ports')
  expect(ports.ofItem({ port: 80, protocol: 'TCP', nodePort: 30080 }).isWhole).toBe(true)
  expect(ports.ofItem({ port: 80, protocol: 'TCP' }).has('port')).toBe(true)
  expect(ports.ofItem({ port: 443, protocol: 'TCP' }).isWhole).toBe(false)
})

test('An item into which we only wrote a field is not ours', () => {
  const object = {
    metadata: { managedFields: [entry('ours', { 'f:env': { 'k:{"name":"A"}': { 'f:value': {} } } })] },
  }
  const item = fieldsOwnedBy('ours', object).in('env').ofItem({ name: 'A' })
  expect(item.isWhole).toBe(false)
  expect(item.has('value')).toBe(true)
})

test('The last write is the one to the object itself, not to its status and not by others', () => {
  expect(lastWriteBy('ours', service)).toEqual(new Date('2030-01-01T00:00:00Z'))
  expect(lastWriteBy('nobody', service)).toBeUndefined()
})

test('An object without managedFields belongs to nobody', () => {
  expect(fieldsOwnedBy('ours', {}).has('spec')).toBe(false)
  expect(lastWriteBy('ours', { metadata: {} })).toBeUndefined()
})

describe('the other managers of a field', () => {
  const ports = { 'f:spec': { 'f:ports': { 'k:{"port":80}': { 'f:port': {} } } } }
  const selector = { 'f:spec': { 'f:selector': {} } }
  const shared = {
    metadata: {
      managedFields: [
        entry('first', ports, { time: '2030-01-01T00:00:00Z' }),
        entry('ours', ports, { time: '2033-01-01T00:00:00Z' }),
        entry('last', ports, { time: '2032-01-01T00:00:00Z' }),
        entry('another', selector, { time: '2034-01-01T00:00:00Z' }),
        entry('untimed', ports),
      ],
    },
  }

  test('The other managers of a field are all but us, and the last one comes first', () => {
    expect(otherManagersOf(['spec', 'ports'], 'ours', shared)).toEqual(['last', 'first', 'untimed'])
  })

  test('A field that nobody set has no other managers, nor has one of which nothing is known', () => {
    expect(otherManagersOf(['spec', 'type'], 'ours', shared)).toEqual([])
    expect(otherManagersOf(['status', 'ports'], 'ours', shared)).toEqual([])
    expect(otherManagersOf(['spec'], 'ours', {})).toEqual([])
    expect(otherManagersOf([], 'ours', shared)).toEqual([])
  })

  test('The other managers of a field come last where the time is not known', () => {
    const [timed, untimed] = [
      entry('timed', ports, { time: '2030-01-01T00:00:00Z' }),
      entry('untimed', ports),
    ]
    for (const managedFields of [
      [timed, untimed],
      [untimed, timed],
    ])
      expect(otherManagersOf(['spec'], 'ours', { metadata: { managedFields } })).toEqual(['timed', 'untimed'])
  })

  test('The other managers of a field are found at the root as well', () => {
    expect(otherManagersOf(['spec'], 'ours', shared)).toEqual(['another', 'last', 'first', 'untimed'])
  })
})

test('The last one of several writes by a manager counts', () => {
  const times = ['2030-01-01T00:00:00Z', '2032-01-01T00:00:00Z', '2031-01-01T00:00:00Z']
  const managedFields = times.map((time) => entry('ours', {}, { time }))
  expect(lastWriteBy('ours', { metadata: { managedFields } })).toEqual(new Date('2032-01-01T00:00:00Z'))
  expect(lastWriteBy('ours', {})).toBeUndefined()
})

describe('the last change of a field', () => {
  const status = { 'f:status': { 'f:loadBalancer': { 'f:ingress': {} } } }
  const shared = {
    metadata: {
      managedFields: [
        entry('ours', status, { time: '2030-01-01T00:00:00Z' }),
        entry('theirs', status, { time: '2032-01-01T00:00:00Z', subresource: 'status' }),
        entry('others', status, { time: '2031-01-01T00:00:00Z' }),
        entry('untimed', status),
        entry('another', { 'f:status': { 'f:conditions': {} } }, { time: '2034-01-01T00:00:00Z' }),
        entry('untold', {}, { time: '2035-01-01T00:00:00Z' }),
      ],
    },
  }

  test.each([
    { path: ['status', 'loadBalancer', 'ingress'], time: '2032-01-01T00:00:00Z' },
    { path: ['status', 'loadBalancer'], time: '2032-01-01T00:00:00Z' },
    { path: ['status'], time: '2034-01-01T00:00:00Z' },
  ])(
    'The last change of $path is the last write of a manager that set it, or something in it',
    ({ path, time }) => {
      expect(lastChangeOf(path, shared)).toEqual(new Date(time))
    },
  )

  test('The last change is not known of a field that nobody set, or of an object without managedFields', () => {
    expect(lastChangeOf(['spec', 'loadBalancer'], shared)).toBeUndefined()
    expect(lastChangeOf(['status', 'ingress'], shared)).toBeUndefined()
    expect(lastChangeOf(['status'], {})).toBeUndefined()
    expect(lastChangeOf([], { metadata: { managedFields: [entry('odd', { 'f:a': {} })] } })).toBeUndefined()
  })
})

test('A write to a subresource is found when asked for that subresource', () => {
  const owned = fieldsOwnedBy('ours', service, 'status')
  expect(owned.has('status')).toBe(true)
  expect(owned.has('spec')).toBe(false)
})

test.each([
  { fields: { 'f:map': {} }, is: true, what: 'one of which the server knows no parts' },
  { fields: { 'f:map': { 'f:a': {} } }, is: false, what: 'one of which it knows parts' },
  { fields: { 'f:map': { '.': {} } }, is: false, what: 'one that is there without any part' },
  { fields: {}, is: false, what: 'one that the manager did not set' },
  { fields: { 'f:map': null }, is: false, what: 'one that nothing is said of' },
])('A map is undivided: $is for $what', ({ fields, is }) => {
  const object = { metadata: { managedFields: [entry('ours', fields)] } }
  expect(fieldsOwnedBy('ours', object).in('map').isUndivided).toBe(is)
})

test('Entries of other managers, or without fields, take nothing from what a manager owns', () => {
  const { fieldsV1: _, ...withoutFields } = entry('ours', {})
  const [whole, undivided] = [{ 'f:list': { '.': {} } }, { 'f:map': {} }]
  const managedFields = [withoutFields, entry('ours', { 'f:list': { 'f:a': {} } }), entry('ours', whole)]
  const owned = fieldsOwnedBy('ours', {
    metadata: { managedFields: [...managedFields, entry('ours', undivided)] },
  })
  expect(owned.in('list').isWhole).toBe(true)
  expect(owned.in('map').isUndivided).toBe(true)
  expect(owned.in('list').ofItem({ name: 'a' }).isWhole).toBe(false)
})

test('An item is found by all of its keys, whatever stands beside it', () => {
  const ports = {
    '.': {},
    'v:"http"': {},
    'k:{"port":80,"protocol":"TCP"}': { '.': {} },
    'k:{"port":80,"protocol":"UDP"}': { 'f:name': {} },
  }
  const object = { metadata: { managedFields: [entry('ours', { 'f:ports': ports })] } }
  const item = (item: object) => fieldsOwnedBy('ours', object).in('ports').ofItem(item)
  expect(item({ port: 80, protocol: 'TCP' }).isWhole).toBe(true)
  expect(item({ port: 80, protocol: 'UDP' }).isWhole).toBe(false)
  expect(item({ port: 80, protocol: 'UDP' }).has('name')).toBe(true)
  expect(item({ port: 80 }).isWhole).toBe(false)
})
