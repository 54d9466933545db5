import type { InfrastructureObject as Infrastructure, OperatorConfiguration } from '@portcullis/operator'
import type { IngressControllerSpec } from '@portcullis/operator/internal/api/ingress-controller.ts'
import {
  autoDeleteAnnotation,
  ingressClassName,
  internalServiceName,
  routerName,
} from '@portcullis/operator/internal/ingress/names.ts'
import { asApplied } from '@portcullis/operator/testing'
import type { CloudFault } from '@portcullis/sandbox/internal/controllers/cloud/faults.ts'
import { operandNamespace, operatorNamespace } from './simulation/api.ts'
import type { Simulation } from './simulation/simulation.ts'

const controllers = `/apis/operator.openshift.io/v1/namespaces/${operatorNamespace}/ingresscontrollers`
const services = `/api/v1/namespaces/${operandNamespace}/services`
const deployments = `/apis/apps/v1/namespaces/${operandNamespace}/deployments`
const budgets = `/apis/policy/v1/namespaces/${operandNamespace}/poddisruptionbudgets`
const pods = '/api/v1/namespaces/shop/pods'
const infrastructures = '/apis/config.openshift.io/v1/infrastructures'
const ingresses = '/apis/networking.k8s.io/v1/namespaces/shop/ingresses'

export const controllerName = 'edge'

/** What people do to a cluster, with kubectl. */
export class User {
  readonly #simulation: Simulation

  constructor(simulation: Simulation) {
    this.#simulation = simulation
  }

  publish(strategy: object, { name = controllerName, ...spec }: Partial<Spec> = {}): void {
    const controller = {
      apiVersion: 'operator.openshift.io/v1',
      kind: 'IngressController',
      metadata: { name, namespace: operatorNamespace, labels: { team: 'edge' } },
      spec: { domain: `${name}.example.com`, endpointPublishingStrategy: strategy, ...spec },
    }
    this.#simulation.ask('POST', controllers, asApplied(controller))
  }

  changeStrategy(endpointPublishingStrategy: object, name = controllerName): void {
    this.changeController({ spec: { endpointPublishingStrategy } }, name)
  }

  changeController(patch: object, name = controllerName): void {
    this.#simulation.ask('PATCH', `${controllers}/${name}`, patch)
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
    this.#simulation.ask('DELETE', `${controllers}/${name}`)
  }

  changeService(patch: object, name = routerName(controllerName)): void {
    this.#simulation.ask('PATCH', `${services}/${name}`, patch)
  }

  addPort(port: object): void {
    const { ports } = this.#simulation.ask('GET', `${services}/${routerName(controllerName)}`)['spec'] as {
      ports: object[]
    }
    this.changeService({ spec: { ports: [...ports, port] } })
  }

  deleteService(name = routerName(controllerName)): void {
    this.#simulation.ask('DELETE', `${services}/${name}`)
  }

  /** Creates a Service of the name that a controller wants, owned by the user. */
  createUnownedService(name = routerName(controllerName)): void {
    this.#simulation.ask('POST', services, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: operandNamespace },
      spec: { ports: [{ port: 80 }], selector: { app: 'somebody-elses' } },
    })
  }

  /** Has a load balancer, and nothing to do with any controller. */
  createBalancer(name: string): void {
    this.#simulation.ask('POST', services, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: operandNamespace },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }], selector: { app: 'somebody-elses' } },
    })
  }

  /** On each node one that has this port there. */
  occupyPort(hostPort: number): void {
    for (const node of [1, 2, 3])
      this.#simulation.ask('POST', pods, {
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
    this.#simulation.ask('DELETE', `${pods}/${name}`, { gracePeriodSeconds: 0 })
  }

  createIngress(name: string, className = ingressClassName(controllerName)): void {
    this.#simulation.ask('POST', ingresses, {
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
    this.#simulation.ask('POST', '/apis/networking.k8s.io/v1/ingressclasses', {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name },
      spec: { controller: 'example.com/another' },
    })
  }

  changeIngress(name: string, patch: object): void {
    this.#simulation.ask('PATCH', `${ingresses}/${name}`, patch)
  }

  /** As another ingress controller does. */
  writeAddress(name: string, ip: string): void {
    this.#simulation.ask('PATCH', `${ingresses}/${name}/status`, {
      status: { loadBalancer: { ingress: [{ ip }] } },
    })
  }

  deleteIngress(name: string): void {
    this.#simulation.ask('DELETE', `${ingresses}/${name}`)
  }

  /** Writes down where the cluster is, as its installer does. */
  declareInfrastructure(status: Infrastructure['status']): void {
    this.#simulation.ask('POST', infrastructures, {
      apiVersion: 'config.openshift.io/v1',
      kind: 'Infrastructure',
      metadata: { name: 'cluster' },
    })
    this.changeInfrastructure(status)
  }

  changeInfrastructure(status: Infrastructure['status']): void {
    this.#simulation.ask('PATCH', `${infrastructures}/cluster/status`, { status })
  }

  // ── other writers ──

  /** As an autoscaler does. */
  insistOnReplicas(replicas: number): void {
    this.#simulation.insist('apps/deployments', `${deployments}/${routerName(controllerName)}`, {
      spec: { replicas },
    })
  }

  /** As `kubectl scale` does. */
  scale(replicas: number): void {
    this.#simulation.ask('PATCH', `${deployments}/${routerName(controllerName)}/scale`, {
      spec: { replicas },
    })
  }

  /** As GitOps does that has another version of everything. */
  insistOnOperands(): void {
    const name = routerName(controllerName)
    this.#simulation.insist('apps/deployments', `${deployments}/${name}`, {
      spec: { template: { spec: { terminationGracePeriodSeconds: 30 } } },
    })
    this.#simulation.insist('policy/poddisruptionbudgets', `${budgets}/${name}`, {
      spec: { maxUnavailable: 0 },
    })
    this.#simulation.insist('services', `${services}/${internalServiceName(controllerName)}`, {
      spec: { selector: { app: 'another' } },
    })
  }

  /** What a tenant may write who has rights in a namespace of their own, and Events in that of the routers. */
  flood(): void {
    const hostileText = '`kubectl delete ns --all`\n\u001b[2J\u202e$(reboot)'
    const classes = [ingressClassName(controllerName), 'portcullis-nobody', 'somebody-elses']
    for (let number = 0; number < 12; number++)
      this.#simulation.ask('POST', ingresses, {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: {
          name: `flood-${number}`,
          namespace: 'shop',
          labels: Object.fromEntries(
            Array.from({ length: 60 }, (_, label) => [`flood-${label}`, 'x'.repeat(63)]),
          ),
          annotations: { note: `${hostileText}${' '.repeat(3_000)}`, constructor: hostileText },
        },
        spec: {
          ingressClassName: classes[number % classes.length],
          defaultBackend: { service: { name: 'shop', port: { number: 80 } } },
        },
      })
    const { uid } = this.#simulation.ask('GET', `${services}/${routerName(controllerName)}`).metadata
    // A failure of the live load balancer would be believed: any client that may write Events can claim one.
    const claims = [
      { about: uid, type: 'Normal', reason: 'EnsuredLoadBalancer' },
      { about: 'somebody-elses', type: 'Warning', reason: 'SyncLoadBalancerFailed' },
    ]
    for (const { about, type, reason } of claims)
      for (const lastTimestamp of ['9999-12-31T23:59:59-23:00', '0001-01-01T00:00:00Z'])
        this.#simulation.ask('POST', `/api/v1/namespaces/${operandNamespace}/events`, {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { generateName: 'flood-', namespace: operandNamespace },
          involvedObject: {
            kind: 'Service',
            namespace: operandNamespace,
            name: routerName(controllerName),
            uid: about,
          },
          source: { component: 'service-controller' },
          type,
          reason,
          message: `${hostileText}${' '.repeat(3_000)}x`,
          firstTimestamp: lastTimestamp,
          lastTimestamp,
        })
  }

  /** As on a cluster that has no IPv4 at all. */
  renumberNodes(): void {
    for (const number of [1, 2, 3]) {
      const addresses = [
        { type: 'InternalIP', address: `fd00:10::${number}` },
        { type: 'Hostname', address: `worker-${number}` },
      ]
      this.#simulation.ask('PATCH', `/api/v1/nodes/worker-${number}/status`, { status: { addresses } })
    }
  }

  /** From now on the cloud refuses what it is asked for. */
  breakCloud(...faults: CloudFault[]): void {
    this.#simulation.cloud.failWith(faults)
  }

  mendCloud(): void {
    this.#simulation.cloud.mend()
  }

  /** As a node does that is drained; another is started in its place. */
  stopLeaderAfter(milliseconds: number): void {
    this.#simulation.clock.after(milliseconds, () => this.#simulation.stopLeader())
  }

  /** Rolls out the operator with other settings. */
  configureOperators(configuration: Partial<OperatorConfiguration>): void {
    this.#simulation.configureOperators(configuration)
  }
}

type Spec = IngressControllerSpec & { readonly name: string }
