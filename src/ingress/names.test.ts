import { expect, test } from 'vitest'
import {
  controllersWanting,
  internalServiceName,
  longestControllerName,
  ownerLabel,
  ownerOf,
  routerName,
} from './names.ts'

test('whoever wants a name is found by it', () => {
  expect(controllersWanting(routerName('edge'))).toContain('edge')
  expect(controllersWanting(internalServiceName('edge'))).toContain('edge')
  expect(controllersWanting('something-else')).toEqual([])
})

test('the internal Service of one controller may have the name of another’s: both are woken', () => {
  expect(controllersWanting('router-internal-edge')).toEqual(
    expect.arrayContaining(['edge', 'internal-edge']),
  )
})

test('an object is ours by its label, never by its name', () => {
  expect(ownerOf({ metadata: { labels: { [ownerLabel]: 'edge' } } })).toBe('edge')
  expect(ownerOf({ metadata: {} })).toBeUndefined()
  expect(ownerOf({})).toBeUndefined()
})

test('the longest name still makes the name of a Service', () => {
  expect(internalServiceName('x'.repeat(longestControllerName))).toHaveLength(63)
})
