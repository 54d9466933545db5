import { expect, test } from 'vitest'
import type { Condition } from '../api/ingress-controller.ts'
import { addressText, hasNewAddress, publishedAddress } from './published-address.ts'

const lastTransitionTime = '2030-01-01T00:00:00Z'
const published = (status: Condition['status'], message?: string) => ({
  conditions: [{ type: 'Published', status, lastTransitionTime, ...(message !== undefined && { message }) }],
})

test.each([
  ['a controller without a status', undefined, ''],
  ['one that has not been reported on', { conditions: [] }, ''],
  ['one that is published', published('True', '192.0.2.1'), '192.0.2.1'],
  ['one that is published under no address', published('True'), ''],
  ['one that is not published', published('False', 'There is no address.'), ''],
])('The published address of %s is read from its condition', (_, status, address) => {
  expect(publishedAddress(status)).toBe(address)
})

test('Addresses are formatted in one order, each once, and those without an address not at all', () => {
  const addresses = [{ ip: '192.0.2.2' }, { hostname: 'lb.example.com' }, { ip: '192.0.2.1' }, {}]
  expect(addressText([...addresses, { ip: '192.0.2.2' }])).toBe('192.0.2.1,192.0.2.2,lb.example.com')
  expect(addressText([])).toBe('')
})

test.each([
  ['192.0.2.1', published('True', '192.0.2.1'), false],
  ['192.0.2.2', published('True', '192.0.2.1'), true],
  ['192.0.2.2', published('False'), true],
  [undefined, published('True', '192.0.2.1'), false],
  [undefined, undefined, false],
])('The address %s of a load balancer is new to the status %j: %s', (ip, status, isNew) => {
  const service = {
    metadata: { namespace: 'openshift-ingress', name: 'router-edge', uid: 's', resourceVersion: '1' },
    status: { loadBalancer: { ingress: ip === undefined ? [] : [{ ip }] } },
  }
  expect(hasNewAddress(service, status)).toBe(isNew)
})
