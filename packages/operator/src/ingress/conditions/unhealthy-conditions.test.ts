import { expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import type { Since } from './summary-conditions.ts'
import { complaintsIn } from './unhealthy-conditions.ts'

const is = (type: string, status: Since['status'] = 'False', reason = 'Because'): Since => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2030-01-01T00:00:00Z',
})
const told = (...conditions: Since[]) => complaintsIn(conditions).map(({ type }) => type)

test('all that should be True and is not is complained about, the cause before what follows', () => {
  const types = [
    'Admitted',
    'OperandsManaged',
    'LoadBalancerReady',
    'PortsAvailable',
    'PodsScheduled',
    'PodsStarted',
    'AddressesUncontested',
    'AllFieldsSupported',
  ]
  expect(told(...types.toReversed().map((type) => is(type)))).toEqual(types)
  expect(told(...types.map((type) => is(type, 'Unknown')))).toEqual(types)
  expect(told(...types.map((type) => is(type, 'True')))).toEqual([])
  expect(told(is('Progressing'), is('Upgradeable'))).toEqual([])
})

test('of a controller that is published there is nothing to complain about', () => {
  const { controller } = anIngressController().on('AWS').published()
  expect(complaintsIn(controller.status.conditions)).toEqual([])
})

test('ports that the cluster itself uses are complained about although they are free', () => {
  expect(told(is('PortsAvailable', 'True', 'PortReserved'))).toEqual(['PortsAvailable'])
})

test('a port conflict is told once: by the ports where they say so, else by the pods', () => {
  const conflict = is('PodsScheduled', 'False', 'PortConflict')
  expect(told(is('PortsAvailable'), conflict)).toEqual(['PortsAvailable'])
  expect(told(conflict)).toEqual(['PodsScheduled'])
  expect(told(is('PortsAvailable'), is('PodsStarted', 'False', 'PortConflict'))).toEqual([
    'PortsAvailable',
    'PodsStarted',
  ])
})

test('routers that are not available are complained about only where no pod tells why', () => {
  const routers = is('DeploymentAvailable')
  expect(told(routers)).toEqual(['DeploymentAvailable'])
  expect(told(routers, is('PodsScheduled'))).toEqual(['PodsScheduled'])
  expect(told(routers, is('PodsStarted'))).toEqual(['PodsStarted'])
})
