import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { mustInside } from '../clusters/inside.ts'
import { clusterDnsIp } from '../clusters/real-nodes/layout.ts'
import { sharedNodes } from '../clusters/real-nodes/shared-nodes.ts'
import { aNamespace, mustApply, type NodejsPod, type NodejsPodOptions, nodejsPod } from './nodejs-pod.ts'

const { bed, images } = sharedNodes()

/** Answers with the address of whoever asks, on both families, at two ports. */
const server = `
  const answer = (request, response) => response.end(request.socket.remoteAddress)
  for (const port of [8080, 8081]) require('node:http').createServer(answer).listen(port, '::')`

type ServerOptions = Partial<NodejsPodOptions> & { readonly node: string }

const aServer = (options: ServerOptions) =>
  nodejsPod(bed, { image: images.operator.name, program: server, ...options })

type Target = Pick<NodejsPod, 'ipv4' | 'ipv6'>

/** Whether a pod reaches another at a port; over both families, which must agree. */
async function reaches(from: NodejsPod, to: Target, port = 8080): Promise<boolean> {
  const program = `
    const ask = (host) => new Promise((resolve) => {
      const url = 'http://' + host + ':${port}/'
      require('node:http').get(url, { timeout: 1000 }, (response) => resolve(response.statusCode === 200))
        .on('timeout', function () { this.destroy() })
        .on('error', () => resolve(false))
    })
    Promise.all(['${to.ipv4}', '[${to.ipv6}]'].map(ask)).then((found) => { console.log(found.join()); process.exit() })`
  const found = await from.evaluate(program)
  expect(found).toMatch(/^(true,true|false,false)$/)
  return found === 'true,true'
}

const isReached = (from: NodejsPod, to: Target, port?: number) =>
  eventually(async () => expect(await reaches(from, to, port)).toBe(true))

const isNotReached = (from: NodejsPod, to: Target, port?: number) =>
  eventually(async () => expect(await reaches(from, to, port)).toBe(false))

async function policy(namespace: string, spec: object): Promise<string> {
  const name = `policy-${randomBytes(4).toString('hex')}`
  const metadata = { name, namespace }
  await mustApply(bed, { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata, spec })
  return name
}

const everyPod = { podSelector: {} }
const both = ['Ingress', 'Egress']

test('A policy that allows nothing isolates a pod both ways, on its own node and across nodes, until it is gone', async () => {
  const namespace = await aNamespace(bed)
  const isolated = await aServer({ node: 'node-a', namespace })
  const others = [await aServer({ node: 'node-a' }), await aServer({ node: 'node-b' })]
  for (const other of others) {
    await isReached(other, isolated)
    await isReached(isolated, other)
  }
  const name = await policy(namespace, { ...everyPod, policyTypes: both })
  for (const other of others) {
    await isNotReached(other, isolated)
    await isNotReached(isolated, other)
  }
  const [one, another] = others
  if (one === undefined || another === undefined) throw new Error('There are two others.')
  await isReached(one, another)
  await bed.kubectl(['--namespace', namespace, 'delete', 'networkpolicy', name])
  await isReached(one, isolated)
  await isReached(isolated, another)
})

test('A rule for namespaces lets their pods through, and follows their labels', async () => {
  const namespace = await aNamespace(bed)
  const team = `team-${randomBytes(4).toString('hex')}`
  const friends = await aNamespace(bed, { team })
  const isolated = await aServer({ node: 'node-b', namespace })
  const friend = await aServer({ node: 'node-b', namespace: friends })
  const stranger = await aServer({ node: 'node-c' })
  await policy(namespace, {
    ...everyPod,
    policyTypes: ['Ingress'],
    ingress: [{ from: [{ namespaceSelector: { matchLabels: { team } } }] }],
  })
  await isNotReached(stranger, isolated)
  await isReached(friend, isolated)
  await isReached(isolated, stranger) // Its own requests are not limited.
  await bed.kubectl(['label', 'namespace', friends, 'team-'])
  await isNotReached(friend, isolated)
})

test('A rule for pods of the own namespace allows its ports alone, by number, by range and by name', async () => {
  const namespace = await aNamespace(bed)
  const container = { ports: [{ name: 'web', containerPort: 8081 }] }
  const isolated = await aServer({ node: 'node-a', namespace, labels: { app: 'isolated' }, container })
  const friend = await aServer({ node: 'node-c', namespace, labels: { app: 'friend' } })
  const stranger = await aServer({ node: 'node-c', namespace })
  for (const [port, open, closed] of [
    [{ port: 8080 }, 8080, 8081],
    [{ port: 8081, endPort: 8090 }, 8081, 8080],
    [{ port: 'web' }, 8081, 8080],
  ] as const) {
    const name = await policy(namespace, {
      podSelector: { matchLabels: { app: 'isolated' } },
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: { matchLabels: { app: 'friend' } } }], ports: [port] }],
    })
    await isReached(friend, isolated, open)
    await isNotReached(friend, isolated, closed)
    await isNotReached(stranger, isolated, open)
    await bed.kubectl(['--namespace', namespace, 'delete', 'networkpolicy', name])
    await isReached(stranger, isolated, closed)
  }
})

test('A rule for egress allows a block of addresses but not its exceptions, and names of ports are those of the other pod', async () => {
  const namespace = await aNamespace(bed)
  const isolated = await aServer({ node: 'node-b', namespace, labels: { app: 'isolated' } })
  const container = { ports: [{ name: 'web', containerPort: 8081 }] }
  const excepted = await aServer({ node: 'node-a', namespace, container })
  const other = await aServer({ node: 'node-c', namespace })
  const podSelector = { matchLabels: { app: 'isolated' } }
  const to = [
    { ipBlock: { cidr: '0.0.0.0/0', except: [`${excepted.ipv4}/32`] } },
    { ipBlock: { cidr: 'fd00::/8', except: [`${excepted.ipv6}/128`] } },
  ]
  const name = await policy(namespace, { podSelector, policyTypes: ['Egress'], egress: [{ to }] })
  await isNotReached(isolated, excepted)
  await isReached(isolated, other)
  await isReached(other, isolated) // Requests to it are not limited.
  await bed.kubectl(['--namespace', namespace, 'delete', 'networkpolicy', name])

  const egress = [{ to: [{ podSelector: {} }], ports: [{ port: 'web' }] }]
  await policy(namespace, { podSelector, policyTypes: ['Egress'], egress })
  await isNotReached(isolated, other)
  await isReached(isolated, excepted, 8081)
  await isNotReached(isolated, excepted, 8080)
})

test('A pod that may ask the cluster DNS alone gets its answer by the address of the Service', async () => {
  const namespace = await aNamespace(bed)
  const isolated = await aServer({ node: 'node-c', namespace })
  const stranger = await aServer({ node: 'node-a' })
  const kubeSystem = { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } }
  await policy(namespace, {
    ...everyPod,
    policyTypes: both,
    egress: [{ to: [{ namespaceSelector: kubeSystem }], ports: [{ protocol: 'UDP', port: 53 }] }],
  })
  await isNotReached(isolated, stranger)
  const program = `
    const resolver = new (require('node:dns').promises.Resolver)({ timeout: 1000, tries: 1 })
    resolver.setServers(['${clusterDnsIp}'])
    resolver.resolve4('kubernetes.default.svc.cluster.local').then(console.log, (error) => console.log(error.code))`
  await eventually(async () => expect(await isolated.evaluate(program)).toContain('10.96.0.1'), 60_000)
})

test("A pod that nobody may reach still answers the kubelet's probes, and one on the node's network is no business of policies", async () => {
  const namespace = await aNamespace(bed)
  await policy(namespace, { ...everyPod, policyTypes: both })
  const probe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 1, failureThreshold: 1 }
  const stranger = await aServer({ node: 'node-b' })
  // Made when the policy is there already, so that only the probe can have made it ready.
  const probed = await aServer({
    node: 'node-a',
    namespace,
    container: { readinessProbe: probe, livenessProbe: probe },
  })
  await isNotReached(stranger, probed)

  const hostPort = 8095
  const program = server.replaceAll('8080', String(hostPort)).replaceAll('8081', String(hostPort + 1))
  await aServer({ node: 'node-c', namespace, hostNetwork: true, program })
  const node = bed.node('node-c')
  const onNode: Target = { ipv4: node.ipv4, ipv6: node.ipv6 }
  await isReached(stranger, onNode, hostPort)
  const url = `http://${node.ipv4}:${hostPort}/`
  await mustInside(bed.insideClient('External'), 'curl', ['-sSf', '-m', '2', url])

  const { stdout } = await bed.kubectl(['--namespace', namespace, 'get', 'pod', probed.name, '--output=json'])
  const { status } = JSON.parse(stdout) as { status: { containerStatuses: readonly object[] } }
  expect(status.containerStatuses).toMatchObject([{ ready: true, restartCount: 0 }])
})

test('Policies stay enforced while the program that enforces them is killed, and it takes up its work again', async () => {
  const namespace = await aNamespace(bed)
  const isolated = await aServer({ node: 'node-a', namespace })
  const stranger = await aServer({ node: 'node-b' })
  const name = await policy(namespace, { ...everyPod, policyTypes: ['Ingress'] })
  await isNotReached(stranger, isolated)
  const kill = async () => expect(await bed.node('node-a').killService('network-policy')).toBe(true)
  await kill()
  expect(await reaches(stranger, isolated)).toBe(false)
  await eventually(kill) // It has been started again.
  await bed.kubectl(['--namespace', namespace, 'delete', 'networkpolicy', name])
  await isReached(stranger, isolated)
})
