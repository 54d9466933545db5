import type { Infrastructure } from '../../src/api/infrastructure.ts'
import type { IngressControllerSpec } from '../../src/api/ingress-controller.ts'
import type { OperatorConfiguration } from '../../src/api/operator-configuration.ts'
import { autoDeleteAnnotation, ingressClassName, routerName } from '../../src/ingress/names.ts'
import type { CloudFault } from '../../src/sandbox/controllers/cloud/faults.ts'
import { operandNamespace, operatorNamespace } from './world/api.ts'
import type { World } from './world/world.ts'

const controllers = `/apis/operator.openshift.io/v1/namespaces/${operatorNamespace}/ingresscontrollers`
const services = `/api/v1/namespaces/${operandNamespace}/services`
const pods = '/api/v1/namespaces/shop/pods'
const infrastructures = '/apis/config.openshift.io/v1/infrastructures'
const ingresses = '/apis/networking.k8s.io/v1/namespaces/shop/ingresses'

export const controllerName = 'edge'

/** What people do to a cluster, with kubectl. */
export class User {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  publish(strategy: object, { name = controllerName, ...spec }: Partial<Spec> = {}): void {
    this.#world.ask('POST', controllers, {
      apiVersion: 'operator.openshift.io/v1',
      kind: 'IngressController',
      metadata: { name, namespace: operatorNamespace, labels: { team: 'edge' } },
      spec: { domain: `${name}.example.com`, endpointPublishingStrategy: strategy, ...spec },
    })
  }

  changeStrategy(endpointPublishingStrategy: object, name = controllerName): void {
    this.changeController({ spec: { endpointPublishingStrategy } }, name)
  }

  changeController(patch: object, name = controllerName): void {
    this.#world.ask('PATCH', `${controllers}/${name}`, patch)
  }

  /** Agrees to the deletion of load balancers, and changes the strategy in the same breath. */
  changeWithConsent(endpointPublishingStrategy: object): void {
    const metadata = { annotations: { [autoDeleteAnnotation]: '' } }
    this.changeController({ metadata, spec: { endpointPublishingStrategy } })
  }

  /** Agrees to the deletion of load balancers. */
  agree(): void {
    this.changeController({ metadata: { annotations: { [autoDeleteAnnotation]: '' } } })
  }

  /** The same, but takes back what was agreed to. */
  changeWithoutConsent(endpointPublishingStrategy: object): void {
    const metadata = { annotations: { [autoDeleteAnnotation]: null } }
    this.changeController({ metadata, spec: { endpointPublishingStrategy } })
  }

  deleteController(name = controllerName): void {
    this.#world.ask('DELETE', `${controllers}/${name}`)
  }

  changeService(patch: object, name = routerName(controllerName)): void {
    this.#world.ask('PATCH', `${services}/${name}`, patch)
  }

  addPort(port: object): void {
    const { ports } = this.#world.ask('GET', `${services}/${routerName(controllerName)}`)['spec'] as {
      ports: object[]
    }
    this.changeService({ spec: { ports: [...ports, port] } })
  }

  deleteService(name = routerName(controllerName)): void {
    this.#world.ask('DELETE', `${services}/${name}`)
  }

  /** Has the name that a controller wants, and is nobody's but the user's. */
  createForeignService(name = routerName(controllerName)): void {
    this.#world.ask('POST', services, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: operandNamespace },
      spec: { ports: [{ port: 80 }], selector: { app: 'somebody-elses' } },
    })
  }

  /** Has a load balancer, and nothing to do with any controller. */
  createBalancer(name: string): void {
    this.#world.ask('POST', services, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: operandNamespace },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }], selector: { app: 'somebody-elses' } },
    })
  }

  /** On each node one that has this port there. */
  occupyPort(hostPort: number): void {
    for (const node of [1, 2, 3])
      this.#world.ask('POST', pods, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `proxy-${node}`, namespace: 'shop' },
        spec: {
          nodeName: `worker-${node}`,
          containers: [{ name: 'proxy', image: 'proxy', ports: [{ containerPort: hostPort, hostPort }] }],
        },
      })
  }

  deletePod(name: string): void {
    this.#world.ask('DELETE', `${pods}/${name}`, { gracePeriodSeconds: 0 })
  }

  createIngress(name: string, className = ingressClassName(controllerName)): void {
    this.#world.ask('POST', ingresses, {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: {
        name,
        namespace: 'shop',
        labels: { team: 'shop' },
        annotations: { 'example.com/rewrite': '/' },
        finalizers: ['example.com/certificate'],
      },
      spec: {
        ingressClassName: className,
        defaultBackend: { service: { name: 'shop', port: { number: 80 } } },
      },
    })
  }

  /** Of another ingress controller. */
  createClass(name: string): void {
    this.#world.ask('POST', '/apis/networking.k8s.io/v1/ingressclasses', {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name },
      spec: { controller: 'example.com/another' },
    })
  }

  changeIngress(name: string, patch: object): void {
    this.#world.ask('PATCH', `${ingresses}/${name}`, patch)
  }

  /** As another ingress controller does. */
  writeAddress(name: string, ip: string): void {
    this.#world.ask('PATCH', `${ingresses}/${name}/status`, {
      status: { loadBalancer: { ingress: [{ ip }] } },
    })
  }

  deleteIngress(name: string): void {
    this.#world.ask('DELETE', `${ingresses}/${name}`)
  }

  /** Writes down where the cluster is, as its installer does. */
  declareInfrastructure(status: Infrastructure['status']): void {
    this.#world.ask('POST', infrastructures, {
      apiVersion: 'config.openshift.io/v1',
      kind: 'Infrastructure',
      metadata: { name: 'cluster' },
    })
    this.changeInfrastructure(status)
  }

  changeInfrastructure(status: Infrastructure['status']): void {
    this.#world.ask('PATCH', `${infrastructures}/cluster/status`, { status })
  }

  /** From now on the cloud refuses what it is asked for. */
  breakCloud(...faults: CloudFault[]): void {
    this.#world.cloud.failWith(faults)
  }

  mendCloud(): void {
    this.#world.cloud.mend()
  }

  /** As a node does that is drained; another is started in its place. */
  stopLeaderAfter(milliseconds: number): void {
    this.#world.clock.after(milliseconds, () => this.#world.stopLeader())
  }

  /** Rolls out the operator with other settings. */
  configureOperators(configuration: Partial<OperatorConfiguration>): void {
    this.#world.configureOperators(configuration)
  }
}

type Spec = IngressControllerSpec & { readonly name: string }
