import type { Key } from '@portcullis/kube'
import { millisecondsIn } from '../api/duration.ts'
import { type OperatorConfiguration, operatorConfiguration } from '../api/operator-configuration.ts'
import type { Address } from './address.ts'
import type { ClassRules } from './ingress-class.ts'
import { parseStaticAddresses } from './static-addresses.ts'

export interface AddressSettings extends ClassRules {
  /** The addresses of every Ingress of ours, whatever is observed; empty where they are to be observed. */
  readonly staticAddresses: readonly Address[]
  /** The same for Ingresses of single classes; these come before. */
  readonly classAddresses: ReadonlyMap<string, readonly Address[]>
  /** The Service by whose addresses Ingresses are reached, instead of their controller's. */
  readonly publishService: Key | undefined
  /** Whether that may be the cluster IP. */
  readonly publishClusterIp: boolean
  /** How long addresses outlive their loss; infinity for ever. */
  readonly lostAddressGraceMs: number
}

export function addressSettingsOf(configuration: OperatorConfiguration): AddressSettings {
  const { ingressStatusAddress, classAddresses, publishService, publishClusterIp } = configuration
  const { lostAddressGrace, ingressWithoutClass, ingressClassName } = configuration
  const byClass = Object.entries(classAddresses).map(
    ([name, addresses]) => [name, parseStaticAddresses(addresses)] as const,
  )
  return {
    staticAddresses: parseStaticAddresses(ingressStatusAddress),
    classAddresses: new Map(byClass),
    publishService,
    publishClusterIp,
    // All that the schema lets through beside a duration is "never".
    lostAddressGraceMs: millisecondsIn(lostAddressGrace) ?? Number.POSITIVE_INFINITY,
    withoutClass: ingressWithoutClass,
    classNames: ingressClassName,
    controllerNamespace: configuration.operatorNamespace,
  }
}

export const defaultAddressSettings = addressSettingsOf(operatorConfiguration.parse({}))
