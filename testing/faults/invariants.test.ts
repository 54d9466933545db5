import {
  autoDeleteAnnotation,
  ingressClassName,
  nodePortServiceName,
  ownerLabel,
  routerName,
} from '@portcullis/operator/internal/ingress/names.ts'
import type { CloudPlatformName } from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import type { AnyObject } from '@portcullis/schema'
import { describe, expect, it } from 'vitest'
import { Invariants } from './invariants.ts'
import { external, publishes, simulationOf } from './quiescent-simulation.ts'
import { operandNamespace, operatorNamespace } from './simulation/api.ts'
import { Simulation } from './simulation/simulation.ts'
import { controllerName, User } from './user.ts'

const service = `/api/v1/namespaces/${operandNamespace}/services/${routerName(controllerName)}`
const nodePorts = `/api/v1/namespaces/${operandNamespace}/services/${nodePortServiceName(controllerName)}`
const ingress = '/apis/networking.k8s.io/v1/namespaces/shop/ingresses/cart'
const controller = `/apis/operator.openshift.io/v1/namespaces/${operatorNamespace}/ingresscontrollers/${controllerName}`

/** Writes what no operator would. */
function patchAsOperator(simulation: Simulation, path: string, body: object): void {
  askAsOperator(simulation, 'PATCH', path, body)
}

function askAsOperator({ api }: Simulation, method: string, path: string, body: object = {}): void {
  const answer = api.as('operator-0', () =>
    api.answer({
      method,
      path,
      contentType: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      body: JSON.stringify(body),
      userAgent: 'rogue/1',
    }),
  )
  expect(answer).toMatchObject({ status: 200 })
}

describe('Invariants of every version', { timeout: 60_000 }, () => {
  it('The invariants detect an Ingress that loses the address of an earlier step', async () => {
    const before = await simulationOf(publishes)
    const { simulation, invariants } = await simulationOf(() => {}, { after: before.simulation })
    patchAsOperator(simulation, `${ingress}/status`, { status: { loadBalancer: { ingress: null } } })
    expect(invariants.broken.join()).toContain('Ingress shop/cart has lost its address')
  })

  it('The invariants detect a blank Ingress, where only another one may be blank', async () => {
    const { simulation } = await simulationOf(publishes)
    const watched = ['pay', 'cart'].map((name) => new Invariants(simulation, { mayBlank: [name] }))
    patchAsOperator(simulation, `${ingress}/status`, { status: { loadBalancer: { ingress: null } } })
    expect(watched.map(({ broken }) => broken.length)).toEqual([1, 0])
  })

  it.each([
    ['before the change of type', false, 1],
    ['after the change of type, though the user reverts it before the deletion arrives', true, 0],
  ])(
    'The invariants judge node ports deleted by an operator that last read the controller %s',
    async (_, wereToGo, times) => {
      const { simulation, invariants } = await simulationOf((user) =>
        user.publish({ type: 'NodePortService' }),
      )
      const user = new User(simulation)
      if (wereToGo) user.changeStrategy({ type: 'Private' })
      askAsOperator(simulation, 'GET', controller)
      user.changeStrategy({ type: 'NodePortService' })
      askAsOperator(simulation, 'DELETE', nodePorts)
      expect(invariants.broken.filter((words) => words.includes('nobody agreed'))).toHaveLength(times)
    },
  )

  it.each([
    ['has no address', undefined, [expect.stringContaining('the load balancer has no address')]],
    ['has an address', 0, [expect.stringContaining('has had its address for 0 ms')]],
    ['has had an address for less than a minute', 59_999, [expect.stringContaining('for 59999 ms')]],
    ['has had an address for a minute', 60_000, []],
  ])('The invariants judge node ports deleted while the load balancer %s', async (_, forMs, expected) => {
    const { simulation, invariants } = await simulationOf((user) => user.publish({ type: 'NodePortService' }))
    new User(simulation).changeStrategy(external)
    const name = routerName(controllerName)
    const balancer = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace: operandNamespace, name },
      ...(forMs !== undefined && { status: { loadBalancer: { ingress: [{ ip: '203.0.113.7' }] } } }),
    }
    simulation.api.put('services', `${operandNamespace}/${name}`, balancer)
    await simulation.pass(forMs ?? 0)
    askAsOperator(simulation, 'DELETE', nodePorts)
    expect(invariants.broken).toEqual(expected)
  })

  it.each([
    ['changed', 'core'],
    ['removed', null],
  ])('The invariants detect that a label which a user set on the Service is %s', async (_, team) => {
    const before = await simulationOf(publishes)
    const { simulation, invariants } = await simulationOf(
      (user) => user.changeService({ metadata: { labels: { team: 'edge' } } }),
      { after: before.simulation },
    )
    patchAsOperator(simulation, service, { metadata: { labels: { team } } })
    expect(invariants.broken.join()).toContain('the operator changes metadata.labels.team of services')
  })

  it.each([
    ['port', (user: User) => user.addPort({ name: 'metrics', port: 9090 }), 'spec.ports.{"port":9090'],
    [
      'finalizer',
      (user: User) => user.changeService({ metadata: { finalizers: ['example.com/hold'] } }),
      'metadata.finalizers."example.com/hold"',
    ],
  ])(
    'The invariants detect that a %s which a user added to the Service is removed',
    async (_, add, field) => {
      const before = await simulationOf(publishes)
      const { spec } = before.simulation.ask('GET', service) as { spec?: { ports: object[] } }
      const { simulation, invariants } = await simulationOf(add, { after: before.simulation })
      patchAsOperator(simulation, service, { metadata: { finalizers: null }, spec: { ports: spec?.ports } })
      expect(invariants.broken.join()).toContain(`the operator changes ${field}`)
    },
  )

  it.each([
    ['a label of a controller', controller, { labels: { team: 'core' } }, 'the labels of'],
    ['a label of an Ingress', ingress, { labels: { team: null } }, 'the labels of'],
    ['an annotation of an Ingress', ingress, { annotations: { 'a.b/c': 'd' } }, 'the annotations of'],
    ["another client's finalizer", ingress, { finalizers: null }, 'the finalizers of others on'],
  ])('The invariants detect a change of %s', async (_, path, metadata, words) => {
    const { simulation, invariants } = await simulationOf(publishes)
    patchAsOperator(simulation, path, { metadata })
    expect(invariants.broken.join()).toContain(`the operator changes ${words}`)
  })

  it('The invariants detect an internal error that the operator survives', async () => {
    const { simulation, invariants } = await simulationOf(publishes)
    const metadata = { namespace: operandNamespace, name: 'odd', uid: 'odd' }
    simulation.api.put('services', `${operandNamespace}/odd`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { ports: 7 },
    })
    simulation.startOperators()
    await simulation.rest()
    simulation.end()
    invariants.checkAtRest(0)
    expect(invariants.broken.join()).toContain('trips over itself: An index failed on an object')
  })

  it('The invariants detect that the operator overwrites a field of an object that a user created', async () => {
    const { simulation, invariants } = await simulationOf((user) => user.createUnownedService('web'))
    patchAsOperator(simulation, service.replace(routerName(controllerName), 'web'), {
      spec: { selector: { app: 'ours' } },
    })
    expect(invariants.broken.join()).toMatch(/changes spec\.selector.* which a person had set/)
  })
})

describe('Invariants of deleted load balancers', { timeout: 60_000 }, () => {
  const agreed = { [autoDeleteAnnotation]: '' }
  const agrees = (user: User) => user.changeController({ metadata: { annotations: agreed } })

  /** A load balancer that is as the spec says, whose owner lets it be deleted; then the operators die. */
  async function agreedTo(strategy: object, platform?: CloudPlatformName) {
    const before = await simulationOf((user) => user.publish(strategy), { platform })
    return simulationOf(agrees, { after: before.simulation, platform })
  }

  function deleteAsOperator({ api }: Simulation): void {
    const request = { method: 'DELETE', path: service, contentType: 'application/json', userAgent: 'rogue/1' }
    expect(api.as('operator-0', () => api.answer({ ...request, body: '{}' }))).toMatchObject({ status: 200 })
  }

  const classic = { providerParameters: { type: 'AWS', aws: { type: 'Classic' } } }
  const internal = { type: 'LoadBalancerService', loadBalancer: { scope: 'Internal' } }
  const network = { loadBalancer: { providerParameters: { aws: { type: 'NLB' } } } }
  const ofClassic = { ...external, loadBalancer: { scope: 'External', ...classic } }

  it.each([
    ['though it is as the spec says', 'AWS', external, undefined],
    ['though the cloud can change its scope', 'Azure', external, internal],
  ] as const)(
    'The invariants detect a load balancer deleted with consent, %s',
    async (_, platform, strategy, change) => {
      const { simulation, invariants } = await agreedTo(strategy, platform)
      if (change !== undefined) new User(simulation).changeStrategy(change)
      deleteAsOperator(simulation)
      expect(invariants.broken.join()).toContain('the operator deletes services')
    },
  )

  it.each([
    ['another scope', external, internal],
    ['another type', ofClassic, network],
    ['another strategy', external, { type: 'Private', loadBalancer: null }],
  ])('A deletion with consent is accepted where the spec asks for %s', async (_, strategy, change) => {
    const { simulation, invariants } = await agreedTo(strategy)
    new User(simulation).changeStrategy(change)
    deleteAsOperator(simulation)
    expect(invariants.broken).toEqual([])
  })

  it('A deletion with consent is accepted where the change was reverted after the last read of the operator', async () => {
    const { simulation, invariants } = await agreedTo(external)
    new User(simulation).changeStrategy(internal)
    simulation.api.as('operator-0', () =>
      simulation.api.answer({ method: 'GET', path: controller, userAgent: 'rogue/1' }),
    )
    new User(simulation).changeStrategy(external)
    deleteAsOperator(simulation)
    expect(invariants.broken).toEqual([])
  })
})

describe('Invariants at rest', { timeout: 60_000 }, () => {
  it('The invariants detect an Ingress with a wrong address', async () => {
    const { simulation, invariants } = await simulationOf(publishes)
    new User(simulation).writeAddress('cart', '203.0.113.7')
    invariants.checkAtRest(0)
    expect(invariants.broken.join()).toContain('Ingress shop/cart says 203.0.113.7, not ')
  })

  it.each([
    ['services', `${operandNamespace}/router-internal-gone`],
    ['apps/deployments', `${operandNamespace}/${routerName('gone')}`],
    ['policy/poddisruptionbudgets', `${operandNamespace}/${routerName('gone')}`],
    ['networking.k8s.io/ingressclasses', ingressClassName('gone')],
  ])('The invariants detect %s that outlive their controller', async (collection, key) => {
    const { simulation, invariants } = await simulationOf(() => {})
    const [name = '', namespace] = key.split('/').toReversed()
    simulation.api.put(collection, key, {
      apiVersion: 'v1',
      kind: 'Any',
      metadata: { name, ...(namespace && { namespace }), labels: { [ownerLabel]: 'gone' } },
    })
    invariants.checkAtRest(0)
    expect(invariants.broken.join()).toContain(`${collection} ${key} has outlived IngressController gone`)
  })

  it('The invariants detect node ports of a controller of another type', async () => {
    const { simulation, invariants } = await simulationOf(publishes)
    const name = nodePortServiceName(controllerName)
    const labels = { [ownerLabel]: controllerName }
    simulation.api.put('services', `${operandNamespace}/${name}`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: operandNamespace, labels },
    })
    invariants.checkAtRest(0)
    expect(invariants.broken.join()).toContain('it still has node ports')
  })

  it('The invariants detect a second load balancer of a controller', async () => {
    const { simulation, invariants } = await simulationOf(publishes)
    const labels = { [ownerLabel]: controllerName }
    simulation.api.put('services', `${operandNamespace}/another`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'another', namespace: operandNamespace, labels },
      spec: { type: 'LoadBalancer' },
    })
    invariants.checkAtRest(0)
    expect(invariants.broken.join()).toContain(`IngressController ${controllerName} has 2 load balancers`)
  })

  it('The invariants detect an operator that still writes', async () => {
    const { simulation, invariants } = await simulationOf(publishes)
    patchAsOperator(simulation, service, { metadata: { labels: { a: 'b' } } })
    invariants.checkAtRest(15_000)
    expect(invariants.broken.join()).toContain('an operator still wrote 0 ms ago')
  })

  it('The invariants detect an operator that still records Events', async () => {
    const { simulation, invariants } = await simulationOf(publishes)
    const events = `/apis/events.k8s.io/v1/namespaces/${operatorNamespace}/events`
    const event = {
      metadata: { name: 'again', namespace: operatorNamespace },
      eventTime: '2030-01-01T00:00:00.000000Z',
      type: 'Normal',
      reason: 'Again',
      action: 'Again',
      reportingController: 'portcullis.dev/operator',
      reportingInstance: 'operator-0',
    }
    const answer = simulation.api.as('operator-0', () =>
      simulation.api.answer({
        method: 'POST',
        path: events,
        contentType: 'application/json',
        body: JSON.stringify(event),
        userAgent: 'rogue/1',
      }),
    )
    expect(answer).toMatchObject({ status: 201 })
    invariants.checkAtRest(15_000)
    expect(invariants.broken.join()).toContain('an operator still wrote 0 ms ago')
  })

  it.each(['Available', 'Progressing', 'Degraded', 'Published', 'LoadBalancerReady', 'PodsScheduled'])(
    'The invariants detect a wrong condition %s',
    async (type) => {
      const { simulation, invariants } = await simulationOf(publishes)
      const found = conditionsIn(simulation)
      const turned = found.map((each) => (each.type === type ? { ...each, status: contraryOf(each) } : each))
      patchAsOperator(simulation, `${controller}/status`, { status: { conditions: turned } })
      invariants.checkAtRest(0)
      expect(invariants.broken.join()).toContain(`IngressController ${controllerName}: ${type} is `)
    },
  )

  it.each([
    ['a load balancer', external],
    ['the nodes of routers with host ports', { type: 'HostNetwork', hostNetwork: {} }],
    ['the nodes of routers with node ports', { type: 'NodePortService' }],
  ])('The invariants detect a published address other than that of %s', async (_, strategy) => {
    const { simulation, invariants } = await simulationOf((user) => user.publish(strategy))
    const found = conditionsIn(simulation)
    const message = '203.0.113.7'
    const turned = found.map((each) => (each.type === 'Published' ? { ...each, message } : each))
    patchAsOperator(simulation, `${controller}/status`, { status: { conditions: turned } })
    invariants.checkAtRest(0)
    expect(invariants.broken.join()).toContain('it is published at 203.0.113.7, but reached at ')
  })
})

interface ConditionStatus {
  readonly type: string
  readonly status: string
}

function conditionsIn({ api }: Simulation): readonly ConditionStatus[] {
  const key = `${operatorNamespace}/${controllerName}`
  const { status } = api.storage.get('operator.openshift.io/ingresscontrollers', key) as AnyObject
  return (status as { conditions: readonly ConditionStatus[] }).conditions
}

const contraryOf = ({ status }: ConditionStatus) => (status === 'True' ? 'False' : 'True')
