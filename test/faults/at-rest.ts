import type { Node, Pod, Service } from 'kubernetes-types/core/v1'
import type { Ingress } from 'kubernetes-types/networking/v1'
import type { IngressController } from '../../src/api/ingress-controller.ts'
import {
  ingressClassName,
  nodePortServiceName,
  ownerOf,
  routerLabel,
  routerName,
} from '../../src/ingress/names.ts'
import { findCondition } from '../../src/kube/conditions.ts'
import type { KubeObject, Live } from '../../src/kube/objects.ts'
import { cloudPlatforms } from '../../src/sandbox/controllers/cloud/platforms.ts'
import { operandNamespace } from './world/api.ts'
import type { LoadBalancer } from './world/cloud.ts'
import type { World } from './world/world.ts'

/** What a controller has made for it. */
const operands = [
  'services',
  'serviceaccounts',
  'pods',
  'apps/deployments',
  'policy/poddisruptionbudgets',
  'networking.k8s.io/ingressclasses',
]

/** What is not as it should be when all is at rest: a sentence each. */
export function wrongAtRest(world: World): string[] {
  const controllers = listed<IngressController>(world, 'operator.openshift.io/ingresscontrollers')
  return [
    ...wrongLoadBalancers(world),
    ...leftBehind(world, new Set(controllers.map(({ metadata }) => metadata.name))),
    ...controllers.flatMap((controller) =>
      controller.metadata.deletionTimestamp === undefined
        ? untruths(world, controller)
        : [`IngressController ${controller.metadata.name} has not gone`],
    ),
  ]
}

function wrongLoadBalancers(world: World): string[] {
  const services = listed<Service>(world, 'services').filter(({ spec }) => spec?.type === 'LoadBalancer')
  const uids = new Set(services.map(({ metadata }) => metadata.uid))
  const unpaired = [...world.cloud.loadBalancers].flatMap(([uid, { service }]) =>
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
function leftBehind(world: World, controllers: ReadonlySet<string>): string[] {
  return operands.flatMap((collection) =>
    world.api.storage.list(collection).flatMap(([key, object]) => {
      const owner = ownerOf(object)
      return owner === undefined || controllers.has(owner)
        ? []
        : [`${collection} ${key} has outlived IngressController ${owner}`]
    }),
  )
}

/** Where the status of a controller, or the address of one of its Ingresses, is not what the world is. */
function untruths(world: World, controller: Live<IngressController>): string[] {
  const { status, metadata } = controller
  const wrong: string[] = []
  const say = (what: string) => wrong.push(`IngressController ${metadata.name}: ${what}`)
  const claim = (type: string, isTrue: boolean, why: string) => {
    const told = findCondition(status?.conditions, type)
    const is = told === undefined ? 'absent' : `${told.status} ${told.reason}`
    if ((told?.status === 'True') !== isTrue) say(`${type} is ${is}, but ${why}`)
  }
  if (status?.observedGeneration !== metadata.generation) say('its status speaks of an older spec')
  const type = strategyOf(controller)
  if (status?.endpointPublishingStrategy?.type !== type) say(`its status does not say ${type}`)
  claim('Admitted', true, 'nothing is wrong with it')

  const { running, waiting } = routersOf(world, controller)
  if (status?.availableReplicas !== running.length)
    say(`${status?.availableReplicas} routers are available, not ${running.length}`)
  claim('DeploymentAvailable', running.length > 0, `${running.length} routers run`)
  claim('PodsScheduled', waiting.length === 0, `${waiting.length} routers have no node`)

  const { isWanted, isForeign, service, balancer } = loadBalancerOf(world, controller)
  const isChanging = isWanted ? differs(world, controller, balancer) : service !== undefined
  const isLacking = isWanted && balancer === undefined
  claim('LoadBalancerManaged', isWanted, 'the strategy says so')
  if (isWanted && service === undefined && !isForeign) say('it has no Service')
  if (isWanted) claim('LoadBalancerReady', !isLacking, `the cloud has ${isLacking ? 'none' : 'one'}`)
  if (isWanted && isChanging && cloudPlatforms[world.platform].changesScopeInPlace)
    say('its load balancer has another scope than the spec, though the cloud could change that')
  claim('LoadBalancerProgressing', isChanging, 'that is whether it differs from the spec, or is left over')

  const nodePorts = world.api.storage.get(
    'services',
    `${operandNamespace}/${nodePortServiceName(metadata.name)}`,
  )
  if ((nodePorts !== undefined) !== (type === 'NodePortService'))
    say(`it has ${nodePorts === undefined ? 'no' : 'still'} node ports`)

  const found = `${running.length} routers run, ${waiting.length} wait, the load balancer is ${isLacking ? 'not there' : 'there or not wanted'}`
  claim('Available', running.length > 0 && !isLacking, found)
  claim('Progressing', isChanging || waiting.length > 0, found)
  claim('Degraded', running.length === 0 || waiting.length > 0 || isLacking, found)

  const addresses = addressesOf(world, running, type, balancer)
  claim('Published', addresses.length > 0, `it is reached at ${addresses.join(',') || 'nothing'}`)
  const told = findCondition(status?.conditions, 'Published')?.message
  if (addresses.length > 0 && told !== addresses.join(','))
    say(`it is published at ${told}, but reached at ${addresses.join(',')}`)
  return [...wrong, ...wrongIngresses(world, controller, addresses)]
}

function routersOf(world: World, { metadata }: Live<IngressController>) {
  const pods = listed<Pod>(world, 'pods').filter(
    (pod) => pod.metadata.labels?.[routerLabel] === metadata.name,
  )
  return {
    running: pods.filter(({ status }) => status?.phase === 'Running'),
    waiting: pods.filter(({ spec }) => !spec?.nodeName),
  }
}

function loadBalancerOf({ api, cloud }: World, controller: Live<IngressController>) {
  const { name } = controller.metadata
  const found = api.storage.get('services', `${operandNamespace}/${routerName(name)}`)
  const service = found !== undefined && ownerOf(found) === name ? found : undefined
  return {
    isWanted: strategyOf(controller) === 'LoadBalancerService',
    /** Somebody else has a Service of that name. */
    isForeign: found !== undefined && service === undefined,
    service,
    balancer: service && cloud.loadBalancers.get(service.metadata.uid ?? ''),
  }
}

/** Whether the load balancer is not what the spec says. */
function differs(
  { platform }: World,
  { spec }: Live<IngressController>,
  balancer: LoadBalancer | undefined,
): boolean {
  if (balancer === undefined) return false
  const { scope, providerParameters } = spec?.endpointPublishingStrategy?.loadBalancer ?? {}
  const type = providerParameters?.aws?.type
  const isNetwork = balancer.address.hostname?.includes('.elb.us-east-1.') ?? false
  const isOfType = platform !== 'AWS' || type === undefined || (type === 'NLB') === isNetwork
  return !isOfType || balancer.isInternal !== (scope === 'Internal')
}

/** Where routers are reached: on their nodes, if that is wanted and they run, else at the load balancer that there is. */
function addressesOf(
  world: World,
  running: readonly Live<Pod>[],
  type: string | undefined,
  balancer: LoadBalancer | undefined,
): string[] {
  const isOnNodes = type === 'HostNetwork' || type === 'NodePortService'
  if (isOnNodes && running.length > 0) {
    const names = new Set(running.map(({ spec }) => spec?.nodeName))
    const nodes = listed<Node>(world, 'nodes').filter(({ metadata }) => names.has(metadata.name))
    const all = nodes.flatMap(({ status }) => status?.addresses ?? [])
    return all
      .filter((one) => one.type === 'InternalIP')
      .map(({ address }) => address)
      .sort()
  }
  return balancer === undefined ? [] : [balancer.address.hostname ?? balancer.address.ip ?? '']
}

/** An Ingress may keep an old address for a while, but says no wrong one as soon as there is another. */
function wrongIngresses(world: World, { metadata }: Live<IngressController>, addresses: string[]): string[] {
  if (addresses.length === 0) return []
  const wanted = addresses.join(', ')
  return listed<Ingress>(world, 'networking.k8s.io/ingresses')
    .filter(({ spec }) => spec?.ingressClassName === ingressClassName(metadata.name))
    .flatMap((ingress) => {
      const entries = ingress.status?.loadBalancer?.ingress ?? []
      const told = entries
        .map(({ hostname, ip }) => hostname ?? ip)
        .sort()
        .join(', ')
      const { namespace, name } = ingress.metadata
      return told === wanted ? [] : [`Ingress ${namespace}/${name} says ${told || 'nothing'}, not ${wanted}`]
    })
}

export function strategyOf({ spec, status }: Live<IngressController>): string | undefined {
  return (spec?.endpointPublishingStrategy ?? status?.endpointPublishingStrategy)?.type
}

function listed<T extends KubeObject>({ api }: World, collection: string): Live<T>[] {
  return api.storage.list(collection).map(([, object]) => object as unknown as Live<T>)
}
