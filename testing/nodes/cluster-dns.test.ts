import { expect, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { apiServiceIp, clusterDnsIp, clusterDnsIpv6 } from '../clusters/real-nodes/layout.ts'
import { sharedNodes } from '../clusters/real-nodes/shared-nodes.ts'
import { nodejsPod } from './nodejs-pod.ts'

const { bed, images } = sharedNodes()

const idle = 'setInterval(() => {}, 1e6)'

/** What a server answers, for either type of record. */
const resolving = (name: string, server: string) => `
  const resolver = new (require('node:dns').promises.Resolver)({ timeout: 2000, tries: 2 })
  resolver.setServers([${JSON.stringify(server)}])
  const none = (error) => { if (error.code === 'ENODATA') return []; throw error }
  Promise.all([resolver.resolve4('${name}').catch(none), resolver.resolve6('${name}').catch(none)])
    .then((found) => console.log(JSON.stringify(found.flat())))`

test('A pod on every node finds the Service of the API server by its name, asking the cluster DNS over both families', async () => {
  for (const { name: node } of bed.nodes) {
    const pod = await nodejsPod(bed, { node, image: images.operator.name, program: idle })
    for (const server of [clusterDnsIp, `[${clusterDnsIpv6}]`]) {
      const name = 'kubernetes.default.svc.cluster.local'
      const answer = await eventually(() => pod.evaluate(resolving(name, server)), 60_000)
      expect(JSON.parse(answer), `${node} asked ${server}`).toEqual([apiServiceIp])
    }
  }
})

test('A Service of both families has addresses of both, and a pod finds it by the short name of its own search list', async () => {
  const pod = await nodejsPod(bed, { node: 'node-b', image: images.operator.name, program: idle })
  const full = resolving('kube-dns.kube-system.svc.cluster.local', clusterDnsIp)
  const answer = await eventually(() => pod.evaluate(full), 60_000)
  expect(JSON.parse(answer)).toEqual([clusterDnsIp, clusterDnsIpv6])
  const short = `require('node:dns').lookup('kube-dns.kube-system', { all: true, verbatim: true }, (error, found) => {
    console.log(JSON.stringify(error ? [error.message] : found.map(({ address }) => address).sort()))
  })`
  expect(JSON.parse(await pod.evaluate(short))).toEqual([clusterDnsIp, clusterDnsIpv6].sort())
})

test('A name that no Service has is refused at once', async () => {
  const pod = await nodejsPod(bed, { node: 'node-c', image: images.operator.name, program: idle })
  const program = `require('node:dns').resolve4('nobody.default.svc.cluster.local', (error) => console.log(error?.code))`
  expect(await pod.evaluate(program)).toBe('ENOTFOUND')
})
