import {
  Client,
  type Clock,
  createMetrics,
  findCondition,
  type Logger,
  Manager,
  type Persisted,
  Pod,
  sleep,
  timestamp,
} from '@portcullis/kube'
import { assembleOperator, defaultSettings, IngressController } from '@portcullis/operator'
import type { Sandbox, SandboxPlatform } from '@portcullis/sandbox'
import type { Pod as PodObject } from 'kubernetes-types/core/v1'
import { installPortcullis } from './install-portcullis.ts'

export interface SandboxOperator {
  /** Resolves when the default controller is available, and soon in any case. */
  isAvailable(): Promise<void>
  close(): Promise<void>
}

/** Brings Portcullis into a sandbox: its kinds, its namespaces, the account of routers, two IngressControllers, and the operator itself. */
export async function startSandboxOperator(
  { access }: Pick<Sandbox, 'access'>,
  platform: SandboxPlatform,
  parts: { readonly clock: Clock; readonly random: () => number; readonly log: Logger },
): Promise<SandboxOperator> {
  const metrics = createMetrics('portcullis')
  const client = Client.connect({ access, metrics, userAgent: 'portcullis/sandbox', ...parts })
  await installPortcullis(client, platform, parts.clock)
  const manager = new Manager({
    client,
    name: 'portcullis',
    instance: 'portcullis-sandbox',
    metrics,
    ...parts,
  })
  assembleOperator({
    manager,
    settings: defaultSettings,
    clock: parts.clock,
    metrics,
  })
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  return {
    isAvailable: () => available(client, parts.clock),
    close: async () => {
      stop.abort(new Error('the sandbox is closing'))
      await running
      await client.close()
    },
  }
}

/** Routers count after 30 seconds without a failure. In a cluster that is there to be tried, they have been up for long. */
async function available(client: Client, clock: Clock): Promise<void> {
  const { operatorNamespace, operandNamespace: namespace } = defaultSettings
  for (let looks = 0; looks < 100; looks++) {
    for (const pod of (await client.list(Pod, { namespace })).items) await age(pod, client, clock)
    const { status } = await client.get(IngressController, { namespace: operatorNamespace, name: 'default' })
    if (findCondition(status?.conditions, 'Available')?.status === 'True') return
    await sleep(clock, 100)
  }
}

async function age({ metadata, status }: Persisted<PodObject>, client: Client, clock: Clock): Promise<void> {
  const ready = findCondition(status?.conditions, 'Ready')
  const aMinuteAgo = new Date(clock.now().getTime() - 60_000)
  if (ready?.status !== 'True' || Date.parse(ready.lastTransitionTime ?? '') <= aMinuteAgo.getTime()) return
  const conditions = [{ type: 'Ready', lastTransitionTime: timestamp(aMinuteAgo) }]
  const patch = { type: 'strategic', body: { status: { conditions } } } as const
  await client.patch(Pod, metadata, patch, { subresource: 'status' })
}
