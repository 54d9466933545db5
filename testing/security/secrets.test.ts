import { type CommandIO, commandIO } from '@portcullis/cli/internal/io/command-io.ts'
import { run } from '@portcullis/cli/internal/testing/captured-io.ts'
import { Event, Ingress, kind, Service } from '@portcullis/kube'
import { certificateAuthority, clientCertificate } from '@portcullis/kube/internal/certificates.ts'
import { base64, it, type KubeHome } from '@portcullis/kube/testing/kube-home'
import { IngressController } from '@portcullis/operator'
import type { Secret as CoreSecret } from 'kubernetes-types/core/v1'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { type FaultProxy, startFaultProxy } from '../clusters/fault-proxy.ts'
import { resetBeforeAnswering, respond } from '../clusters/faults/faults.ts'
import { lists, streamedLists, watches, writes } from '../clusters/faults/requests.ts'
import { freePort } from '../clusters/free-port.ts'
import { Cluster } from '../e2e/cluster.ts'
import { accessOfTheOperator } from '../e2e/operator-account.ts'
import { sharedTestCluster } from '../e2e/test-cluster.ts'
import { TheOperator } from './operator-process.ts'
import { SecretScanner } from './secret-scanner.ts'

const Secret = kind<CoreSecret>('v1', 'Secret')

const testCluster = sharedTestCluster()
const scanner = new SecretScanner()
let proxy: FaultProxy
let cluster: Cluster
let tokenOfTheOperator: string
let authority: Awaited<ReturnType<typeof certificateAuthority>>

beforeAll(async () => {
  const { access } = testCluster()
  authority = await certificateAuthority('proxy')
  proxy = await startFaultProxy({
    target: { server: access.server.href, ca: String(access.tls.ca) },
    authority,
  })
  cluster = new Cluster(testCluster()).on('AWS')
  await cluster.prepare()
  const { authorization: admins } = await access.credentials.current()
  scanner.keep('the token of the admin', tokenIn(admins))
  const operators = await accessOfTheOperator(testCluster(), 'portcullis-keeping-quiet', cluster.settings)
  tokenOfTheOperator = scanner.keep(
    'the token of the operator',
    tokenIn((await operators.credentials.current()).authorization),
  )
}, 120_000)

afterAll(async () => {
  await cluster?.close()
  await proxy?.close()
})

function tokenIn(authorization = ''): string {
  return authorization.replace(/^Bearer /, '')
}

const throughProxy = () => ({ server: proxy.url, 'certificate-authority-data': base64(proxy.ca) })

async function kubeconfigOf(home: KubeHome, user: object, server: object = throughProxy()): Promise<string> {
  return home.write('config', {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'prod',
    contexts: [{ name: 'prod', context: { cluster: 'east', user: 'ann' } }],
    clusters: [{ name: 'east', cluster: server }],
    users: [{ name: 'ann', user }],
  })
}

/** Secrets that controllers and Ingresses name, and others. */
async function fillTheCluster(): Promise<void> {
  const { client, settings } = cluster
  const { operandNamespace: namespace } = settings
  const { certificate } = await certificateAuthority('site')
  const { key } = await clientCertificate(authority, 'site')
  scanner.keep('the key of the default certificate', key.split('\n')[1] ?? '')
  await client.create(Secret, {
    metadata: { namespace, name: 'site' },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': base64(certificate), 'tls.key': base64(key) },
  })
  await client.create(Secret, {
    metadata: { namespace, name: 'unrelated' },
    data: { password: base64(scanner.make('the contents of a Secret')) },
  })
  const backend = { service: { name: 'shop', port: { number: 80 } } }
  await client.create(Ingress, {
    metadata: { namespace, name: 'shop' },
    spec: {
      ingressClassName: `portcullis-${cluster.router('edge').name}`,
      tls: [{ hosts: ['shop.example'], secretName: 'unrelated' }],
      defaultBackend: backend,
    },
  })
  for (const [name, type] of [
    ['edge', 'LoadBalancerService'],
    ['inner', 'Private'],
  ] as const)
    await client.create(IngressController, {
      metadata: cluster.router(name).ref,
      spec: {
        domain: `${name}.example`,
        replicas: 0,
        defaultCertificate: { name: 'site' },
        endpointPublishingStrategy: { type },
      },
    })
}

/** Everything in the cluster that the operator may have written. */
async function everythingWritten(): Promise<string> {
  const { client, settings } = cluster
  const found = await Promise.all([
    client.list(Event, { namespace: settings.operatorNamespace }),
    client.list(Event, { namespace: settings.operandNamespace }),
    client.list(Event, { namespace: 'default' }),
    client.list(IngressController, { namespace: settings.operatorNamespace }),
    client.list(Ingress, { namespace: settings.operandNamespace }),
    client.list(Service, { namespace: settings.operandNamespace }),
  ])
  return JSON.stringify(found.map(({ items }) => items))
}

it('The operator reveals neither its token nor Secrets, and reads no Secret, whatever goes wrong', {
  timeout: 180_000,
}, async ({ home }) => {
  await fillTheCluster()
  const operator = new TheOperator(cluster.settings, await kubeconfigOf(home, { token: tokenOfTheOperator }))
  const edge = cluster.router('edge')
  const logs = (text: string | RegExp) => eventually(() => expect(operator.output).toMatch(text), 60_000)
  try {
    await logs('All caches have synced')
    await edge.isProvided()

    // Whatever stands in between may well send back what it was sent.
    const echo = `seen: authorization: Bearer ${tokenOfTheOperator}, and its half too\nBearer ${tokenOfTheOperator}`
    const refusing = [401, 403, 409, 422, 500].map((code) =>
      proxy.inject({ when: writes(), fault: respond(code, { message: echo }), times: 2 }),
    )
    proxy.inject({ when: writes(), fault: resetBeforeAnswering })
    for (let changes = 1; refusing.some(({ met }) => met < 2); changes++) {
      const sources = [`10.${changes % 250}.0.0/16`]
      await edge.change({ scope: 'External', allowedSourceRanges: sources })
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    const blinding = [
      // Then it must ask for pages.
      proxy.inject({ when: streamedLists(), fault: respond(422, { message: echo }), times: 3 }),
      proxy.inject({ when: lists(), fault: respond(403, { message: echo }), times: 3 }),
      proxy.inject({ when: watches(), fault: respond(401, { message: echo }), times: 3 }),
      // Then it must list.
      proxy.inject({ when: watches(), fault: respond(410, { message: echo }), times: 3 }),
    ]
    proxy.resetAll(watches())
    await eventually(() => expect(blinding.map(({ met }) => met)).toEqual([3, 3, 3, 3]), 60_000)
    proxy.heal()
    await edge.change({ scope: 'External', allowedSourceRanges: ['192.0.2.0/24'] })
    await eventually(async () => {
      expect((await edge.service()).spec?.loadBalancerSourceRanges).toEqual(['192.0.2.0/24'])
    }, 60_000)

    expect(operator.output).toContain('"level":20')
    expect(operator.output).toContain('…') // What was sent back did arrive.
    expect(scanner.foundIn(operator.output)).toEqual([])
    expect(scanner.foundIn(await operator.health())).toEqual([])
    const written = await everythingWritten()
    expect(written).toContain('LoadBalancerReady')
    expect(scanner.foundIn(written)).toEqual([])
    expect(proxy.requests.length).toBeGreaterThan(50)
    expect(proxy.requests.filter(({ resource }) => resource?.startsWith('secrets'))).toEqual([])
  } finally {
    proxy.heal()
    await operator.stop()
  }
  expect(scanner.foundIn(operator.output)).toEqual([])
})

it('The operator listens where its settings say, and nowhere else', { timeout: 120_000 }, async ({
  home,
}) => {
  const kubeconfig = await kubeconfigOf(home, { token: tokenOfTheOperator })
  const port = await freePort()
  const [usual, confined] = [
    new TheOperator(cluster.settings, kubeconfig),
    new TheOperator(cluster.settings, kubeconfig, ['--health-host=127.0.0.1', `--health-port=${port}`]),
  ]
  try {
    for (const [operator, expected] of [
      [usual, /^tcp6 0{32}:\d+$/],
      [confined, new RegExp(`^tcp 127\\.0\\.0\\.1:${port}$`)],
    ] as const) {
      await eventually(() => expect(operator.output).toContain('All caches have synced'), 60_000)
      expect(await operator.listeners()).toEqual([expect.stringMatching(expected)])
    }
  } finally {
    await Promise.all([usual.stop(), confined.stop()])
  }
})

describe('Commands that cannot reach a cluster', () => {
  const v1 = 'client.authentication.k8s.io/v1'
  const plugin = (body: string) => ({
    exec: { apiVersion: v1, interactiveMode: 'Never', command: process.execPath, args: ['-e', body] },
  })
  const make = (name: string) => scanner.make(name)
  const issued = (token: string, apiVersion = v1) =>
    JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token } })
  const printing = (text: string) => `process.stdout.write(${JSON.stringify(text)});`

  it.for<[string, () => Promise<{ user: object; server?: object }> | { user: object; server?: object }]>([
    ['a wrong token', () => ({ user: { token: make('a wrong token') } })],
    ['a wrong password', () => ({ user: { username: 'ann', password: make('a password') } })],
    ['a token that is no text', () => ({ user: { token: { oops: make('a token in a map') } } })],
    [
      'a key that is none',
      () => ({
        user: { 'client-certificate-data': base64('x'), 'client-key-data': base64(make('a broken key')) },
      }),
    ],
    [
      'a key that is not base64',
      () => ({ user: { 'client-certificate-data': '%', 'client-key-data': `%${make('a garbled key')}` } }),
    ],
    [
      'a key of another certificate',
      async () => {
        const [one, other] = await Promise.all(['a', 'b'].map((user) => clientCertificate(authority, user)))
        scanner.keep('a key', other?.key.split('\n')[1] ?? '')
        return {
          user: {
            'client-certificate-data': base64(one?.certificate ?? ''),
            'client-key-data': base64(other?.key ?? ''),
          },
        }
      },
    ],
    [
      'a plugin that fails after having answered',
      () => ({
        user: plugin(`${printing(issued(make('a token of a failing plugin')))} process.exitCode = 3`),
      }),
    ],
    ['a plugin that prints no JSON', () => ({ user: plugin(printing(make('a bare token'))) })],
    [
      'a plugin that speaks another version',
      () => ({ user: plugin(printing(issued(make('a token of another version'), 'x/v2'))) }),
    ],
    ['a plugin whose token is refused', () => ({ user: plugin(printing(issued(make('a refused token')))) })],
    [
      'a plugin that is missing, with secrets in its arguments and variables',
      () => ({
        user: {
          exec: {
            ...plugin('').exec,
            command: 'no-such-plugin',
            args: ['--client-secret', make('an argument')],
            env: [{ name: 'SECRET', value: make('a variable') }],
          },
        },
      }),
    ],
    [
      'an authority that did not sign the server',
      async () => {
        const { certificate } = await certificateAuthority('another')
        const server = { server: proxy.url, 'certificate-authority-data': base64(certificate) }
        return { user: { token: make('a token behind bad TLS') }, server }
      },
    ],
    [
      'a name that the server does not have',
      () => ({
        user: { token: make('a token for another name') },
        server: { ...throughProxy(), 'tls-server-name': 'elsewhere.example' },
      }),
    ],
    [
      'a proxy that wants a password',
      () => ({
        user: { token: make('a token behind a proxy') },
        server: {
          ...throughProxy(),
          'proxy-url': `http://ann:${make('the password of a proxy')}@127.0.0.1:9`,
        },
      }),
    ],
  ])(
    'A command that cannot reach a cluster prints no secret: %s',
    { timeout: 60_000 },
    async ([, make], { home }) => {
      const { user, server } = await make()
      const kubeconfig = await kubeconfigOf(home, user, server)
      for (const args of [
        ['status'],
        ['status', '-o', 'json'],
        ['plan', 'default', '--scope', 'Internal'],
        ['scope', 'default', 'Internal', '--yes'],
        ['render', '--infrastructure', 'live', '--role', 'worker', '--machine-config'],
      ]) {
        const { said, failed } = await portcullisSays([...args, '--kubeconfig', kubeconfig])
        expect(failed, args.join(' ')).toBe(true)
        expect(said).toMatch(/\w{4}/)
        expect(scanner.foundIn(said), `${args.join(' ')}: ${said}`).toEqual([])
      }
    },
  )

  it('A kubeconfig that is not YAML is not quoted', async ({ home }) => {
    const kubeconfig = await home.write(
      'config',
      `users: [{name: a, user: {token: "${make('a torn token')}}}]\n\t x`,
    )
    const { said, failed } = await portcullisSays(['status', '--kubeconfig', kubeconfig])
    expect(failed).toBe(true)
    expect(scanner.foundIn(said), said).toEqual([])
  })

  it('An operator that cannot start prints no secret either', { timeout: 60_000 }, async ({ home }) => {
    const user = plugin(`${printing(issued(make('a token of an operator')))} process.exitCode = 3`)
    const operator = new TheOperator(cluster.settings, await kubeconfigOf(home, user))
    try {
      await eventually(() => expect(operator.output).toContain('failed with exit code 3'), 40_000)
    } finally {
      await operator.stop()
    }
    expect(scanner.foundIn(operator.output)).toEqual([])
  })
})

/** All that a person sees of a command, its failure included. */
async function portcullisSays(args: readonly string[]): Promise<{ said: string; failed: boolean }> {
  const connect: CommandIO['connect'] = (choice) => commandIO(process).connect(choice)
  const { stdout, stderr, code } = await run(args, { connect })
  return { said: `${stdout}\n${stderr}`, failed: code === 1 }
}

it('The output of commands on a healthy cluster holds no secret', { timeout: 60_000 }, async ({ home }) => {
  const kubeconfig = await kubeconfigOf(home, {
    token: tokenIn((await testCluster().access.credentials.current()).authorization),
  })
  const namespace = cluster.settings.operatorNamespace
  const { name } = cluster.router('edge').ref
  for (const args of [
    ['status', '-o', 'yaml'],
    ['status', '-o', 'wide'],
    ['plan', name, '--scope', 'Internal', '-o', 'wide'],
    ['plan', name, '--scope', 'Internal', '-o', 'json'],
  ]) {
    const { said, failed } = await portcullisSays([...args, '--kubeconfig', kubeconfig, '-n', namespace])
    expect(failed, said).toBe(false)
    expect(said).toContain(name)
    expect(scanner.foundIn(said)).toEqual([])
  }
  expect(proxy.requests.filter(({ resource }) => resource?.startsWith('secrets'))).toEqual([])
})
