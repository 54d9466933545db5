import { createMetrics, kind, ServiceAccount, systemClock } from '@portcullis/kube'
import { HealthServer } from '@portcullis/kube/internal/health/health.ts'
import { ScrapeAccess } from '@portcullis/kube/internal/health/scrape-access.ts'
import { metricsAccess } from '@portcullis/operator/internal/manifests/metrics-access.ts'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { adminAccess, aNamespace, connect } from '../clusters/test-client.ts'

const plane = sharedControlPlane()

test('Metrics are served only to the token of an account that may read them', async () => {
  const { client, namespace } = await aNamespace(plane)
  const names = [`${namespace}-operator`, 'prometheus', 'stranger'] as const
  for (const name of names) await client.create(ServiceAccount, { metadata: { namespace, name } })
  const [operator, prometheus, stranger] = await Promise.all(names.map(tokenOf))
  const options = {
    name: names[0],
    image: '',
    operatorNamespace: namespace,
    operandNamespace: namespace,
    replicas: 1,
    openshift: false,
    monitoring: false,
    routerImage: 'router:1',
    routerCpuRequest: '100m',
    routerMemoryRequest: '256Mi',
    admissionPolicy: false,
    maxReplicas: 50,
    hostNetwork: true,
    metricsNamespaces: [],
    apiServerPorts: [443],
    metricsAuthentication: true,
    configuration: '',
  }
  for (const object of metricsAccess(options))
    await client.create(kind(object.apiVersion, object.kind), structuredClone(object))
  const binding = ['create', 'clusterrolebinding', `${namespace}-prometheus`]
  const reader = [`--clusterrole=${names[0]}-metrics-reader`, `--serviceaccount=${namespace}:prometheus`]
  expect((await plane.kubectl([...binding, ...reader])).code).toBe(0)

  // With no more rights than the manifests give.
  const credentials = {
    current: () => ({ authorization: `Bearer ${operator}` }),
    rejected: async () => false,
  }
  const reviewer = connect({ ...(await adminAccess(plane)), credentials })
  const server = new HealthServer({
    checks: [],
    metrics: createMetrics('test'),
    access: new ScrapeAccess(reviewer, systemClock),
  })
  onTestFinished(() => server.close())
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  const get = async (path: string, token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status
  }
  // The API server takes a moment to learn of new rights.
  await eventually(async () => expect(await get('/metrics', prometheus)).toBe(200), 30_000)
  expect(await get('/metrics', stranger)).toBe(403)
  expect(await get('/metrics', 'made.up.token')).toBe(401)
  expect(await get('/metrics')).toBe(401)
  expect(await get('/readyz')).toBe(200)

  async function tokenOf(name: string): Promise<string> {
    return (await plane.kubectl(['create', 'token', name, '-n', namespace])).stdout.trim()
  }
})
