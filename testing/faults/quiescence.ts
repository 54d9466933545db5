import { findCondition, type KubeObject, type Persisted } from '@portcullis/kube'
import type {
  InfrastructureObject as Infrastructure,
  IngressControllerObject as IngressController,
} from '@portcullis/operator'
import {
  ingressClassName,
  nodePortServiceName,
  ownerOf,
  routerLabel,
  routerName,
} from '@portcullis/operator/internal/ingress/names.ts'
import { cloudPlatforms } from '@portcullis/sandbox'
import type { Node, Pod, Service } from 'kubernetes-types/core/v1'
import type { Ingress } from 'kubernetes-types/networking/v1'
import { operandNamespace } from './simulation/api.ts'
import type { LoadBalancer } from './simulation/cloud.ts'
import type { Simulation } from './simulation/simulation.ts'

/** What a controller has made for it. */
const operands = [
  'services',
  'pods',
  'apps/deployments',
  'policy/poddisruptionbudgets',
  'networking.k8s.io/ingressclasses',
]

/** What is not as it should be when all is at rest: a sentence each. */
export function violationsWhenQuiescent(simulation: Simulation): string[] {
  const controllers = listed<IngressController>(simulation, 'operator.openshift.io/ingresscontrollers')
  return [
    ...wrongLoadBalancers(simulation),
    ...leftBehind(simulation, new Set(controllers.map(({ metadata }) => metadata.name))),
    ...controllers.flatMap((controller) =>
      controller.metadata.deletionTimestamp === undefined
        ? statusErrors(simulation, controller)
        : [`IngressController ${controller.metadata.name} has not gone`],
    ),
  ]
}

function wrongLoadBalancers(simulation: Simulation): string[] {
  const services = listed<Service>(simulation, 'services').filter(({ spec }) => spec?.type === 'LoadBalancer')
  const uids = new Set(services.map(({ metadata }) => metadata.uid))
  const unpaired = [...simulation.cloud.loadBalancers].flatMap(([uid, { service }]) =>
    uids.has(uid) ? [] : [`the cloud still has a load balancer for the Service ${service}, which is gone`],
  )
  const owners = services.flatMap((service) => ownerOf(service) ?? [])
  const several = [...new Set(owners)].flatMap((owner) => {
    const count = owners.filter((other) => other === owner).length
    return count > 1 ? [`IngressController ${owner} has ${count} load balancers`] : []
  })
  return [...unpaired, ...several]
}

/** What belongs to a controller goes with it. */
function leftBehind(simulation: Simulation, controllers: ReadonlySet<string>): string[] {
  return operands.flatMap((collection) =>
    simulation.api.storage.list(collection).flatMap(([key, object]) => {
      const owner = ownerOf(object)
      return owner === undefined || controllers.has(owner)
        ? []
        : [`${collection} ${key} has outlived IngressController ${owner}`]
    }),
  )
}

/** What is, whatever the operator says of it. */
interface Facts {
  readonly type: string | undefined
  /** How many routers run, and how many wait for a node. */
  readonly running: number
  readonly waiting: number
  readonly wantsBalancer: boolean
  readonly hasBalancer: boolean
  /** Whether the cloud cannot make it what it is to be. */
  readonly isRefused: boolean
  /** Whether the load balancer is another than the spec says, or is left over from an earlier one. */
  readonly differs: boolean
  readonly addresses: readonly string[]
  /** Whether another manager writes the same fields of its operands. */
  readonly isContested: boolean
}

/** When each condition is true. */
const conditions: Readonly<Record<string, (facts: Facts) => boolean>> = {
  Admitted: () => true,
  OperandsManaged: ({ isContested }) => !isContested,
  DeploymentAvailable: ({ running }) => running > 0,
  PodsScheduled: ({ waiting }) => waiting === 0,
  LoadBalancerManaged: ({ wantsBalancer }) => wantsBalancer,
  LoadBalancerReady: ({ wantsBalancer, hasBalancer, isRefused }) =>
    wantsBalancer && hasBalancer && !isRefused,
  LoadBalancerProgressing: ({ differs }) => differs,
  Available: ({ running, wantsBalancer, hasBalancer, isRefused }) =>
    running > 0 && (!wantsBalancer || (hasBalancer && !isRefused)),
  Progressing: ({ differs, waiting }) => differs || waiting > 0,
  // In these stories routers wait only for ports that others hold, and then long enough.
  Degraded: ({ running, waiting, wantsBalancer, hasBalancer, isRefused, isContested }) =>
    isContested || running === 0 || waiting > 0 || (wantsBalancer && (!hasBalancer || isRefused)),
  Published: ({ addresses }) => addresses.length > 0,
}

/** Where the status of a controller, or the address of one of its Ingresses, does not match the state of the simulation. */
function statusErrors(simulation: Simulation, controller: Persisted<IngressController>): string[] {
  const { status, metadata } = controller
  const facts = factsOf(simulation, controller)
  const wrong: string[] = []
  const { type, running, addresses } = facts
  if (status?.observedGeneration !== metadata.generation) wrong.push('its status speaks of an older spec')
  if (status?.endpointPublishingStrategy?.type !== type) wrong.push(`its status does not say ${type}`)
  if (status?.availableReplicas !== running)
    wrong.push(`${status?.availableReplicas} routers are available, not ${running}`)
  for (const [name, isTrue] of Object.entries(conditions)) {
    const condition = findCondition(status?.conditions, name)
    if ((condition?.status === 'True') !== isTrue(facts))
      wrong.push(
        `${name} is ${condition?.status} ${condition?.reason}, but this is so: ${JSON.stringify(facts)}`,
      )
  }
  const published = findCondition(status?.conditions, 'Published')?.message
  if (addresses.length > 0 && published !== addresses.join(','))
    wrong.push(`it is published at ${published}, but reached at ${addresses.join(',')}`)
  return [
    ...[...wrong, ...wrongServices(simulation, controller, facts)].map(
      (what) => `IngressController ${metadata.name}: ${what}`,
    ),
    ...wrongIngresses(simulation, controller, addresses),
  ]
}

function factsOf(simulation: Simulation, controller: Persisted<IngressController>): Facts {
  const { name } = controller.metadata
  const pods = listed<Pod>(simulation, 'pods').filter(
    ({ metadata }) => metadata.labels?.[routerLabel] === name,
  )
  const running = pods.filter(({ status }) => status?.phase === 'Running')
  const service = serviceNamed(simulation, routerName(name))
  const isOurs = service !== undefined && ownerOf(service) === name
  const balancer = isOurs ? simulation.cloud.loadBalancers.get(service.metadata.uid) : undefined
  const type = strategyOf(controller)
  const wantsBalancer = type === 'LoadBalancerService'
  return {
    type,
    running: running.length,
    waiting: pods.filter(({ spec }) => !spec?.nodeName).length,
    wantsBalancer,
    hasBalancer: balancer !== undefined,
    isRefused: isOurs && simulation.cloud.hasFailed(`${operandNamespace}/${routerName(name)}`),
    differs: wantsBalancer ? isAnother(simulation, controller, balancer) : isOurs,
    addresses: addressesOf(simulation, running, type, balancer),
    isContested: simulation.contested.size > 0,
  }
}

/** Each strategy has its Service. That of a load balancer stays until a user consents to its deletion. */
function wrongServices(
  simulation: Simulation,
  { metadata: { name } }: Persisted<IngressController>,
  { type, wantsBalancer, differs, isRefused }: Facts,
): string[] {
  const wrong: string[] = []
  if (wantsBalancer && serviceNamed(simulation, routerName(name)) === undefined)
    wrong.push('it has no Service')
  if (wantsBalancer && differs && !isRefused && cloudPlatforms[simulation.platform].changesScopeInPlace)
    wrong.push('its load balancer has another scope than the spec, though the cloud could change that')
  const hasNodePorts = serviceNamed(simulation, nodePortServiceName(name)) !== undefined
  if (hasNodePorts !== (type === 'NodePortService'))
    wrong.push(`it ${hasNodePorts ? 'still has' : 'has no'} node ports`)
  return wrong
}

/** Whether the load balancer is not what the spec says. */
function isAnother(
  { platform }: Simulation,
  { spec }: Persisted<IngressController>,
  balancer: LoadBalancer | undefined,
): boolean {
  if (balancer === undefined) return false
  const isNetwork = balancer.address.hostname?.includes('.elb.us-east-1.') ?? false
  return isOfOtherType(platform, spec, isNetwork) || balancer.isInternal !== (scopeIn(spec) === 'Internal')
}

const scopeIn = (spec: IngressController['spec']) => spec?.endpointPublishingStrategy?.loadBalancer?.scope

function isOfOtherType(
  platform: Simulation['platform'],
  spec: IngressController['spec'],
  isNetwork: boolean,
): boolean {
  const type = spec?.endpointPublishingStrategy?.loadBalancer?.providerParameters?.aws?.type
  return platform === 'AWS' && type !== undefined && (type === 'NLB') !== isNetwork
}

/** Whether only another Service, or none, will do for what the spec says: what the cloud changes in place may stay. */
export function mustBeReplaced(
  simulation: Simulation,
  controller: Persisted<IngressController>,
  { metadata: { uid, annotations = {} } }: Persisted<Service>,
): boolean {
  if (strategyOf(controller) !== 'LoadBalancerService') return true
  const { spec } = controller
  const { changesScopeInPlace, isInternal } = cloudPlatforms[simulation.platform]
  // Before the cloud has made it, it is what its Service asks for.
  const has = simulation.cloud.loadBalancers.get(uid)?.isInternal ?? isInternal(annotations)
  const isOfOtherScope = has !== (scopeIn(spec) === 'Internal')
  const isNetwork = annotations['service.beta.kubernetes.io/aws-load-balancer-type'] === 'nlb'
  return (!changesScopeInPlace && isOfOtherScope) || isOfOtherType(simulation.platform, spec, isNetwork)
}

/** Where routers are reached: on their nodes, if that is wanted and they run, else at the load balancer that there is. */
function addressesOf(
  simulation: Simulation,
  running: readonly Persisted<Pod>[],
  type: string | undefined,
  balancer: LoadBalancer | undefined,
): string[] {
  const isOnNodes = type === 'HostNetwork' || type === 'NodePortService'
  const customers = customersAddresses(simulation)
  if (isOnNodes && customers !== undefined) return customers
  if (isOnNodes && running.length > 0) {
    const names = new Set(running.map(({ spec }) => spec?.nodeName))
    const nodes = listed<Node>(simulation, 'nodes').filter(({ metadata }) => names.has(metadata.name))
    const all = nodes.flatMap(({ status }) => status?.addresses ?? [])
    return all
      .filter((one) => one.type === 'InternalIP')
      .map(({ address }) => address)
      .sort()
  }
  return balancer === undefined ? [] : [balancer.address.hostname ?? balancer.address.ip ?? '']
}

/** Those of the load balancer in front of the nodes, if it is the customer's. */
function customersAddresses(simulation: Simulation): string[] | undefined {
  const [infrastructure] = listed<Infrastructure>(simulation, 'config.openshift.io/infrastructures')
  const { openstack } = infrastructure?.status?.platformStatus ?? {}
  return openstack?.loadBalancer?.type === 'UserManaged' ? openstack.ingressIPs : undefined
}

/** An Ingress may keep an old address for a while, but says no wrong one as soon as there is another. */
function wrongIngresses(
  simulation: Simulation,
  { metadata }: Persisted<IngressController>,
  addresses: readonly string[],
): string[] {
  if (addresses.length === 0) return []
  const wanted = addresses.join(', ')
  return listed<Ingress>(simulation, 'networking.k8s.io/ingresses')
    .filter(({ spec }) => spec?.ingressClassName === ingressClassName(metadata.name))
    .flatMap((ingress) => {
      const entries = ingress.status?.loadBalancer?.ingress ?? []
      const condition = entries
        .map(({ hostname, ip }) => hostname ?? ip ?? '')
        .sort()
        .join(', ')
      const { namespace, name } = ingress.metadata
      return condition === wanted
        ? []
        : [`Ingress ${namespace}/${name} says ${condition || 'nothing'}, not ${wanted}`]
    })
}

export function strategyOf({ spec, status }: Persisted<IngressController>): string | undefined {
  return (spec?.endpointPublishingStrategy ?? status?.endpointPublishingStrategy)?.type
}

function serviceNamed({ api }: Simulation, name: string): Persisted<Service> | undefined {
  return api.storage.get('services', `${operandNamespace}/${name}`) as Persisted<Service> | undefined
}

function listed<T extends KubeObject>({ api }: Simulation, collection: string): Persisted<T>[] {
  return api.storage.list(collection).map(([, object]) => object as unknown as Persisted<T>)
}
