import { isTrue, type KubeApi, kind, Node as NodeKind, Pod } from '@portcullis/kube'
import type { InfrastructureObject, IngressControllerObject } from '@portcullis/operator'
import type { Node } from 'kubernetes-types/core/v1'
import type { RouterPorts } from '../load-balancer/services.ts'

const Infrastructure = kind<InfrastructureObject>('config.openshift.io/v1', 'Infrastructure')
const IngressController = kind<IngressControllerObject>('operator.openshift.io/v1', 'IngressController')

/** By which routers are known, and of whose controller they are. */
const routerLabel = 'ingresscontroller.operator.openshift.io/deployment-ingresscontroller'
const controlPlaneLabels = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']

export interface LiveCluster {
  readonly domain: string | undefined
  readonly apiVips: readonly string[]
  readonly ingressVips: readonly string[]
  readonly nodesAskOutside: boolean
  readonly controlPlane: readonly ServingNode[]
  /** The nodes with a router that is ready. */
  readonly routers: readonly ServingNode[]
  readonly routerPorts: RouterPorts
}

export interface ServingNode {
  readonly node: string
  readonly address: string
}

export interface Where {
  readonly operatorNamespace: string
  readonly operandNamespace: string
  /** The IngressController that the load balancer leads to. */
  readonly controller: string
}

/** Reads from a running cluster what its load balancer should be like. */
export async function readLiveCluster(
  client: Pick<KubeApi, 'get' | 'list'>,
  { operatorNamespace, operandNamespace, controller: name }: Where,
): Promise<LiveCluster> {
  const [infrastructure, controller, nodes, pods] = await Promise.all([
    client.get(Infrastructure, { name: 'cluster' }),
    client.get(IngressController, { namespace: operatorNamespace, name }),
    client.list(NodeKind),
    client.list(Pod, { namespace: operandNamespace, labelSelector: `${routerLabel}=${name}` }),
  ])
  const platform = platformOf(infrastructure)
  const strategy =
    controller.status?.endpointPublishingStrategy ?? controller.spec?.endpointPublishingStrategy
  const { httpPort, httpsPort, statsPort } = strategy?.hostNetwork ?? {}
  const domain = controller.status?.domain ?? controller.spec?.domain
  const withRouter = new Set(
    pods.items.filter(({ status }) => isTrue(status?.conditions, 'Ready')).map(({ spec }) => spec?.nodeName),
  )
  const serving = nodes.items.flatMap(servingNode)
  return {
    domain: domain?.replace(/^apps\./, ''),
    apiVips: vips(platform.apiServerInternalIPs, platform.apiServerInternalIP),
    ingressVips: vips(platform.ingressIPs, platform.ingressIP),
    nodesAskOutside: nodesAskOutside(infrastructure),
    controlPlane: serving.filter(({ isControlPlane }) => isControlPlane),
    routers: serving.filter(({ node }) => withRouter.has(node)),
    routerPorts: { httpPort, httpsPort, statsPort },
  }
}

function platformOf({ status }: InfrastructureObject) {
  const { baremetal, nutanix, openstack, ovirt, vsphere } = status?.platformStatus ?? {}
  return baremetal ?? nutanix ?? openstack ?? ovirt ?? vsphere ?? {}
}

/** As it was planned in the install-config: nodes answer for `api-int` themselves, but for some. */
export function nodesAskOutside(infrastructure: InfrastructureObject): boolean {
  const platform = platformOf(infrastructure)
  if (vips(platform.apiServerInternalIPs, platform.apiServerInternalIP).length === 0) return true
  if (platform.dnsRecordsType === 'External') return true
  return infrastructure.status?.platformStatus?.vsphere?.loadBalancer?.type === 'UserManaged'
}

function vips(list: readonly string[] | undefined, single: string | undefined): readonly string[] {
  if (list !== undefined && list.length > 0) return list
  return single ? [single] : []
}

function servingNode({ metadata, status }: Node): (ServingNode & { isControlPlane: boolean })[] {
  const address = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address
  const labels = metadata?.labels ?? {}
  const isControlPlane = controlPlaneLabels.some((label) => label in labels)
  return address === undefined ? [] : [{ node: metadata?.name ?? '', address, isControlPlane }]
}
