import {
  type Client,
  type Clock,
  isNotFound,
  KindNotServedError,
  kind,
  Namespace,
  ServiceAccount,
  sleep,
} from '@portcullis/kube'
import {
  crds,
  defaultSettings,
  type EndpointPublishingStrategy,
  IngressController,
  routerServiceAccount,
} from '@portcullis/operator'
import type { SandboxPlatform } from '@portcullis/sandbox'

const CustomResourceDefinition = kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition')

/** Two IngressControllers to try things with, under the names that the guides use. */
const onACloud = [
  aController('default', 'apps.sandbox.example', balanced('External')),
  aController('private', 'private.sandbox.example', balanced('Internal')),
]

const onPremises = [
  aController('default', 'apps.sandbox.example', { type: 'HostNetwork' }),
  aController('private', 'private.sandbox.example', { type: 'Private' }),
]

/** Creates in a new sandbox what the operator needs: CRDs, namespaces, the ServiceAccount of the routers, and two IngressControllers. */
export async function installPortcullis(
  client: Client,
  platform: SandboxPlatform,
  clock: Clock,
): Promise<void> {
  const { operatorNamespace, operandNamespace } = defaultSettings
  for (const crd of crds) await client.create(CustomResourceDefinition, crd)
  for (const name of [operatorNamespace, operandNamespace])
    await client.create(Namespace, { metadata: { name } })
  await client.create(ServiceAccount, routerServiceAccount({ name: 'portcullis', operandNamespace }))
  for (const controller of platform === 'BareMetal' ? onPremises : onACloud)
    await onceServed(clock, () => client.create(IngressController, controller))
}

function aController(name: string, domain: string, endpointPublishingStrategy: EndpointPublishingStrategy) {
  const metadata = { namespace: defaultSettings.operatorNamespace, name }
  return { metadata, spec: { domain, endpointPublishingStrategy } }
}

function balanced(scope: 'External' | 'Internal'): EndpointPublishingStrategy {
  return { type: 'LoadBalancerService', loadBalancer: { scope } }
}

/** Retries, because the API server serves a kind only a moment after its CRD has been created. */
async function onceServed<R>(clock: Clock, request: () => Promise<R>): Promise<R> {
  for (let tries = 1; ; tries++) {
    try {
      return await request()
    } catch (error) {
      if (tries === 100 || !(isNotFound(error) || error instanceof KindNotServedError)) throw error
    }
    await sleep(clock, 20)
  }
}
