import { duplicate, type FieldError, invalid, notSupported, required } from '@portcullis/schema'
import type { ServiceSpec } from 'kubernetes-types/core/v1'
import { familyOf, isAddress6, validateAddress } from './addresses.ts'
import { isHeadless, needsClusterIp } from './service-types.ts'

const families = ['IPv4', 'IPv6'] as const
const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'] as const

/** `clusterIP`, `clusterIPs`, `ipFamilies` and `ipFamilyPolicy` must agree. */
export function validateClusterIps(spec: ServiceSpec, before: ServiceSpec | undefined): FieldError[] {
  if (!needsClusterIp(spec)) return []
  const errors: FieldError[] = []
  const { clusterIP = '', clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec
  const field = 'spec.clusterIPs'
  if (clusterIP === '') {
    if (clusterIPs.length > 0)
      errors.push(invalid(field, clusterIPs, 'must be empty when `clusterIP` is not specified'))
  } else if (clusterIPs.length === 0) errors.push(required(field))
  else if (clusterIPs[0] !== clusterIP)
    errors.push(invalid(field, clusterIPs, 'first value must match `clusterIP`'))

  for (const [index, family] of ipFamilies.entries()) {
    if (!families.some((one) => one === family))
      errors.push(notSupported(`spec.ipFamilies[${index}]`, family, families))
    if (ipFamilies.indexOf(family) < index) errors.push(duplicate(`spec.ipFamilies[${index}]`, family))
  }
  if (ipFamilyPolicy !== undefined && !policies.some((one) => one === ipFamilyPolicy))
    errors.push(notSupported('spec.ipFamilyPolicy', ipFamilyPolicy, policies))

  let malformed = false
  for (const [index, address] of clusterIPs.entries()) {
    const wrong =
      index > 0 || address !== 'None'
        ? validateAddress(`${field}[${index}]`, address, before?.clusterIPs)
        : clusterIPs.length > 1
          ? [invalid(field, clusterIPs, "'None' must be the first and only value")]
          : []
    malformed ||= wrong.length > 0
    errors.push(...wrong)
  }
  if (clusterIPs.length > 2) errors.push(invalid(field, clusterIPs, 'may only hold up to 2 values'))
  if (malformed) return errors

  if (clusterIPs.length > 1 && new Set(clusterIPs.map(familyOf)).size < 2)
    errors.push(invalid(field, clusterIPs, 'may specify no more than one IP for each IP family'))
  if (isHeadless(spec)) return errors
  for (const [index, address] of clusterIPs.entries()) {
    const family = ipFamilies[index]
    if (family === 'IPv4' && isAddress6(address))
      errors.push(
        invalid(
          `${field}[${index}]`,
          address,
          `expected an IPv4 value as indicated by \`ipFamilies[${index}]\``,
        ),
      )
    if (family === 'IPv6' && !isAddress6(address))
      errors.push(
        invalid(
          `${field}[${index}]`,
          address,
          `expected an IPv6 value as indicated by \`ipFamilies[${index}]\``,
        ),
      )
  }
  return errors
}

/** The primary address and family stay; a second one may come and go. */
export function validateClusterIpsUpdate(spec: ServiceSpec, before: ServiceSpec): FieldError[] {
  if (!needsClusterIp(spec) || !needsClusterIp(before)) return []
  const errors: FieldError[] = []
  const now = spec.clusterIPs ?? []
  const then = before.clusterIPs ?? []
  if (isHeadless(spec) && isHeadless(before)) return []
  if (now.length === then.length) {
    for (const [index, address] of then.entries())
      if (address !== now[index])
        errors.push(invalid(`spec.clusterIPs[${index}]`, now, 'may not change once set'))
  } else {
    if (now.length === 0)
      errors.push(invalid('spec.clusterIPs[0]', null, 'primary clusterIP can not be unset'))
    if (then.length > 0 && now.length > 0 && now[0] !== then[0])
      errors.push(invalid('spec.clusterIPs[0]', now, 'may not change once set'))
    if (now.length === 1 && then.length > 1 && spec.ipFamilyPolicy !== 'SingleStack')
      errors.push(
        invalid(
          'spec.ipFamilyPolicy',
          spec.ipFamilyPolicy,
          "must be set to 'SingleStack' when releasing the secondary clusterIP",
        ),
      )
  }
  return errors
}

export function validateFamiliesUpdate(spec: ServiceSpec, before: ServiceSpec): FieldError[] {
  if (!needsClusterIp(spec) || !needsClusterIp(before)) return []
  if (isHeadless(spec) || isHeadless(before)) return []
  const errors: FieldError[] = []
  const now = spec.ipFamilies ?? []
  const then = before.ipFamilies ?? []
  if (now.length === then.length) {
    for (const [index, family] of then.entries())
      if (family !== now[index]) errors.push(invalid('spec.ipFamilies[0]', now, 'may not change once set'))
  } else {
    if (then.length > 0 && now.length > 0 && now[0] !== then[0])
      errors.push(invalid('spec.ipFamilies[0]', spec.clusterIPs ?? null, 'may not change once set'))
    if (now.length === 1 && then.length > 1 && spec.ipFamilyPolicy !== 'SingleStack')
      errors.push(
        invalid(
          'spec.ipFamilyPolicy',
          spec.ipFamilyPolicy,
          "must be set to 'SingleStack' when releasing the secondary ipFamily",
        ),
      )
  }
  return errors
}
