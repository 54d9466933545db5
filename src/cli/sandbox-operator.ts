import { crds } from '../api/crds.ts'
import { IngressController } from '../ingress/kinds.ts'
import { defaultSettings } from '../ingress/settings.ts'
import { Client } from '../kube/client.ts'
import type { Clock } from '../kube/clock.ts'
import { KindNotServedError } from '../kube/discovery.ts'
import { isNotFound } from '../kube/errors.ts'
import { Namespace } from '../kube/kinds.ts'
import type { Logger } from '../kube/log.ts'
import { createMetrics } from '../kube/metrics.ts'
import { kind } from '../kube/objects.ts'
import { Runtime } from '../kube/runtime.ts'
import { assembleOperator } from '../operator.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

const CustomResourceDefinition = kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition')

/** Two IngressControllers to try things on: the names are those that guides use. */
const controllers = [
  { name: 'default', domain: 'apps.sandbox.example', scope: 'External' },
  { name: 'private', domain: 'private.sandbox.example', scope: 'Internal' },
] as const

export interface SandboxOperator {
  close(): Promise<void>
}

/** Brings Portcullis into a sandbox: its kinds, its namespaces, two IngressControllers, and the operator itself. */
export async function startSandboxOperator(
  { access }: Pick<Sandbox, 'access'>,
  parts: { readonly clock: Clock; readonly random: () => number; readonly log: Logger },
): Promise<SandboxOperator> {
  const metrics = createMetrics()
  const client = Client.connect({ access, metrics, userAgent: 'portcullis/sandbox', ...parts })
  await install(client, parts.clock)
  const runtime = new Runtime({
    client,
    name: 'portcullis',
    instance: 'portcullis-sandbox',
    metrics,
    ...parts,
  })
  assembleOperator({
    runtime,
    settings: defaultSettings,
    clock: parts.clock,
    metrics,
  })
  const stop = new AbortController()
  const running = runtime.run(stop.signal)
  return {
    close: async () => {
      stop.abort(new Error('the sandbox is closing'))
      await running
      await client.close()
    },
  }
}

async function install(client: Client, clock: Clock): Promise<void> {
  const { operatorNamespace, operandNamespace } = defaultSettings
  for (const crd of crds) await client.create(CustomResourceDefinition, crd)
  for (const name of [operatorNamespace, operandNamespace])
    await client.create(Namespace, { metadata: { name } })
  for (const { name, domain, scope } of controllers) {
    await onceServed(clock, () =>
      client.create(IngressController, {
        metadata: { namespace: operatorNamespace, name },
        spec: {
          domain,
          endpointPublishingStrategy: { type: 'LoadBalancerService', loadBalancer: { scope } },
        },
      }),
    )
  }
}

/** A kind is served a moment after its definition has been created. */
async function onceServed<R>(clock: Clock, request: () => Promise<R>): Promise<R> {
  for (let tries = 1; ; tries++) {
    try {
      return await request()
    } catch (error) {
      if (tries === 100 || !(isNotFound(error) || error instanceof KindNotServedError)) throw error
    }
    await new Promise<void>((resolve) => clock.after(20, resolve))
  }
}
