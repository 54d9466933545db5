import { describe, expect, test } from 'vitest'
import { fieldsOwnedBy, lastWriteBy, othersWhoSet } from './managed-fields.ts'

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

test('what a manager wrote is found, over all of its entries', () => {
  const owned = fieldsOwnedBy('ours', service)
  expect(owned.in('metadata').in('annotations').has('a.b/c')).toBe(true)
  expect(owned.in('spec').has('ports')).toBe(true)
})

test('what others wrote, and what nobody wrote, is not ours', () => {
  const owned = fieldsOwnedBy('ours', service)
  expect(owned.in('spec').has('type')).toBe(false)
  expect(owned.in('metadata').in('labels').has('a')).toBe(false)
})

test('what was written to a subresource does not count', () => {
  expect(fieldsOwnedBy('ours', service).has('status')).toBe(false)
})

test('an item of a list is found by its keys, and is ours if we put it there', () => {
  const ports = fieldsOwnedBy('ours', service).in('spec').in('ports')
  expect(ports.ofItem({ port: 80, protocol: 'TCP', nodePort: 30080 }).isWhole).toBe(true)
  expect(ports.ofItem({ port: 80, protocol: 'TCP' }).has('port')).toBe(true)
  expect(ports.ofItem({ port: 443, protocol: 'TCP' }).isWhole).toBe(false)
})

test('an item into which we only wrote a field is not ours', () => {
  const object = {
    metadata: { managedFields: [entry('ours', { 'f:env': { 'k:{"name":"A"}': { 'f:value': {} } } })] },
  }
  const item = fieldsOwnedBy('ours', object).in('env').ofItem({ name: 'A' })
  expect(item.isWhole).toBe(false)
  expect(item.has('value')).toBe(true)
})

test('the last write is that to the object itself, not to its status and not by others', () => {
  expect(lastWriteBy('ours', service)).toEqual(new Date('2030-01-01T00:00:00Z'))
  expect(lastWriteBy('nobody', service)).toBeUndefined()
})

test('an object without an account belongs to nobody', () => {
  expect(fieldsOwnedBy('ours', {}).has('spec')).toBe(false)
  expect(lastWriteBy('ours', { metadata: {} })).toBeUndefined()
})

describe('who else has set a field', () => {
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

  test('is everybody but us, and the last one first', () => {
    expect(othersWhoSet(['spec', 'ports'], 'ours', shared)).toEqual(['last', 'first', 'untimed'])
  })

  test('is nobody where nobody set it, or nothing is known', () => {
    expect(othersWhoSet(['spec', 'type'], 'ours', shared)).toEqual([])
    expect(othersWhoSet(['status', 'ports'], 'ours', shared)).toEqual([])
    expect(othersWhoSet(['spec'], 'ours', {})).toEqual([])
    expect(othersWhoSet([], 'ours', shared)).toEqual([])
  })

  test('is found at the root as well', () => {
    expect(othersWhoSet(['spec'], 'ours', shared)).toEqual(['another', 'last', 'first', 'untimed'])
  })
})

test('of several writes by a manager the last one counts', () => {
  const times = ['2030-01-01T00:00:00Z', '2032-01-01T00:00:00Z', '2031-01-01T00:00:00Z']
  const managedFields = times.map((time) => entry('ours', {}, { time }))
  expect(lastWriteBy('ours', { metadata: { managedFields } })).toEqual(new Date('2032-01-01T00:00:00Z'))
  expect(lastWriteBy('ours', {})).toBeUndefined()
})
