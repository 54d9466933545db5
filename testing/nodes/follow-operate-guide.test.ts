import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { request } from '../clusters/load/load.ts'
import { Cloud } from '../clusters/real-nodes/cloud/cloud.ts'
import { sharedNodes } from '../clusters/real-nodes/shared-nodes.ts'
import { freshCluster } from './fresh-cluster.ts'
import { Guide } from './guide.ts'
import { must, operatorNamespace } from './installation.ts'
import { readyOperators } from './operators.ts'

const { bed, images } = sharedNodes()
let cloud: Cloud | undefined

beforeAll(async () => {
  if (bed !== undefined) cloud = await Cloud.start(bed, 'AWS')
}, 900_000)
afterAll(() => cloud?.stop())

/** The images that the guide has in a registry are on the nodes by other names. */
function onBed(block: string): string {
  return block
    .replaceAll('registry.example.com/portcullis:0.1.0', images.operator.name)
    .replaceAll('registry.example.com/router:1.0', images.router.name)
    .replaceAll(
      'manifests …',
      `manifests --image ${images.operator.name} --router-image ${images.router.name} --domain apps.example.com`,
    )
}

test('Who follows the guide to the letter installs, publishes, upgrades, looks, and removes, by the manifests and by Helm', async () => {
  await freshCluster(bed)
  const guide = await Guide.open(bed, 'docs/operate.md', onBed)
  onTestFinished(() => freshCluster(bed))

  const image = images.operator.name
  expect(await guide.follow('Install', 'podman')).toBe(`podman build -t ${image} .\npodman push ${image}\n`)
  await guide.follow('Install', 'portcullis manifests')
  await readyOperators(bed)
  expect(await securityStandard()).toBe('restricted')
  expect(await guide.follow('Install', 'kubectl apply')).toMatch(
    /default +LoadBalancerService +External +\S+\.amazonaws\.com/,
  )
  await isAnswered()

  const installed = await versions()
  await guide.follow('Install', 'portcullis manifests')
  expect(await versions()).toEqual(installed)
  await guide.follow('Upgrade', 'kubectl create clusterrolebinding')
  await guide.follow('Upgrade', 'kubectl -n openshift-ingress delete serviceaccounts')
  expect(await versions()).toEqual(installed)

  const answers = await guide.follow('When something is wrong', 'portcullis status')
  expect(answers).toMatch(/^default +LoadBalancerService/m)
  expect(answers).toMatch(/^PortConflict\n/m)
  const logs = answers.split('\n').filter((line) => line.startsWith('[pod/portcullis-'))
  expect(logs.join('\n')).toContain('"msg":"Leading"')
  expect(new Set(logs.map((line) => line.split(']')[0])).size).toBe(2)
  expect(answers).toMatch(/^portcullis +portcullis-\S+ +\S+$/m)

  await guide.follow('Remove it', 'portcullis manifests --to-remove')
  expect(await must(bed, ['get', 'deployments', `--namespace=${operatorNamespace}`])).toBe('')
  await isAnswered()
  await guide.follow('Install', 'portcullis manifests')
  await guide.follow('Remove it', 'kubectl -n openshift-ingress-operator delete')
  expect(await namespacesAndKinds()).toEqual([])

  await guide.follow('Install', 'helm install')
  await readyOperators(bed)
  expect(await securityStandard()).toBe('restricted')
  await guide.follow('Remove it', 'helm uninstall')
  expect(await must(bed, ['get', 'deployments', `--namespace=${operatorNamespace}`])).toBe('')
  await guide.follow('Remove it', 'kubectl -n openshift-ingress-operator delete')
  expect(await namespacesAndKinds()).toEqual([])
  expect(guide.ignored).toEqual([])
})

/** By the load balancer of the one controller there is, for a client outside. */
async function isAnswered(): Promise<void> {
  const inside = bed.insideClient('External')
  await eventually(async () => {
    const address = await must(bed, [
      'get',
      'service/router-default',
      '--namespace=openshift-ingress',
      '--output=jsonpath={.status.loadBalancer.ingress[0].hostname}',
    ])
    const [ip = ''] = cloud?.resolve(address) ?? []
    expect(await request({ inside, url: `http://${ip}/` })).toMatchObject({ status: 200 })
  }, 60_000)
}

/** Of the objects that the manifests bring: another one shows that something was written. */
async function versions(): Promise<Readonly<Record<string, string>>> {
  const kinds =
    'customresourcedefinitions,namespaces,validatingadmissionpolicies,validatingadmissionpolicybindings,clusterroles,clusterrolebindings,deployments,poddisruptionbudgets,networkpolicies,services,configmaps,serviceaccounts'
  const { items } = JSON.parse(
    await must(bed, [
      'get',
      kinds,
      '--all-namespaces',
      '--selector=app.kubernetes.io/name=portcullis',
      '--output=json',
    ]),
  ) as {
    items: readonly {
      kind: string
      metadata: { name: string; resourceVersion: string; generation?: number }
    }[]
  }
  expect(items.length).toBeGreaterThan(20)
  return Object.fromEntries(
    items.map(({ kind, metadata: { name, generation, resourceVersion } }) => [
      `${kind}/${name}`,
      // Its status changes by itself.
      `${kind === 'Deployment' || kind === 'PodDisruptionBudget' ? generation : resourceVersion}`,
    ]),
  )
}

/** What pods of the operator's namespace are held to. */
function securityStandard(): Promise<string> {
  const path = String.raw`{.metadata.labels.pod-security\.kubernetes\.io/enforce}`
  return must(bed, ['get', 'namespace', operatorNamespace, `--output=jsonpath=${path}`])
}

/** And kinds: nothing is left of an installation without them. */
async function namespacesAndKinds(): Promise<readonly string[]> {
  const all = await must(bed, ['get', 'namespaces,customresourcedefinitions', '--output=name'])
  return all.split('\n').filter((name) => name.includes('openshift'))
}
