import { isNotFound } from '@portcullis/kube'
import { Infrastructure } from '@portcullis/operator'
import { expect } from 'vitest'
import type { Cluster } from './cluster.ts'
import { stories } from './story.ts'

const { alone } = stories()

const internal = {
  AWS: 'service.beta.kubernetes.io/aws-load-balancer-internal',
  Azure: 'service.beta.kubernetes.io/azure-load-balancer-internal',
} as const

/** There is one such object in a cluster: a story that creates it deletes it. */
async function infrastructure({ client }: Cluster, platform: string): Promise<void> {
  const { metadata } = await client.create(Infrastructure, { metadata: { name: 'cluster' }, spec: {} })
  const body = { status: { platformStatus: { type: platform } } }
  await client.patch(Infrastructure, metadata, { type: 'merge', body }, { subresource: 'status' })
}

async function without({ client }: Cluster): Promise<void> {
  await client.delete(Infrastructure, { name: 'cluster' }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
}

alone('Nothing that depends on the platform is published until the platform is known', async (cluster) => {
  const router = await cluster.create('edge', { scope: 'Internal' })
  const message =
    /LoadBalancerService depends on the platform\. The platform of the cluster cannot be determined: .*--platform/
  await router.reports('Admitted', { status: 'False', message })
  await expect(router.service()).rejects.toThrow('NotFound')
  await expect(router.deployment()).rejects.toThrow('NotFound')
  const inner = await cluster.create('inner', undefined, {
    endpointPublishingStrategy: { type: 'Private' },
  })
  await inner.reports('Admitted', { status: 'True' })
  try {
    await infrastructure(cluster, 'Azure')
    await router.reports('Admitted', { status: 'True' })
    await router.reports('LoadBalancerReady', { status: 'False', reason: 'LoadBalancerPending' })
    expect(await router.annotations()).toMatchObject({ [internal.Azure]: 'true' })
  } finally {
    await without(cluster)
  }
})

alone('Infrastructure decides the platform, whatever the flag says', async (cluster) => {
  try {
    await infrastructure(cluster, 'AWS')
    const router = await cluster.with({ platform: 'Azure' }).create('edge', { scope: 'Internal' })
    await router.reports('Admitted', { status: 'True' })
    await router.reports('LoadBalancerReady', { status: 'False', reason: 'LoadBalancerPending' })
    expect(await router.annotations()).toMatchObject({ [internal.AWS]: 'true' })
  } finally {
    await without(cluster)
  }
})

alone('The scope Internal is refused where Infrastructure says that there is no cloud', async (cluster) => {
  try {
    await infrastructure(cluster, 'None')
    const router = await cluster.create('edge', { scope: 'Internal' })
    await router.reports('Admitted', { status: 'False', message: 'not supported on the platform None' })
  } finally {
    await without(cluster)
  }
})

alone('Fields that are set and have no effect are listed by their paths', async (cluster) => {
  const router = await cluster.on('AWS').publish(
    'edge',
    { scope: 'External' },
    {
      tuningOptions: { threadCount: 8 },
      httpHeaders: { uniqueId: { name: 'x-request' }, forwardedHeaderPolicy: 'Append' },
    },
  )
  await router.reports('AllFieldsSupported', {
    status: 'False',
    reason: 'FieldsIgnored',
    message: 'These fields are set but have no effect: spec.httpHeaders.uniqueId, spec.tuningOptions.',
  })
  await router.changeSpec({ tuningOptions: null, httpHeaders: { uniqueId: null } })
  await router.reports('AllFieldsSupported', { status: 'True', reason: 'NothingIgnored' })
})
