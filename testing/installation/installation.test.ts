import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client, Kind } from '@portcullis/kube'
import {
  ConfigMap,
  Deployment,
  Ingress,
  IngressClass,
  Lease,
  PodDisruptionBudget,
  ServiceAccount,
} from '@portcullis/kube/internal/objects/kinds.ts'
import { IngressController } from '@portcullis/operator'
import { autoDeleteAnnotation } from '@portcullis/operator/internal/ingress/names.ts'
import { operatorAccess } from '@portcullis/operator/internal/manifests/operator-access.ts'
import type { PolicyRule } from 'kubernetes-types/rbac/v1'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { kubeconfig } from '../clusters/kubeconfig-file.ts'
import { OperatorProcess } from '../clusters/operator-process.ts'
import { run } from '../clusters/run-command.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { Cluster } from '../e2e/cluster.ts'
import { realTestCluster } from '../e2e/real-test-cluster.ts'
import { grantsOf, needsOf, requestsOfOperators } from './audit.ts'

const plane = sharedControlPlane()

/** What the command prints, applied by kubectl; and one of the operators that it asks for, as a process. */
async function anInstallation() {
  const testCluster = await realTestCluster(plane)
  const cluster = new Cluster(testCluster).on('AWS')
  onTestFinished(async () => {
    await cluster.close()
    await testCluster.close()
  })
  const { operatorNamespace, operandNamespace } = cluster.settings
  const place = `--operator-namespace ${operatorNamespace} --operand-namespace ${operandNamespace}`
  const apply = async (flags = '') => {
    const printed = await portcullis(`manifests ${place} --platform AWS --domain apps.example.com ${flags}`)
    const applied = await plane.kubectl(['apply', '-f', '-'], { input: printed })
    expect(applied.code, applied.stderr).toBe(0)
    return applied.stdout
  }
  const startOperator = async () => {
    await cluster.prepare()
    const directory = await mkdtemp(join(tmpdir(), 'portcullis-installation-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const created = await plane.kubectl(['create', 'token', 'portcullis', '-n', operatorNamespace])
    const user = { server: plane.server, ca: plane.ca, user: 'portcullis', token: created.stdout.trim() }
    const configuration = await testCluster.client.get(ConfigMap, {
      namespace: operatorNamespace,
      name: 'portcullis',
    })
    await writeFile(join(directory, 'kubeconfig'), kubeconfig(user), { mode: 0o600 })
    await writeFile(join(directory, 'config.yaml'), configuration.data?.['config.yaml'] ?? '')
    return new OperatorProcess('packages/cli/src/main.ts', {}, [
      'operator',
      `--kubeconfig=${directory}/kubeconfig`,
      `--config=${directory}/config.yaml`,
      '--health-port=0',
    ])
  }
  return { cluster, client: testCluster.client, apply, startOperator }
}

async function portcullis(args: string): Promise<string> {
  const command = ['--import', 'tsx', 'packages/cli/src/main.ts', ...args.split(' ').filter(Boolean)]
  const { stdout, stderr, code } = await run(process.execPath, command)
  expect(code, stderr).toBe(0)
  return stdout
}

test('The printed manifests can be applied twice, and their pods start', async () => {
  const { cluster, client, apply } = await anInstallation()
  expect(await apply()).toContain('deployment.apps/portcullis created')
  const again = (await apply()).trim().split('\n')
  expect(again.filter((line) => !line.endsWith(' unchanged') && !line.endsWith(' configured'))).toEqual([])
  expect(again).toContain('deployment.apps/portcullis unchanged')
  const ref = { namespace: cluster.settings.operatorNamespace, name: 'portcullis' }
  await eventually(
    async () => expect((await client.get(Deployment, ref)).status?.readyReplicas).toBe(2),
    30_000,
  )
})

test('The operator has the rights that it uses, and uses the rights that it has', {
  timeout: 120_000,
}, async () => {
  const { cluster, client, apply, startOperator } = await anInstallation()
  await apply()
  const operator = await startOperator()
  await eventually(() => expect(operator.log.map(({ msg }) => msg)).toContain('Leading'), 40_000)

  await everythingThatAnOperatorDoes(cluster)
  const lease = { namespace: cluster.settings.operatorNamespace, name: 'portcullis' }
  await client.delete(Lease, lease)
  await eventually(() => client.get(Lease, lease), 20_000)

  const requests = await eventually(async () => {
    const all = await requestsOfOperators(plane.auditLog)
    expect(unusedIn(all.flatMap(needsOf))).toEqual([])
    return all
  }, 20_000)
  const refused = requests.filter(({ responseStatus }) => responseStatus?.code === 403)
  expect(refused.map(({ requestURI }) => requestURI)).toEqual([])
  expect(requests.filter(({ objectRef }) => objectRef?.resource === 'secrets')).toEqual([])
})

function unusedIn(needs: readonly string[]): string[] {
  const used = new Set(needs)
  const place = { name: 'portcullis', operatorNamespace: 'a', operandNamespace: 'b', openshift: false }
  const granted = operatorAccess(place).flatMap(({ rules }) => (rules as PolicyRule[] | undefined) ?? [])
  return granted.flatMap(grantsOf).filter((grant) => !used.has(grant))
}

test('Routers may read what they serve, and no other account of their namespace may', async () => {
  const { cluster, client, apply } = await anInstallation()
  await apply()
  const { operandNamespace: namespace } = cluster.settings
  // As an older version left them behind.
  await client.create(ServiceAccount, { metadata: { namespace, name: 'router-default' } })
  const rights = async (account: string) => {
    const { stdout } = await plane.kubectl(['create', 'token', account, '-n', namespace])
    const may = async ([verb, group, resource]: readonly string[]) => {
      const spec = { resourceAttributes: { verb, group, resource } }
      const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec }
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
      const asked = ['create', '--raw', path, '-f', '-', `--token=${stdout.trim()}`]
      const answer = await plane.kubectl(asked, { input: JSON.stringify(review) })
      expect(answer.code, answer.stderr).toBe(0)
      return (JSON.parse(answer.stdout) as { status: { allowed: boolean } }).status.allowed
    }
    return Promise.all(routersMay.map(may))
  }
  await eventually(async () => expect(await rights('router')).toEqual(routersMay.map(() => true)))
  for (const account of ['default', 'router-default'])
    expect(await rights(account), account).toEqual(routersMay.map(() => false))
})

/** Verb, group and resource; everywhere. */
const routersMay = [
  ['watch', '', 'services'],
  ['list', '', 'namespaces'],
  ['list', 'discovery.k8s.io', 'endpointslices'],
  ['watch', 'route.openshift.io', 'routes'],
  ['create', 'authentication.k8s.io', 'tokenreviews'],
] as const

/** Makes the operator create, mend and delete an object of every kind that it looks after. */
async function everythingThatAnOperatorDoes(cluster: Cluster): Promise<void> {
  const { client, settings } = cluster
  const { operandNamespace: namespace } = settings
  const router = cluster.router('edge')
  const className = `portcullis-${router.name}`
  await client.create(IngressController, {
    metadata: { ...router.ref, annotations: { [autoDeleteAnnotation]: '' } },
    spec: { replicas: 0, endpointPublishingStrategy: { type: 'LoadBalancerService' } },
  })
  await router.isProvided()
  await client.create(Ingress, {
    metadata: { namespace, name: 'shop' },
    spec: {
      ingressClassName: className,
      defaultBackend: { service: { name: 'shop', port: { number: 80 } } },
    },
  })
  await eventually(async () => {
    const { status } = await client.get(Ingress, { namespace, name: 'shop' })
    expect(status?.loadBalancer?.ingress).toHaveLength(1)
  })
  await meddle(client, PodDisruptionBudget, router.operandRef, { spec: { maxUnavailable: '90%' } })
  await meddle(client, IngressClass, { name: className }, { spec: { parameters: { name: 'other' } } })
  // A second refusal is a patch of the Event of the first.
  for (const _ of ['first', 'second']) {
    await router.changeSpec({ replicas: 1000 })
    await router.reports('Admitted', { status: 'False' })
    await router.changeSpec({ replicas: 1 })
    await router.reports('Admitted', { status: 'True' })
  }
  await router.change({ scope: 'External', allowedSourceRanges: ['10.0.0.0/8'] })
  await eventually(async () =>
    expect((await router.service()).spec?.loadBalancerSourceRanges).toEqual(['10.0.0.0/8']),
  )
  const { metadata } = await router.service()
  await router.change({ scope: 'Internal' })
  await router.serviceAfter(metadata.uid)
  await router.delete()
  await router.isGone()
}

/** Another client changes what is ours: waits until it is restored. */
async function meddle(client: Client, kind: Kind, ref: { name: string }, body: object): Promise<void> {
  const { metadata } = await client.patch(kind, ref, { type: 'merge', body }, { fieldManager: 'somebody' })
  await eventually(async () =>
    expect((await client.get(kind, ref)).metadata.generation).toBeGreaterThan(metadata.generation ?? 0),
  )
}
