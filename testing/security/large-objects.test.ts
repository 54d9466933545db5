import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, Ingress, type Kind, type KubeObject, Namespace, Pod, Service } from '@portcullis/kube'
import { defaultSettings, IngressController, type Settings } from '@portcullis/operator'
import { ingressClassName } from '@portcullis/operator/internal/ingress/names.ts'
import { expect, onTestFinished, test } from 'vitest'
import { inParallel } from '../../bench/ingresses.ts'
import { startControlPlane } from '../clusters/control-plane.ts'
import { eventually } from '../clusters/eventually.ts'
import { imageNodejs, type Nodejs } from '../clusters/nodejs/image-nodejs.ts'
import { run } from '../clusters/run-command.ts'
import { adminAccess } from '../clusters/test-client.ts'
import { install } from '../e2e/install.ts'
import { connect } from '../e2e/start-manager.ts'
import { Operator } from '../endurance/operators.ts'

const settings: Settings = { ...defaultSettings, platform: 'AWS' }
const tenant = 'tenant'
const kilobytes = 1000

/** How a tenant makes an object of so many kilobytes: all of it passes every check of the API server. */
const tenantsObjects: readonly [Kind, (kilobytes: number) => KubeObject & { spec: object }][] = [
  [
    Ingress,
    (kilobytes) => {
      const backend = { service: { name: 'a', port: { number: 80 } } }
      const paths = Array.from({ length: kilobytes }, (_, at) => ({
        path: `/${'x'.repeat(900)}${at}`,
        pathType: 'Prefix',
        backend,
      }))
      const rules = [{ host: 'a.example', http: { paths } }]
      return { spec: { ingressClassName: 'not-ours', rules } }
    },
  ],
  [
    Service,
    (kilobytes) => {
      const externalIPs = Array.from(
        { length: kilobytes * 62 },
        (_, at) => `192.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
      )
      const ports = [{ port: 80 }]
      return { spec: { ports, selector: { app: 'a' }, externalIPs } }
    },
  ],
  [
    Pod,
    (kilobytes) => {
      const env = [{ name: 'BULK', value: 'x'.repeat(1000 * kilobytes) }]
      const containers = [{ name: 'a', image: 'a', env }]
      return { spec: { containers } }
    },
  ],
]

/** So many objects of each kind, where lists are streamed; `npm run proof` makes more. Pages are slower to list. */
const total = Number(process.env['PORTCULLIS_LARGE_OBJECTS'] ?? 150)

test.each([
  { lists: 'streams lists', count: total, apiServerFlags: [] },
  { lists: 'has only pages', count: total / 3, apiServerFlags: ['--feature-gates=WatchList=false'] },
])(
  'Ingresses, Services and Pods of a megabyte each cost the operator next to no memory where the API server $lists',
  {
    timeout: 15 * 60_000,
  },
  async ({ lists, count, apiServerFlags }) => {
    const program = await asShipped()
    const nodejs = await imageNodejs(() => {})
    const plane = await startControlPlane({
      parts: 'etcd+apiserver',
      apiServerFlags,
      etcdFlags: [`--quota-backend-bytes=${8 * 1024 ** 3}`],
    })
    const client = connect(await adminAccess(plane), 'tenant')
    onTestFinished(async () => {
      await client.close()
      await plane.stop()
    })
    await install(client)
    for (const name of [tenant, 'shop', settings.operatorNamespace, settings.operandNamespace]) {
      await client.create(Namespace, { metadata: { name } })
    }
    await create(client, count, 'small', 1)
    const started = (controller: string) => publish(client, nodejs, program, plane.kubeconfigPath, controller)
    const small = await started('first')
    await create(client, count, 'large', kilobytes)
    const large = await started('second')
    console.info(
      `Where the API server ${lists}: peak with small objects ${small.toFixed(0)} MB, with large ones ${large.toFixed(0)} MB`,
    )
    // Objects that were kept would take a megabyte each, and more once parsed. How much garbage there is at the peak depends
    // on what else the machine is doing.
    expect(large - small).toBeLessThan(100)
    expect(large).toBeLessThan(await memoryLimitMb())
  },
)

/** The bundle of the image, and Node's arguments in the image. */
async function asShipped(): Promise<readonly string[]> {
  const built = await run(process.execPath, ['scripts/build.mjs', '--standalone'])
  expect(built.code, built.stderr).toBe(0)
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-image-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const file = join(directory, 'portcullis.mjs')
  await cp('dist/portcullis.mjs', file)
  const entryPoint = /^ENTRYPOINT (\[.*\])$/m.exec(await readFile('Containerfile', 'utf8'))?.[1] ?? '[]'
  const [, ...args] = JSON.parse(entryPoint) as string[]
  expect(args.join(' ')).toMatch(/^--max-old-space-size=\d+ (--\S+ )*\S+\.mjs$/)
  return [...args.slice(0, -1), file]
}

async function memoryLimitMb(): Promise<number> {
  const chart = await readFile('deploy/chart/templates/deployment.yaml', 'utf8')
  const limit = /limits:\s+memory: (\d+)Mi/.exec(chart)?.[1]
  return (Number(limit) * 1024 ** 2) / 1e6
}

/** What is small on the network, and takes a hundred times as much when it is parsed: the most that an API server takes of it. */
function emptyItems(kilobytes: number) {
  const tls = Array.from({ length: kilobytes * 390 }, () => ({}))
  const defaultBackend = { service: { name: 'a', port: { number: 80 } } }
  return { spec: { ingressClassName: 'not-ours', defaultBackend, tls } }
}

async function create(client: Client, count: number, prefix: string, kilobytes: number): Promise<void> {
  const crowded = emptyItems(kilobytes)
  await inParallel(30, 4, (at) =>
    client.create(Ingress, { ...crowded, metadata: { namespace: tenant, name: `${prefix}-crowded-${at}` } }),
  )
  for (const [kind, make] of tenantsObjects) {
    const object = make(kilobytes)
    await inParallel(count, 8, (at) =>
      client.create(kind, {
        ...object,
        metadata: { namespace: tenant, name: `${prefix}-${at}`, labels: labelsOf(at, kilobytes) },
      }),
    )
  }
}

/** Many short labels take the most memory for their text, and keys that no other object has more than shared ones. */
function labelsOf(object: number, kilobytes: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: Math.ceil(kilobytes * 0.87) }, (_, at) => [`${object}-${at}`, 'x']),
  )
}

/**
 * Starts an operator, waits for a published controller and the address of an Ingress, and stops it.
 *
 * @returns the most memory that it ever had, in MB
 */
async function publish(
  client: Client,
  nodejs: Nodejs,
  program: readonly string[],
  kubeconfig: string,
  name: string,
): Promise<number> {
  const operator = await Operator.start(nodejs, program, kubeconfig, settings)
  try {
    const { operatorNamespace, operandNamespace } = settings
    await client.create(IngressController, {
      metadata: { namespace: operatorNamespace, name },
      spec: {
        domain: `${name}.example.com`,
        endpointPublishingStrategy: { type: 'LoadBalancerService', loadBalancer: { scope: 'External' } },
      },
    })
    const service = { namespace: operandNamespace, name: `router-${name}` }
    await eventually(async () => {
      expect(operator.hasEnded).toBe(false)
      await client.get(Service, service)
    }, 120_000)
    expect(await operator.leads()).toBe(true)
    const ip = '192.0.2.1'
    const status = { loadBalancer: { ingress: [{ ip }] } }
    await client.patch(Service, service, { type: 'merge', body: { status } }, { subresource: 'status' })
    await client.create(Ingress, {
      metadata: { namespace: 'shop', name },
      spec: {
        ingressClassName: ingressClassName(name),
        defaultBackend: { service: { name: 'a', port: { number: 80 } } },
      },
    })
    await eventually(async () => {
      const ingress = await client.get(Ingress, { namespace: 'shop', name })
      expect(ingress.status?.loadBalancer?.ingress).toEqual([{ ip }])
    }, 60_000)
    expect(operator.errors).toEqual([])
    return await peakMb(operator.pid)
  } finally {
    await operator.kill('SIGTERM')
  }
}

async function peakMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return (Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / 1e6
}
