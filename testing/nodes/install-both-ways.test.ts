import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { request } from '../clusters/load/load.ts'
import { Cloud } from '../clusters/real-nodes/cloud/cloud.ts'
import { sharedNodes } from '../clusters/real-nodes/shared-nodes.ts'
import { adminAccess } from '../clusters/test-client.ts'
import { connect } from '../e2e/start-manager.ts'
import { helm } from '../installation/helm.ts'
import { freshCluster } from './fresh-cluster.ts'
import {
  createController,
  type Installation,
  install,
  manifests,
  must,
  operandNamespace,
  operatorNamespace,
} from './installation.ts'
import { aNamespace, mustApply, type NodejsPod, nodejsPod } from './nodejs-pod.ts'
import {
  identityOnNode,
  isReady,
  type OperatorPod,
  operatorPods,
  readyOperators,
  replacedOperators,
  restartOperators,
  warningsAbout,
} from './operators.ts'
import { openWayIn } from './way-in.ts'

const { bed, images } = sharedNodes()
let installation: Installation | undefined

beforeAll(async () => {
  if (bed === undefined) return
  const client = connect(await adminAccess(bed), 'story')
  installation = { bed, images, client, cloud: await Cloud.start(bed, 'AWS') }
}, 900_000)

afterAll(async () => {
  await installation?.cloud.stop()
  await installation?.client.close()
})

interface Way {
  install(): Promise<void>
  uninstall(): Promise<void>
}

/** As the guide says. */
const ways: readonly [string, Way][] = [
  [
    'the manifests',
    {
      install: () => install(bed, images),
      async uninstall() {
        await must(bed, ['delete', '--filename=-'], await manifests('--to-remove'))
      },
    },
  ],
  [
    'the Helm chart',
    {
      async install() {
        await release(
          'install',
          'portcullis',
          'deploy/chart',
          '--create-namespace',
          '--set',
          `image=${images.operator.name}`,
          '--set',
          `config.routerImage=${images.router.name}`,
          '--set',
          'config.domain=apps.example.com',
        )
        await must(bed, [
          'label',
          'namespace',
          operatorNamespace,
          'pod-security.kubernetes.io/enforce=restricted',
        ])
      },
      uninstall: () => release('uninstall', 'portcullis'),
    },
  ],
]

async function release(...args: string[]): Promise<void> {
  const where = ['--kubeconfig', bed.kubeconfigPath, '--namespace', operatorNamespace]
  const { code, stderr } = await helm(...args, ...where)
  expect(code, stderr).toBe(0)
}

test.for(ways)(
  'Operators installed by %s are confined, reach the API server by their own policy alone, and publish a controller',
  async ([, way]) => {
    await freshCluster(bed)
    await way.install()
    onTestFinished(() => freshCluster(bed))
    const operators = await readyOperators(bed)
    // The kinds are as new as the operators: until the API server serves them, an operator answers that it is not ready.
    const warnings = await warningsAbout(bed, operators)
    expect(warnings.filter((warning) => warning !== notReadyYet)).toEqual([])
    for (const operator of operators)
      expect((await identityOnNode(bed, operator)).split(/\s+/).filter(Boolean)).toEqual([
        'Uid:',
        ...Array<string>(4).fill('65532'),
        'Gid:',
        ...Array<string>(4).fill('65532'),
        'Groups:',
        '65532',
      ])
    await refusesPrivilegedPods()
    await onlyMonitoringScrapes(operators)

    const metadata = { name: 'nothing', namespace: operatorNamespace }
    const spec = { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }
    await mustApply(bed, { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata, spec })
    expect(await warningsAbout(bed, await restartOperators(bed))).toEqual([])
    await publishes()
    await isCutOffWithoutItsPolicy()

    await way.uninstall()
    expect(await leftOver()).toEqual([
      'clusterrole.rbac.authorization.k8s.io/portcullis-router',
      'clusterrolebinding.rbac.authorization.k8s.io/portcullis-router',
      'customresourcedefinition.apiextensions.k8s.io/infrastructures.config.openshift.io',
      'customresourcedefinition.apiextensions.k8s.io/ingresscontrollers.operator.openshift.io',
      `namespace/${operandNamespace}`,
      `namespace/${operatorNamespace}`,
      'networkpolicy.networking.k8s.io/nothing',
      'serviceaccount/router',
    ])
  },
)

const notReadyYet = 'Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503'

async function refusesPrivilegedPods(): Promise<void> {
  const container = {
    name: 'main',
    image: images.pause.name,
    securityContext: { privileged: true },
  }
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'privileged', namespace: operatorNamespace },
    spec: { containers: [container] },
  }
  const { code, stderr } = await bed.kubectl(['apply', '--filename=-'], { input: JSON.stringify(pod) })
  expect(code).toBe(1)
  expect(stderr).toContain('violates PodSecurity "restricted')
}

async function onlyMonitoringScrapes(operators: readonly OperatorPod[]): Promise<void> {
  await mustApply(bed, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'monitoring' } })
  onTestFinished(async () => {
    await bed.kubectl(['delete', 'namespace', 'monitoring', '--wait=false'])
  })
  const idle = { image: images.operator.name, program: 'setInterval(() => {}, 1e6)', node: 'node-b' }
  const scraper = await nodejsPod(bed, { ...idle, namespace: 'monitoring' })
  const stranger = await nodejsPod(bed, { ...idle, namespace: await aNamespace(bed) })
  const ips = operators.flatMap(({ status }) => (status.podIPs ?? []).map(({ ip }) => ip))
  expect(ips).toHaveLength(4)
  await eventually(async () => expect(await scraped(scraper, ips)).toEqual(ips.map(() => true)))
  await eventually(async () => expect(await scraped(stranger, ips)).toEqual(ips.map(() => false)))
}

/** At which of these addresses a pod gets metrics of an operator. */
async function scraped(from: NodejsPod, ips: readonly string[]): Promise<unknown> {
  const hosts = JSON.stringify(ips.map((ip) => (ip.includes(':') ? `[${ip}]` : ip)))
  const program = `
    const scrape = async (host) => {
      const reply = await fetch('http://' + host + ':8080/metrics', { signal: AbortSignal.timeout(1000) })
      return /^portcullis_/m.test(await reply.text())
    }
    Promise.all(${hosts}.map((host) => scrape(host).catch(() => false)))
      .then((found) => { console.log(JSON.stringify(found)); process.exit() })`
  return JSON.parse(await from.evaluate(program))
}

async function publishes(): Promise<void> {
  if (installation === undefined) throw new Error('Tests run after the hooks.')
  const router = await createController(installation, 'published', { type: 'LoadBalancerService' })
  const { inside, ip, port } = await openWayIn(installation, router, 'LoadBalancerService')
  expect(await request({ inside, url: `http://${ip}:${port}/` })).toMatchObject({ status: 200 })
  await must(bed, ['delete', 'ingresscontroller', router.name, `--namespace=${operatorNamespace}`])
}

/** Another policy lets nothing out. */
async function isCutOffWithoutItsPolicy(): Promise<void> {
  const patch = JSON.stringify({ spec: { policyTypes: ['Ingress'], egress: null } })
  const inNamespace = `--namespace=${operatorNamespace}`
  await must(bed, ['patch', 'networkpolicy/portcullis', inNamespace, '--type=merge', `--patch=${patch}`])
  const operators = await replacedOperators(bed)
  await eventually(async () => {
    expect((await warningsAbout(bed, operators)).join()).toContain('Startup probe failed')
  }, 60_000)
  expect((await operatorPods(bed)).map(isReady)).toEqual([false, false])
}

/** Of what an installation consists of, and of what it publishes. */
async function leftOver(): Promise<readonly string[]> {
  const everywhere = [
    'clusterroles',
    'clusterrolebindings',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'customresourcedefinitions',
    'namespaces',
  ].join(',')
  const inside = [
    'deployments',
    'services',
    'configmaps',
    'secrets',
    'serviceaccounts',
    'roles',
    'rolebindings',
    'networkpolicies',
    'poddisruptionbudgets',
  ].join(',')
  const named = (kinds: string, ...where: string[]) => must(bed, ['get', kinds, '--output=name', ...where])
  const ofCluster = (await named(everywhere)).split('\n').filter((name) => /portcullis|openshift/.test(name))
  const ofNamespaces = await Promise.all(
    [operatorNamespace, operandNamespace].map((namespace) => named(inside, `--namespace=${namespace}`)),
  )
  const common = ['configmap/kube-root-ca.crt', 'serviceaccount/default']
  return [...ofCluster, ...ofNamespaces.join('').split('\n')]
    .filter((name) => name !== '' && !common.includes(name))
    .sort()
}
