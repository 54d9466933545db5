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

test('The unhealthy conditions are all that should be True and are not, causes before their effects', () => {
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

test('The unhealthy conditions are none for an IngressController that is published', () => {
  const { controller } = anIngressController().on('AWS').published()
  expect(unhealthyConditions(controller.status.conditions)).toEqual([])
})

test('The unhealthy conditions include reserved ports although they are free', () => {
  expect(unhealthyTypes(is('PortsAvailable', 'True', 'PortReserved'))).toEqual(['PortsAvailable'])
})

test('The unhealthy conditions include a port conflict once: PortsAvailable if it reports one, else PodsScheduled', () => {
  const conflict = is('PodsScheduled', 'False', 'PortConflict')
  expect(unhealthyTypes(is('PortsAvailable'), conflict)).toEqual(['PortsAvailable'])
  expect(unhealthyTypes(conflict)).toEqual(['PodsScheduled'])
  expect(unhealthyTypes(is('PortsAvailable'), is('PodsStarted', 'False', 'PortConflict'))).toEqual([
    'PortsAvailable',
    'PodsStarted',
  ])
})

test('The unhealthy conditions include unavailable routers only if no condition about pods gives the cause', () => {
  const routers = is('DeploymentAvailable')
  expect(unhealthyTypes(routers)).toEqual(['DeploymentAvailable'])
  expect(unhealthyTypes(routers, is('PodsScheduled'))).toEqual(['PodsScheduled'])
  expect(unhealthyTypes(routers, is('PodsStarted'))).toEqual(['PodsStarted'])
})
