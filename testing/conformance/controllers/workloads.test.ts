import {
  ConfigMap,
  CoreEvent,
  Deployment,
  EndpointSlice,
  Endpoints,
  type KubeObject,
  kind,
  Namespace,
  Node,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Service,
  ServiceAccount,
} from '@portcullis/kube'
import { registerSandboxControllers } from '@portcullis/sandbox/internal/controllers/all.ts'
import { templateHash } from '@portcullis/sandbox/internal/controllers/deployment/template-hash.ts'
import { sandboxNode } from '@portcullis/sandbox/internal/controllers/kubelet/node-status.ts'
import { PodLogs } from '@portcullis/sandbox/internal/controllers/kubelet/pod-logs.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../clusters/eventually.ts'
import { type RealControllersCluster, startControllersOnRealServer } from './controllers-alone.ts'
import { webDeployment } from './web-deployment.ts'

const CustomResourceDefinition = kind<KubeObject>('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
const Toy = kind<KubeObject>('example.com/v1', 'Toy')
const schema = { openAPIV3Schema: { type: 'object' } }
const toys = {
  metadata: { name: 'toys.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'toys', kind: 'Toy' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  },
}

const logs = new PodLogs()
let cluster: RealControllersCluster

beforeAll(async () => {
  cluster = await startControllersOnRealServer((parts) =>
    registerSandboxControllers({
      ...parts,
      cloud: { platform: 'AWS', timing: { provisioningMs: 50, deletionMs: 50 } },
      ca: 'a certificate',
      kubelet: { logs, crashBackoff: { baseMs: 200, maxMs: 1_000 } },
    }),
  )
  for (const number of [1, 2, 3]) {
    await cluster.client.create(Node, sandboxNode({ name: `worker-${number}`, number }))
  }
})
afterAll(() => cluster.stop())

/** A namespace of the test's own, with its service account. */
async function aNamespace(): Promise<string> {
  const { metadata } = await cluster.client.create(Namespace, { metadata: { generateName: 'test-' } })
  await eventually(() => cluster.client.get(ServiceAccount, { namespace: metadata.name, name: 'default' }))
  return metadata.name
}

const aDeployment = (...described: Parameters<typeof webDeployment>) =>
  cluster.client.create(Deployment, webDeployment(...described))

const kubectl = async (...args: string[]) => {
  const { code, stdout, stderr } = await cluster.plane.kubectl(args)
  return { code, text: `${stdout}${stderr}` }
}

const rolledOut = (namespace: string) =>
  kubectl('rollout', 'status', 'deployment/web', '-n', namespace, '--timeout=20s')

const podsIn = async (namespace: string) => (await cluster.client.list(Pod, { namespace })).items

describe('The sandbox’s controllers on the real API server', () => {
  it('Nodes become Ready, and lose the not-ready taint', async () => {
    await eventually(async () => {
      const { items } = await cluster.client.list(Node)
      expect(items.map(({ spec }) => spec?.taints)).toEqual([undefined, undefined, undefined])
      const ready = items.map(
        ({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.reason,
      )
      expect(ready).toEqual(['KubeletReady', 'KubeletReady', 'KubeletReady'])
    })
  })

  it('Each namespace gets the root certificate, again if a client changes it', async () => {
    const namespace = await aNamespace()
    const name = { namespace, name: 'kube-root-ca.crt' }
    const isThere = () =>
      eventually(async () =>
        expect((await cluster.client.get(ConfigMap, name)).data).toEqual({ 'ca.crt': 'a certificate' }),
      )
    await isThere()
    await cluster.client.patch(ConfigMap, name, { type: 'merge', body: { data: { 'ca.crt': 'another' } } })
    await isThere()
  })

  it('A Deployment chooses another hash where a ReplicaSet of that name has another owner', async () => {
    const namespace = await aNamespace()
    const { metadata, spec } = await aDeployment(namespace, { paused: true })
    const labels = { other: 'one' }
    await cluster.client.create(ReplicaSet, {
      metadata: { namespace, name: `web-${templateHash(spec?.template)}` },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x' }] } },
      },
    })
    await cluster.client.patch(Deployment, metadata, { type: 'merge', body: { spec: { paused: false } } })
    await eventually(async () => {
      expect((await cluster.client.get(Deployment, metadata)).status).toMatchObject({
        collisionCount: 1,
        availableReplicas: 3,
      })
    })
  })

  it('Pods that cannot be created are reported in the ReplicaSet and in the Deployment', async () => {
    const namespace = await aNamespace()
    const enforce = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    await cluster.client.patch(
      Namespace,
      { name: namespace },
      { type: 'merge', body: { metadata: { labels: enforce } } },
    )
    const { metadata } = await aDeployment(namespace)
    await eventually(async () => {
      const { status } = await cluster.client.get(Deployment, metadata)
      expect(status?.conditions?.find(({ type }) => type === 'ReplicaFailure')).toMatchObject({
        status: 'True',
        reason: 'FailedCreate',
        message: expect.stringMatching(
          /^pods "web-\w+-\w+" is forbidden: violates PodSecurity "restricted:latest": /,
        ),
      })
    })
    await cluster.client.delete(Deployment, metadata)
    await eventually(async () =>
      expect((await cluster.client.list(ReplicaSet, { namespace })).items).toEqual([]),
    )
  })

  it('A Deployment is rolled out over the nodes, again with a new template, and back', async () => {
    const namespace = await aNamespace()
    const { metadata } = await aDeployment(namespace)
    expect(await rolledOut(namespace)).toMatchObject({
      code: 0,
      text: expect.stringContaining('successfully rolled out'),
    })
    const nodes = (await podsIn(namespace)).map(({ spec }) => spec?.nodeName)
    expect(new Set(nodes).size).toBe(3)

    const container = [{ name: 'c', image: 'web:2' }]
    const body = { spec: { template: { spec: { containers: container } } } }
    await cluster.client.patch(Deployment, metadata, { type: 'strategic', body })
    expect((await rolledOut(namespace)).code).toBe(0)
    expect((await kubectl('rollout', 'undo', 'deployment/web', '-n', namespace)).code).toBe(0)
    expect((await rolledOut(namespace)).code).toBe(0)
    await eventually(async () => {
      const live = await cluster.client.get(Deployment, metadata)
      expect(live.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3')
      // Neither revision nor status are changes of the Deployment.
      expect([live.metadata.generation, live.status?.observedGeneration]).toEqual([3, 3])
      expect(live.status).toMatchObject({ replicas: 3, updatedReplicas: 3, availableReplicas: 3 })
      const { items } = await cluster.client.list(ReplicaSet, { namespace })
      expect(items.map(({ spec }) => `${spec?.replicas}`).sort()).toEqual(['0', '3'])
    })
  })

  it('A pod that fits nowhere waits with the scheduler’s reasons, and is scheduled when there is room', async () => {
    const namespace = await aNamespace()
    await aDeployment(
      namespace,
      { replicas: 4 },
      { containers: [{ name: 'c', image: 'web', ports: [{ containerPort: 80, hostPort: 80 }] }] },
    )
    const waiting = await eventually(async () => {
      const pod = (await podsIn(namespace)).find(({ spec }) => spec?.nodeName === undefined)
      expect(pod?.status?.conditions?.[0]).toMatchObject({
        type: 'PodScheduled',
        reason: 'Unschedulable',
        message:
          "0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports. no new claims to deallocate, preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
      })
      return pod
    })
    await cluster.client.create(Node, sandboxNode({ name: 'worker-4', number: 4 }))
    await eventually(async () => {
      const pod = (await podsIn(namespace)).find(({ metadata }) => metadata.name === waiting?.metadata.name)
      expect([pod?.spec?.nodeName, pod?.status?.phase]).toEqual(['worker-4', 'Running'])
    })
    await cluster.client.delete(Deployment, { namespace, name: 'web' })
    await cluster.client.delete(Node, { name: 'worker-4' })
    await eventually(async () => expect(await podsIn(namespace)).toEqual([]))
  })

  it('A host port that another process holds makes a crash loop, with the reason in the log', async () => {
    const namespace = await aNamespace()
    await kubectl('annotate', 'nodes', '--all', 'sandbox.portcullis.dev/host-ports-in-use=81=nginx (pid 812)')
    const ports = [{ containerPort: 81, hostPort: 81 }]
    const spec = { containers: [{ name: 'c', image: 'web', ports }] }
    const { metadata } = await cluster.client.create(Pod, { metadata: { namespace, name: 'crash' }, spec })
    await eventually(async () => {
      const { status } = await cluster.client.get(Pod, metadata)
      expect(status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('CrashLoopBackOff')
    })
    expect(logs.logsOf(metadata)).toMatch(/listen tcp 0\.0\.0\.0:81: bind: address already in use\n$/)
    await kubectl('annotate', 'nodes', '--all', 'sandbox.portcullis.dev/host-ports-in-use-')
    await eventually(async () => {
      const { status } = await cluster.client.get(Pod, metadata)
      expect(status?.containerStatuses?.[0]).toMatchObject({ ready: true, state: { running: {} } })
    })
  })

  it('A Service gets the endpoints of its pods, and a disruption budget counts them', async () => {
    const namespace = await aNamespace()
    await aDeployment(namespace)
    await cluster.client.create(Service, {
      metadata: { namespace, name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] },
    })
    await cluster.client.create(PodDisruptionBudget, {
      metadata: { namespace, name: 'web' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
    })
    await eventually(async () => {
      const { items } = await cluster.client.list(EndpointSlice, { namespace })
      expect(items).toHaveLength(1)
      expect(items[0]?.ports).toEqual([{ name: '', port: 8080, protocol: 'TCP' }])
      expect(items[0]?.endpoints.map(({ conditions }) => conditions?.ready)).toEqual([true, true, true])
      const { subsets } = await cluster.client.get(Endpoints, { namespace, name: 'web' })
      expect(subsets?.[0]?.addresses).toHaveLength(3)
      const { status } = await cluster.client.get(PodDisruptionBudget, { namespace, name: 'web' })
      expect(status).toMatchObject({
        expectedPods: 3,
        currentHealthy: 3,
        desiredHealthy: 2,
        disruptionsAllowed: 1,
      })
    })
    await cluster.client.delete(Service, { namespace, name: 'web' })
    await eventually(async () => {
      expect((await cluster.client.list(EndpointSlice, { namespace })).items).toEqual([])
      expect((await cluster.client.list(Endpoints, { namespace })).items).toEqual([])
    })
  })

  it.each(['Background', 'Foreground', 'Orphan'] as const)(
    'A %s deletion ends as it should',
    async (propagation) => {
      const namespace = await aNamespace()
      const { metadata } = await aDeployment(namespace)
      expect((await rolledOut(namespace)).code).toBe(0)
      await cluster.client.delete(Deployment, metadata, { propagation })
      const left = propagation === 'Orphan' ? { sets: 1, pods: 3 } : { sets: 0, pods: 0 }
      await eventually(async () => {
        await expect(cluster.client.get(Deployment, metadata)).rejects.toThrow(/NotFound/)
        const { items: sets } = await cluster.client.list(ReplicaSet, { namespace })
        expect({ sets: sets.length, pods: (await podsIn(namespace)).length }).toEqual(left)
        expect(sets.flatMap(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([])
      })
      if (propagation !== 'Orphan') return
      await aDeployment(namespace)
      expect((await rolledOut(namespace)).code).toBe(0)
      expect((await cluster.client.list(ReplicaSet, { namespace })).items).toHaveLength(1)
    },
  )

  it('The dependents of a custom resource are deleted with it, though its kind was defined later', async () => {
    const namespace = await aNamespace()
    await cluster.client.create(CustomResourceDefinition, toys)
    const toy = await eventually(() => cluster.client.create(Toy, { metadata: { namespace, name: 'toy' } }))
    const { uid } = toy.metadata
    const owned = (name: string, ownerUid: string) =>
      cluster.client.create(ConfigMap, {
        metadata: {
          namespace,
          name,
          ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Toy', name: 'toy', uid: ownerUid }],
        },
      })
    await owned('mine', uid)
    await owned('nobodys', '00000000-0000-0000-0000-000000000000')
    const names = async () =>
      (await cluster.client.list(ConfigMap, { namespace })).items.map(({ metadata }) => metadata.name)
    await eventually(async () => expect(await names()).toEqual(['kube-root-ca.crt', 'mine']))
    await cluster.client.delete(Toy, toy.metadata)
    await eventually(async () => expect(await names()).toEqual(['kube-root-ca.crt']))
  })

  it('A node that is not ready takes no pods, and its pods are not ready', async () => {
    const namespace = await aNamespace()
    await aDeployment(namespace)
    await rolledOut(namespace)
    await kubectl('annotate', 'node', 'worker-1', 'sandbox.portcullis.dev/not-ready=true')
    const readyOn = async (node: string) => {
      const pod = (await podsIn(namespace)).find(({ spec }) => spec?.nodeName === node)
      return pod?.status?.conditions?.find(({ type }) => type === 'Ready')?.status
    }
    await eventually(async () => {
      const { spec, status } = await cluster.client.get(Node, { name: 'worker-1' })
      expect(spec?.taints?.map(({ key }) => key)).toEqual(['node.kubernetes.io/not-ready'])
      expect(status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('False')
      expect([await readyOn('worker-1'), await readyOn('worker-2')]).toEqual(['False', 'True'])
    })
    await kubectl('annotate', 'node', 'worker-1', 'sandbox.portcullis.dev/not-ready-')
    await eventually(async () => expect(await readyOn('worker-1')).toBe('True'))
  })

  it('A namespace is deleted with its contents, and its conditions say what it waits for', async () => {
    const namespace = await aNamespace()
    await aDeployment(namespace)
    await cluster.client.create(Service, {
      metadata: { namespace, name: 'lb' },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    })
    const held = { namespace, name: 'held', finalizers: ['example.com/hold'] }
    await cluster.client.create(ConfigMap, { metadata: held })
    await cluster.client.delete(Namespace, { name: namespace })
    await eventually(async () => {
      const { status } = await cluster.client.get(Namespace, { name: namespace })
      expect(status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
        'NamespaceDeletionDiscoveryFailure=False',
        'NamespaceDeletionGroupVersionParsingFailure=False',
        'NamespaceDeletionContentFailure=False',
        'NamespaceContentRemaining=True',
        'NamespaceFinalizersRemaining=True',
      ])
      expect(status?.conditions?.[3]?.message).toBe(
        'Some resources are remaining: configmaps. has 1 resource instances',
      )
    })
    await cluster.client.patch(ConfigMap, held, { type: 'merge', body: { metadata: { finalizers: null } } })
    await eventually(() =>
      expect(cluster.client.get(Namespace, { name: namespace })).rejects.toThrow(/NotFound/),
    )
  })

  it('The controllers record events in the words of the real ones, and none of them fails', async () => {
    const namespace = await aNamespace()
    await aDeployment(namespace, { replicas: 1 })
    await rolledOut(namespace)
    await eventually(async () => {
      const { items } = await cluster.client.list(CoreEvent, { namespace })
      const rows = items.map((event) => [
        event.source?.component ?? event.reportingComponent,
        event.reason,
        event.message,
      ])
      const texts = rows.map(
        ([component, reason, message]) =>
          `${component || 'default-scheduler'} ${reason}: ${message?.replaceAll(/web-\w+(-\w+)?/g, 'X').replace(namespace, 'ns')}`,
      )
      expect(texts).toEqual(
        expect.arrayContaining([
          'deployment-controller ScalingReplicaSet: Scaled up replica set X from 0 to 1',
          'replicaset-controller SuccessfulCreate: Created pod: X',
          expect.stringMatching(/^default-scheduler Scheduled: Successfully assigned ns\/X to worker-\d$/),
          'kubelet Started: Container started',
        ]),
      )
    })
    // Pods that may not be made are tried again, and each failure is logged.
    expect(cluster.errors.filter((error) => !error.includes('violates PodSecurity'))).toEqual([])
  })
})
