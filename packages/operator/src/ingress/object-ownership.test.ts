import type { MergePatch } from '@portcullis/kube'
import { describe, expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import type { AnyObject } from '../testing/fake-api-server.ts'
import type { Scene } from '../testing/scene.ts'
import { operandsOf } from './clean-up.ts'
import { autoDeleteAnnotation, nodePortServiceName, ownerLabel, routerName } from './names.ts'
import { defaultSettings } from './settings.ts'

/*
 * An object is ours if our label on it has the name of our controller, and for no other reason: not by its own name, and
 * not because it has some owner. Objects that are labelled as another's under a name that we want come about by
 * themselves: `router-nodeport-edge` is what the controller `edge` calls its node ports, and the controller
 * `nodeport-edge` its load balancer.
 */

const operands = operandsOf('edge', defaultSettings).map(({ kind, ref: { name } }) => ({
  kind: kind.kind,
  name,
}))
type Operand = (typeof operands)[number]

/** Anybody but edge; null takes the label off. */
const otherOwners = [null, 'another', 'nodeport-edge']

const strategies = ['LoadBalancerService', 'NodePortService', 'HostNetwork', 'Private'] as const

const changes: Readonly<Record<string, (edge: Scene) => Scene>> = {
  'nothing is changed': (edge) => edge,
  'another scope is asked for': (edge) => edge.scoped('Internal'),
  'other source ranges are asked for': (edge) => edge.asking({ allowedSourceRanges: ['192.0.2.0/24'] }),
  'more replicas are asked for': (edge) => edge.spec({ replicas: 5 }),
  ...Object.fromEntries(strategies.map((type) => [`${type} is asked for`, publishedBy(type)])),
  'the controller is deleted': (edge) => edge.remove('IngressController'),
}

function publishedBy(type: (typeof strategies)[number]): (edge: Scene) => Scene {
  return (edge) =>
    edge.controller.spec.endpointPublishingStrategy?.type === type
      ? edge
      : edge.spec({ endpointPublishingStrategy: { type, loadBalancer: null } })
}

/** A controller that is published the way that has this operand. */
function publishedWith({ name }: Operand): Scene {
  const edge = anIngressController().on('AWS')
  const hasNodePorts = name === nodePortServiceName('edge')
  return publishedBy(hasNodePorts ? 'NodePortService' : 'LoadBalancerService')(edge).published()
}

function find(edge: Scene, { kind, name }: Operand): AnyObject {
  const found = edge.server.get(kind, name)
  if (found === undefined) throw new Error(`There is no ${kind} ${name}.`)
  return found
}

/** Another client changes what we would restore in an object of ours, and the owner that is named on it. */
function disarrange(edge: Scene, operand: Operand, owner: string | null): AnyObject {
  const changed: Readonly<Record<string, MergePatch>> = {
    Service: { spec: { selector: { theirs: 'yes' } } },
    Deployment: { spec: { minReadySeconds: 7 } },
    PodDisruptionBudget: { spec: { maxUnavailable: 0 } },
    IngressClass: { spec: { controller: 'example.com/another' } },
  }
  edge.edit(operand.kind, changed[operand.kind] ?? {}, { name: operand.name })
  if (owner !== 'edge')
    edge.edit(operand.kind, { metadata: { labels: { [ownerLabel]: owner } } }, { name: operand.name })
  return find(edge, operand)
}

/** Until the cloud has removed what is deleted, the routers run as desired, and nothing is left to do. */
function letEverythingHappen(edge: Scene, theirs: AnyObject): void {
  edge.settle()
  const service = edge.server.get('Service', routerName('edge'))
  if (service?.metadata.deletionTimestamp !== undefined) edge.cloudRemoves()
  else if (service !== undefined && service.status?.loadBalancer === undefined && service !== theirs)
    edge.cloudProvides('a1b2-17.us-east-1.elb.amazonaws.com')
  const deployment = edge.server.get('Deployment', routerName('edge'))
  if (deployment !== undefined && deployment !== theirs) edge.routersRun()
  if (edge.server.get('IngressController', 'edge') !== undefined) edge.settle()
}

describe.each(operands)('the $kind $name', (operand) => {
  test.each(Object.entries(changes))(
    'An operand stays as it is when it is labelled as another’s, and %s',
    (_, change) => {
      for (const owner of otherOwners) {
        // With consent we delete what is ours.
        const edge = publishedWith(operand).annotated({ [autoDeleteAnnotation]: '' })
        const theirs = disarrange(edge, operand, owner)
        letEverythingHappen(change(edge), theirs)
        expect(find(edge, operand), `labelled ${owner}`).toBe(theirs)
      }
    },
  )

  test('An operand goes with its controller when it is labelled as that one’s', () => {
    const edge = publishedWith(operand)
    const ours = disarrange(edge, operand, 'edge')
    letEverythingHappen(edge.remove('IngressController'), ours)
    expect(edge.server.get(operand.kind, operand.name)).toBeUndefined()
  })
})

test.each([
  ['is deleted for another scope under consent when it is ours', 'edge', 'gone'],
  ['is kept when it is another’s', 'another', 'kept'],
])('The Service of a load balancer %s', (_, owner, fate) => {
  const operand = { kind: 'Service', name: routerName('edge') }
  const edge = publishedWith(operand).annotated({ [autoDeleteAnnotation]: '' })
  const before = disarrange(edge, operand, owner)
  letEverythingHappen(edge.scoped('Internal'), before)
  expect(find(edge, operand).metadata.uid === before.metadata.uid).toBe(fate === 'kept')
})

test.each([
  ['goes for another strategy when it is ours', 'edge', 'gone'],
  ['is kept when it is another’s', 'another', 'kept'],
])('The Service of node ports %s', (_, owner, fate) => {
  const operand = { kind: 'Service', name: nodePortServiceName('edge') }
  const edge = publishedWith(operand)
  const before = disarrange(edge, operand, owner)
  letEverythingHappen(publishedBy('Private')(edge), before)
  expect(edge.server.get(operand.kind, operand.name)).toBe(fate === 'kept' ? before : undefined)
})
