import {
  type Client,
  Deployment,
  isSameJson,
  type Kind,
  type KubeObject,
  type ObjectRef,
  PodDisruptionBudget,
  Service,
} from '@portcullis/kube'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Cluster } from './cluster.ts'
import { stories } from './story.ts'

const { story } = stories()

/** Another manager that keeps writing its value of a field. */
async function insists(client: Client, kind: Kind, ref: ObjectRef, spec: Record<string, unknown>) {
  const stop = new AbortController()
  const insist = async (object: KubeObject & { spec?: object }) => {
    const live = object.spec ?? {}
    if (isSameJson({ ...live, ...spec }, live)) return
    await client.patch(kind, ref, { type: 'merge', body: { spec } }, { fieldManager: 'rival' })
  }
  const { namespace = '' } = ref
  const { resourceVersion } = await client.list(kind, { namespace })
  const { signal } = stop
  const watch = await client.watchOnce(kind, { namespace, resourceVersion, signal, timeoutSeconds: 60 })
  const ended = (async () => {
    for await (const events of watch) {
      for (const { object } of events as { object: KubeObject }[])
        if (object.metadata?.name === ref.name) await insist(object)
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  await insist(await client.get(kind, ref))
  return async () => {
    stop.abort()
    await ended
  }
}

/** How often it was written since the page was turned; what came too late to be written does not count. */
function writesTo({ kind }: Kind, { journal }: Cluster): number {
  return journal.entries.filter(({ what, answer }) => what === kind && answer !== undefined).length
}

story(
  'A manager that keeps scaling the routers is named, and the operator backs off after a few rounds',
  async (cluster) => {
    const router = await cluster.on('AWS').publish('edge', undefined, { replicas: 1 })
    cluster.journal.turnPage()
    const stop = await insists(cluster.client, Deployment, router.operandRef, { replicas: 3 })
    try {
      await router.reports('OperandsManaged', {
        status: 'False',
        reason: 'Contested',
        message: `"rival" keeps changing spec.replicas of Deployment ${router.operandRef.namespace}/router-${router.name}.`,
      })
      await router.recordsEvents('OperandContested')
      await cluster.waitUntilQuiescent()
      expect(writesTo(Deployment, cluster)).toBe(5)
      expect((await router.deployment()).spec?.replicas).toBe(3)
    } finally {
      await stop()
    }

    await router.changeSpec({ replicas: 2 })
    await eventually(async () => expect((await router.deployment()).spec?.replicas).toBe(2))
    await router.reports('OperandsManaged', { status: 'True' })
  },
)

for (const [kind, field, value, refOf] of [
  [
    Service,
    'ports',
    [{ name: 'other', port: 8080 }],
    ({ namespace }: ObjectRef, name: string) => ({ namespace, name: `router-internal-${name}` }),
  ],
  [
    PodDisruptionBudget,
    'maxUnavailable',
    0,
    ({ namespace }: ObjectRef, name: string) => ({ namespace, name: `router-${name}` }),
  ],
] as const) {
  story(
    `A manager that keeps changing spec.${field} of the ${kind.kind} is named, and the operator backs off`,
    async (cluster) => {
      const router = await cluster.on('AWS').publish('edge', undefined)
      cluster.journal.turnPage()
      const ref = refOf(router.operandRef, router.name)
      const stop = await insists(cluster.client, kind, ref, { [field]: value })
      try {
        await router.reports('OperandsManaged', {
          status: 'False',
          reason: 'Contested',
          message: `"rival" keeps changing spec.${field} of ${kind.kind} `,
        })
        await cluster.waitUntilQuiescent()
        expect(writesTo(kind, cluster)).toBe(5)
      } finally {
        await stop()
      }
    },
  )
}

/** As `kubectl scale` and autoscalers do it. */
function scale(client: Client, ref: ObjectRef, replicas: number) {
  const patch = { type: 'merge', body: { spec: { replicas } } } as const
  return client.patch(Deployment, ref, patch, { subresource: 'scale', fieldManager: 'kubectl' })
}

story('Others can scale routers whose number the spec leaves open', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', undefined, { replicas: null })
  await eventually(async () => expect((await router.deployment()).spec?.replicas).toBe(2))
  const { namespace, name } = router.operandRef
  // Without metrics it still sees to the minimum.
  if (cluster.testCluster.name === 'real')
    await cluster.run(`kubectl -n ${namespace} autoscale deployment ${name} --min=3 --max=5`)
  else await scale(cluster.client, router.operandRef, 3)
  await eventually(async () => expect((await router.deployment()).spec?.replicas).toBe(3), 45_000)
  await router.everythingIsSeen()
  await cluster.waitUntilQuiescent()
  expect((await router.deployment()).spec?.replicas).toBe(3)
  await router.reports('OperandsManaged', { status: 'True' })
})
