import {
  type Client,
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
import { connectWith } from '../connection/connect.ts'
import { installPortcullis } from './install-portcullis.ts'

export interface SandboxOperator {
  /** Resolves when the IngressController `default` is available, and after some ten seconds in any case. */
  isAvailable(): Promise<void>
  close(): Promise<void>
}

/** Installs Portcullis in a sandbox and runs the operator. */
export async function startSandboxOperator(
  { access }: Pick<Sandbox, 'access'>,
  platform: SandboxPlatform,
  parts: { readonly clock: Clock; readonly random: () => number; readonly log: Logger },
): Promise<SandboxOperator> {
  const metrics = createMetrics('portcullis')
  const client = connectWith(access, { metrics, userAgent: 'portcullis/sandbox', ...parts })
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

/** A router counts after 30 seconds without a failure. To spare users the wait, its readiness is dated back. */
async function available(client: Client, clock: Clock): Promise<void> {
  const { operatorNamespace, operandNamespace: namespace } = defaultSettings
  for (let attempts = 0; attempts < 100; attempts++) {
    for (const pod of (await client.list(Pod, { namespace })).items)
      await backdateReadiness(pod, client, clock)
    const { status } = await client.get(IngressController, { namespace: operatorNamespace, name: 'default' })
    if (findCondition(status?.conditions, 'Available')?.status === 'True') return
    await sleep(clock, 100)
  }
}

async function backdateReadiness(
  { metadata, status }: Persisted<PodObject>,
  client: Client,
  clock: Clock,
): Promise<void> {
  const ready = findCondition(status?.conditions, 'Ready')
  const aMinuteAgo = new Date(clock.now().getTime() - 60_000)
  if (ready?.status !== 'True' || Date.parse(ready.lastTransitionTime ?? '') <= aMinuteAgo.getTime()) return
  const conditions = [{ type: 'Ready', lastTransitionTime: timestamp(aMinuteAgo) }]
  const patch = { type: 'strategic', body: { status: { conditions } } } as const
  await client.patch(Pod, metadata, patch, { subresource: 'status' })
}
