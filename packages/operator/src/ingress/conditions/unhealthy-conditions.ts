import { findCondition } from '@portcullis/kube'
import type { Condition } from './summary-conditions.ts'

/** What is bad news when it is not True, the cause before what follows from it. */
const shouldBeTrue = [
  'Admitted',
  'OperandsManaged',
  'LoadBalancerReady',
  'PortsAvailable',
  'PodsScheduled',
  'PodsStarted',
  'DeploymentAvailable',
  'AddressesUncontested',
  'AllFieldsSupported',
] as const

/** What conditions complain about, each thing once. */
export function unhealthyConditions(conditions: readonly Condition[] | undefined): Condition[] {
  const wrong = shouldBeTrue.flatMap((type) => {
    const condition = findCondition(conditions, type)
    const isFine = condition === undefined || condition.status === 'True'
    return isFine && condition?.reason !== 'PortReserved' ? [] : condition
  })
  const isWrong = (...types: string[]) => wrong.some(({ type }) => types.includes(type))
  return wrong.filter(({ type, reason }) => {
    if (type === 'PodsScheduled' && reason === 'PortConflict') return !isWrong('PortsAvailable')
    if (type === 'DeploymentAvailable') return !isWrong('PodsScheduled', 'PodsStarted')
    return true
  })
}
