import type { DeepReadonly } from '@portcullis/kube'
import type { InfrastructureStatus } from '../api/infrastructure.ts'

/**
 * Is the load balancer of API and ingress the customer's, and not made of the cluster's own nodes?
 *
 * It is when it is called so (`UserManaged`), and on vSphere also where there are no virtual IPs: that was the way to
 * say it before there was a field, and is kept for this platform alone. The field is no help there: the API server
 * fills it in with `OpenShiftManagedDefault`.
 */
export function hasCustomersLoadBalancer(status: DeepReadonly<InfrastructureStatus> | undefined): boolean {
  const { type, baremetal, nutanix, openstack, ovirt, vsphere } = status?.platformStatus ?? {}
  const platforms = [baremetal, nutanix, openstack, ovirt, vsphere]
  if (platforms.some((platform) => platform?.loadBalancer?.type === 'UserManaged')) return true
  const isVSphere = type === 'VSphere' || vsphere !== undefined
  const { apiServerInternalIPs = [], apiServerInternalIP = '' } = vsphere ?? {}
  return isVSphere && apiServerInternalIPs.length === 0 && apiServerInternalIP === ''
}
