import { Namespace, Pod } from '@portcullis/kube'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import type { Cluster } from '../e2e/cluster.ts'
import { stories } from '../e2e/story.ts'

const { story } = stories()

/** The API server itself judges pods by the Pod Security Standards. */
const level = (mode: 'enforce' | 'warn') => ({ [`pod-security.kubernetes.io/${mode}`]: 'restricted' })

async function publish(cluster: Cluster, type: string, mode: 'enforce' | 'warn', member: object = {}) {
  cluster.on('AWS')
  await cluster.prepare()
  const { operandNamespace: name } = cluster.settings
  const patch = { type: 'merge', body: { metadata: { labels: level(mode) } } } as const
  await cluster.client.patch(Namespace, { name }, patch)
  const endpointPublishingStrategy = { type, ...member }
  const router = await cluster.create('edge', undefined, { replicas: 1, endpointPublishingStrategy })
  const pod = await eventually(async () => {
    const { items } = await cluster.client.list(Pod, { namespace: name })
    expect(items).toHaveLength(1)
    return items[0]
  })
  return { router, pod }
}

/** What the standard has against a pod, in the words of the API server. */
async function violationsOf({ spec }: { spec?: object } = {}, { settings }: Cluster): Promise<string[]> {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'judged' }, spec: { ...spec, nodeName: '' } }
  const args = ['-n', settings.operandNamespace, 'create', '--dry-run=server', '-f', '-']
  const { stderr } = await sharedControlPlane().kubectl(args, { input: JSON.stringify(pod) })
  const [, list = ''] = /would violate PodSecurity "restricted:latest": (.*)/.exec(stderr) ?? []
  return list === '' ? [] : list.split(/\), (?=\S)/).map((each) => each.replace(/ \(.*/, ''))
}

for (const type of ['LoadBalancerService', 'NodePortService', 'Private']) {
  story(`Routers of ${type} are admitted where "restricted" is enforced`, async (cluster) => {
    const { router, pod } = await publish(cluster, type, 'enforce')
    expect(await violationsOf(pod, cluster)).toEqual([])
    await router.isUp()
  })
}

story('Routers on low host ports ask for the rights that those need, and for no others', async (cluster) => {
  const { pod } = await publish(cluster, 'HostNetwork', 'warn', {
    hostNetwork: { httpPort: 981, httpsPort: 982, statsPort: 983 },
  })
  expect(await violationsOf(pod, cluster)).toEqual([
    'host namespaces',
    'hostPort',
    'allowPrivilegeEscalation != false',
  ])
})

story('Routers on high host ports need no privilege escalation either', async (cluster) => {
  const { pod } = await publish(cluster, 'HostNetwork', 'warn', {
    hostNetwork: { httpPort: 28_081, httpsPort: 28_082, statsPort: 28_083 },
  })
  expect(await violationsOf(pod, cluster)).toEqual(['host namespaces', 'hostPort'])
})
