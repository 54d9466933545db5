import {
  type Client,
  Deployment,
  Event,
  Ingress,
  IngressClass,
  type Kind,
  kind,
  PodDisruptionBudget,
  Service,
} from '@portcullis/kube'
import { IngressController, type Settings } from '@portcullis/operator'
import { finalizer } from '@portcullis/operator/internal/ingress/names.ts'
import { admissionPolicy } from '@portcullis/operator/internal/manifests/admission-policy.ts'
import { anIngressController, hostilePods, type Loose, volume } from '@portcullis/operator/testing'
import type { SelfSubjectAccessReview as AccessReview } from 'kubernetes-types/authorization/v1'
import { beforeAll, expect, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { Cluster } from '../e2e/cluster.ts'
import { accessOfTheOperator } from '../e2e/operator-account.ts'
import { realTestCluster } from '../e2e/real-test-cluster.ts'
import { connect } from '../e2e/start-manager.ts'

const SelfSubjectAccessReview = kind<AccessReview>('authorization.k8s.io/v1', 'SelfSubjectAccessReview')

const name = 'portcullis-held'
let operator: Client
let admin: Client
let settings: Settings

beforeAll(async () => {
  const testCluster = await realTestCluster(sharedControlPlane())
  const cluster = new Cluster(testCluster).on('AWS')
  await cluster.prepare()
  settings = cluster.settings
  admin = testCluster.client
  operator = connect(await accessOfTheOperator(testCluster, name, settings), 'portcullis')
  // The API server takes a moment to learn of new policies.
  await eventually(async () => {
    await expect(
      tryToMake(
        Deployment,
        aRouter((pod) => Object.assign(pod, { hostPID: true })),
      ),
    ).rejects.toThrow(/is not allowed to do this/)
    await expect(
      tryToMake(Service, {
        metadata: { name: 'other', namespace: settings.operandNamespace },
        spec: { ports: [{ port: 1 }] },
      }),
    ).rejects.toThrow(/is not allowed to do this/)
  })
  return async () => {
    await operator.close()
    await cluster.close()
    await testCluster.close()
  }
}, 120_000)

/** The Deployment that the operator itself makes, but for a change of its pods. */
function aRouter(change: (pod: Loose, deployment: Loose) => void = () => {}, changed = 'edge') {
  const scene = anIngressController()
    .on('AWS')
    .scoped('External')
    .spec({ defaultCertificate: { name: 'mine' } })
  scene.settle()
  const { spec } = scene.deployment
  const metadata = { name: `router-${changed}`, namespace: settings.operandNamespace }
  const deployment = structuredClone({ metadata, spec })
  const { containers, initContainers } = deployment.spec.template.spec
  for (const container of [...containers, ...initContainers]) container.image = settings.routerImage
  change(deployment.spec.template.spec, deployment)
  return deployment
}

function tryToMake(of: Kind, object: object): Promise<unknown> {
  return operator.create(of, object, { dryRun: true })
}

test('The policies admit the routers that the operator makes', async () => {
  await tryToMake(Deployment, aRouter())
})

test('The API server has no warning about any expression of the policies', async () => {
  const Policy = kind<{ metadata?: object; status?: { typeChecking?: object; observedGeneration?: number } }>(
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicy',
  )
  for (const { kind: of, metadata } of admissionPolicy({ name, ...settings, hostNetwork: true })) {
    if (of !== 'ValidatingAdmissionPolicy') continue
    await eventually(async () => {
      const { status } = await admin.get(Policy, { name: metadata.name })
      expect(status?.observedGeneration, metadata.name).toBeGreaterThan(0)
      expect(status?.typeChecking, metadata.name).toEqual({})
    })
  }
})

test.each(Object.keys(hostilePods))('The operator is refused a Deployment with %s', async (change) => {
  const refused = tryToMake(Deployment, aRouter(hostilePods[change]))
  await expect(refused).rejects.toThrow(/The operator is not allowed to do this: /)
})

test('Additions of a user to a router are kept, and those of the operator are still refused', async () => {
  const theirs = aRouter((pod) => {
    volume({ hostPath: { path: '/var/log' } })(pod)
    pod.containers.push({ name: 'theirs', image: 'theirs:1' })
    pod.containers[0].env.push({ name: 'A', valueFrom: { secretKeyRef: { name: 'any', key: 'any' } } })
  }, 'edited')
  await admin.create(Deployment, theirs)
  const patch = (spec: object) =>
    operator.patch(Deployment, theirs.metadata, { type: 'merge', body: { spec } }, { dryRun: true })
  await patch({ replicas: 5, template: { spec: { terminationGracePeriodSeconds: 5 } } })
  await expect(patch({ template: { spec: { hostPID: true } } })).rejects.toThrow('is not allowed to do this')
  await expect(
    patch({
      template: {
        spec: { volumes: [...theirs.spec.template.spec.volumes, { name: 'worse', hostPath: { path: '/' } }] },
      },
    }),
  ).rejects.toThrow('is not allowed to do this')
})

test('The operator may write Services, Deployments and disruption budgets of routers alone', async () => {
  const { operandNamespace: namespace } = settings
  const others = { name: 'others', namespace }
  const ours = { name: 'router-edge', namespace }
  const selector = aRouter().spec.selector.matchLabels as Record<string, string>
  const spec = { selector, ports: [{ port: 80 }] }
  await tryToMake(Service, { metadata: ours, spec })
  await tryToMake(PodDisruptionBudget, { metadata: ours, spec: { selector: { matchLabels: selector } } })
  const refused: [Kind, object][] = [
    [Service, { metadata: others, spec }],
    [Service, { metadata: ours, spec: { ...spec, selector: { app: 'others' } } }],
    [Service, { metadata: ours, spec: { ...spec, externalIPs: ['192.0.2.1'] } }],
    [Service, { metadata: ours, spec: { ...spec, type: 'ExternalName', externalName: 'evil.example' } }],
    [PodDisruptionBudget, { metadata: others, spec: { selector: { matchLabels: selector } } }],
    [PodDisruptionBudget, { metadata: ours, spec: { selector: {}, maxUnavailable: 0 } }],
  ]
  for (const [of, object] of refused)
    await expect(tryToMake(of, object), JSON.stringify(object)).rejects.toThrow(/is not allowed to do this/)
  await admin.create(Service, { metadata: others, spec: { ports: [{ port: 80 }] } })
  await expect(operator.delete(Service, others, { dryRun: true })).rejects.toThrow(
    /is not allowed to do this/,
  )
  const { spec: routers } = aRouter()
  for (const metadata of [others, { name: 'router-deleted', namespace }])
    await admin.create(Deployment, { metadata, spec: { ...routers, replicas: 0 } })
  await expect(operator.delete(Deployment, others, { dryRun: true })).rejects.toThrow(
    /is not allowed to do this/,
  )
  await operator.delete(Deployment, { name: 'router-deleted', namespace })
})

test('The operator may neither read, create nor delete ServiceAccounts', async () => {
  const { operandNamespace: namespace } = settings
  const may = async (verb: string, resource: string) => {
    const spec = { resourceAttributes: { verb, resource, namespace } }
    return (await operator.create(SelfSubjectAccessReview, { spec })).status?.allowed
  }
  expect(await may('delete', 'services')).toBe(true)
  for (const verb of ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'impersonate'])
    expect(await may(verb, 'serviceaccounts'), verb).toBe(false)
  expect(await may('create', 'serviceaccounts/token')).toBe(false)
})

test('Routers of an older version get the ServiceAccount of all routers', async () => {
  const old = aRouter((pod) => Object.assign(pod, { serviceAccountName: 'router-old' }), 'old')
  await admin.create(Deployment, old)
  const patch = (spec: object) =>
    operator.patch(Deployment, old.metadata, { type: 'merge', body: { spec: { template: { spec } } } })
  const kept = await patch({ terminationGracePeriodSeconds: 5 })
  expect(kept.spec?.template.spec).toMatchObject({ serviceAccountName: 'router-old' })
  await expect(patch({ serviceAccountName: 'default' })).rejects.toThrow(/run as the ServiceAccount router/)
  const moved = await patch({ serviceAccountName: 'router' })
  expect(moved.spec?.template.spec).toMatchObject({ serviceAccountName: 'router', serviceAccount: 'router' })
})

test('The operator asks for no more routers than are allowed, and keeps the number that others set', async () => {
  const { maxReplicas } = settings
  const withReplicas = (replicas: number) => (_: Loose, deployment: Loose) => {
    deployment.spec.replicas = replicas
  }
  await tryToMake(Deployment, aRouter(withReplicas(maxReplicas)))
  const refused = tryToMake(Deployment, aRouter(withReplicas(maxReplicas + 1)))
  await expect(refused).rejects.toThrow(/spec\.replicas does not exceed maxReplicas/)
  // As an autoscaler would have it.
  const scaled = aRouter(withReplicas(maxReplicas + 10), 'scaled')
  await admin.create(Deployment, { ...scaled, spec: { ...scaled.spec, paused: true } })
  const patch = (spec: object) =>
    operator.patch(Deployment, scaled.metadata, { type: 'merge', body: { spec } }, { dryRun: true })
  await patch({ template: { spec: { terminationGracePeriodSeconds: 5 } } })
  await patch({ replicas: maxReplicas + 9 })
  await expect(patch({ replicas: maxReplicas + 11 })).rejects.toThrow(
    /spec\.replicas does not exceed maxReplicas/,
  )
  await admin.delete(Deployment, scaled.metadata)
})

test('The operator may write only IngressClasses that lead to its IngressControllers', async () => {
  const aClass = (controller: string, namespace: string) => ({
    metadata: { name: `${settings.operatorNamespace}-${controller.replaceAll('/', '-')}` },
    spec: {
      controller,
      parameters: {
        apiGroup: 'operator.openshift.io',
        kind: 'IngressController',
        scope: 'Namespace',
        namespace,
        name: 'x',
      },
    },
  })
  await tryToMake(IngressClass, aClass('portcullis.dev/ingress', settings.operatorNamespace))
  await expect(tryToMake(IngressClass, aClass('portcullis.dev/ingress', 'elsewhere'))).rejects.toThrow(
    /is not allowed to do this/,
  )
  const others = aClass('k8s.io/ingress-nginx', settings.operatorNamespace)
  await expect(tryToMake(IngressClass, others)).rejects.toThrow(/is not allowed to do this/)
  await admin.create(IngressClass, others)
  try {
    const body = { metadata: { annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } } }
    const patched = operator.patch(IngressClass, others.metadata, { type: 'merge', body })
    await expect(patched).rejects.toThrow(/is not allowed to do this/)
    await expect(operator.delete(IngressClass, others.metadata)).rejects.toThrow(/is not allowed to do this/)
  } finally {
    await admin.delete(IngressClass, others.metadata)
  }
})

test('The operator may write neither the spec nor the consent of an IngressController', async () => {
  const ref = { name: 'held', namespace: settings.operatorNamespace }
  await admin.create(IngressController, { metadata: ref, spec: { domain: 'held.example' } })
  const patch = (body: object) =>
    operator.patch(IngressController, ref, { type: 'merge', body }, { dryRun: true })
  await patch({ metadata: { finalizers: [finalizer] } })
  const consent = { 'ingress.operator.openshift.io/auto-delete-load-balancer': '' }
  await expect(patch({ metadata: { annotations: consent } })).rejects.toThrow(
    /changes neither the spec nor the auto-delete annotation/,
  )
  await expect(patch({ spec: { defaultCertificate: { name: 'any' } } })).rejects.toThrow(
    /changes neither the spec nor the auto-delete annotation/,
  )
})

test('The operator may change neither the owners of an IngressController nor the finalizers of others', async () => {
  const ref = { name: 'owned', namespace: settings.operatorNamespace }
  const finalizers = ['example.com/theirs']
  await admin.create(IngressController, {
    metadata: { ...ref, finalizers },
    spec: { domain: 'owned.example' },
  })
  const patch = (metadata: object) =>
    operator.patch(IngressController, ref, { type: 'merge', body: { metadata } }, { dryRun: true })
  await patch({ finalizers: [...finalizers, finalizer] })
  const isRefused = /it changes neither owner references nor the finalizers of others/
  await expect(patch({ finalizers: [finalizer] })).rejects.toThrow(isRefused)
  await expect(patch({ finalizers: [...finalizers, 'example.com/more'] })).rejects.toThrow(isRefused)
  await expect(patch({ ownerReferences: [unprivilegedUser] })).rejects.toThrow(isRefused)
  await admin.patch(IngressController, ref, { type: 'merge', body: { metadata: { finalizers: null } } })
})

test('The operator may write the status of an Ingress, and no metadata with it', async () => {
  const ref = { name: 'held', namespace: settings.operatorNamespace }
  const defaultBackend = { service: { name: 'web', port: { number: 80 } } }
  await admin.create(Ingress, { metadata: ref, spec: { defaultBackend } })
  const patch = (metadata: object) => {
    const body = { metadata, status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }
    return operator.patch(Ingress, ref, { type: 'merge', body }, { subresource: 'status', dryRun: true })
  }
  await patch({})
  for (const metadata of [
    { ownerReferences: [unprivilegedUser] },
    { finalizers: ['example.com/mine'] },
    { annotations: { 'cert-manager.io/cluster-issuer': 'mine' } },
    { labels: { shard: 'mine' } },
  ])
    await expect(patch(metadata)).rejects.toThrow(/it writes only the status of an Ingress/)
})

/** What has no other owner, the garbage collector deletes. */
const unprivilegedUser = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'nobody',
  uid: '0b5a3c1e-0000-4000-8000-000000000000',
}

test('The operator may neither write nor change Events in the name of others', async () => {
  const anEvent = (reportingController: string, name: string) => ({
    metadata: { name, namespace: settings.operandNamespace },
    eventTime: '2030-01-01T00:00:00.000000Z',
    reportingController,
    reportingInstance: 'x',
    action: 'A',
    reason: 'R',
    type: 'Normal',
    regarding: { kind: 'Service', namespace: settings.operandNamespace, name: 'x' },
  })
  await tryToMake(Event, anEvent('portcullis', 'ours'))
  await expect(tryToMake(Event, anEvent('service-controller', 'theirs'))).rejects.toThrow(
    /is not allowed to do this/,
  )
  await admin.create(Event, anEvent('service-controller', 'theirs'))
  const body = { series: { count: 3, lastObservedTime: '2030-01-01T00:00:01.000000Z' } }
  const patched = operator.patch(
    Event,
    { name: 'theirs', namespace: settings.operandNamespace },
    { type: 'merge', body },
  )
  await expect(patched).rejects.toThrow(/is not allowed to do this/)
})
