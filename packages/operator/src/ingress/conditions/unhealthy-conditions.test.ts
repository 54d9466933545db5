import { expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import type { Condition } from './summary-conditions.ts'
import { unhealthyConditions } from './unhealthy-conditions.ts'

const is = (type: string, status: Condition['status'] = 'False', reason = 'Because'): Condition => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2030-01-01T00:00:00Z',
})
const unhealthyTypes = (...conditions: Condition[]) => unhealthyConditions(conditions).map(({ type }) => type)

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
  expect(unhealthyTypes(...types.toReversed().map((type) => is(type)))).toEqual(types)
  expect(unhealthyTypes(...types.map((type) => is(type, 'Unknown')))).toEqual(types)
  expect(unhealthyTypes(...types.map((type) => is(type, 'True')))).toEqual([])
  expect(unhealthyTypes(is('Progressing'), is('Upgradeable'))).toEqual([])
})

test('of a controller that is published there is nothing to complain about', () => {
  const { controller } = anIngressController().on('AWS').published()
  expect(unhealthyConditions(controller.status.conditions)).toEqual([])
})

test('ports that the cluster itself uses are complained about although they are free', () => {
  expect(unhealthyTypes(is('PortsAvailable', 'True', 'PortReserved'))).toEqual(['PortsAvailable'])
})

test('a port conflict is told once: by the ports where they say so, else by the pods', () => {
  const conflict = is('PodsScheduled', 'False', 'PortConflict')
  expect(unhealthyTypes(is('PortsAvailable'), conflict)).toEqual(['PortsAvailable'])
  expect(unhealthyTypes(conflict)).toEqual(['PodsScheduled'])
  expect(unhealthyTypes(is('PortsAvailable'), is('PodsStarted', 'False', 'PortConflict'))).toEqual([
    'PortsAvailable',
    'PodsStarted',
  ])
})

test('routers that are not available are complained about only where no pod tells why', () => {
  const routers = is('DeploymentAvailable')
  expect(unhealthyTypes(routers)).toEqual(['DeploymentAvailable'])
  expect(unhealthyTypes(routers, is('PodsScheduled'))).toEqual(['PodsScheduled'])
  expect(unhealthyTypes(routers, is('PodsStarted'))).toEqual(['PodsStarted'])
})
