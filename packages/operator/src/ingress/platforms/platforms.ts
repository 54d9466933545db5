import { aws } from './aws.ts'
import { azure } from './azure.ts'
import { gcp } from './gcp.ts'
import { ibmcloud, powervs } from './ibm.ts'
import { openstack } from './openstack.ts'
import type { Platform } from './platform.ts'
import { withoutScopes } from './without-scopes.ts'

export const platforms: readonly Platform[] = [
  aws,
  azure,
  gcp,
  ibmcloud,
  powervs,
  openstack,
  ...withoutScopes,
]

export function platformNamed(name: string): Platform | undefined {
  return platforms.find((platform) => platform.name === name)
}
