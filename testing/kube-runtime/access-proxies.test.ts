import { type ClusterAccess, ConfigMap, certificateAuthority, servingCertificate } from '@portcullis/kube'
import { base64, it, type KubeHome } from '@portcullis/kube/testing/kube-home'
import { describe, expect, onTestFinished } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { aNamespace, connect } from '../clusters/test-client.ts'
import { whoami } from './identity.ts'
import { type Proxy, type ProxyOptions, startHttpProxy, startSocksProxy } from './proxies.ts'
import { watchMaps } from './watch-maps.ts'

const plane = sharedControlPlane()
const target = new URL(plane.server)
const server = { server: plane.server, 'certificate-authority-data': base64(plane.ca) }

/** The proxies that a kubeconfig can name. */
const proxies = [
  { scheme: 'http', start: (options: ProxyOptions) => startHttpProxy(options) },
  {
    scheme: 'https',
    start: async (options: ProxyOptions) =>
      startHttpProxy(options, await servingCertificate(plane.coordinates.authority)),
  },
  { scheme: 'socks5', start: startSocksProxy },
] as const

async function started(proxy: Promise<Proxy>): Promise<Proxy> {
  const running = await proxy
  onTestFinished(() => running.close())
  return running
}

/** Access by a kubeconfig that names the proxy. */
function through(
  home: KubeHome,
  proxyUrl: string,
  parts: { cluster?: object; user?: object } = {},
): Promise<ClusterAccess> {
  return home.loadWith({
    cluster: { ...server, 'proxy-url': proxyUrl, ...parts.cluster },
    user: parts.user ?? { token: plane.adminToken },
  })
}

describe.each(proxies)('A proxy of type $scheme', ({ scheme, start }) => {
  it('The proxy carries requests and watches', async ({ home }) => {
    const { namespace } = await aNamespace(plane)
    const proxy = await started(start({ target }))
    const client = connect(await through(home, `${scheme}://${proxy.host}`))
    const watch = await watchMaps(client, namespace)
    const text = 'é€😀'.repeat(20_000)
    const names = Array.from({ length: 40 }, (_, at) => `map-${at}`)
    await Promise.all(
      names.map((name) => client.create(ConfigMap, { metadata: { namespace, name }, data: { text } })),
    )
    expect(await watch.next('map-39')).toBe('ADDED')
    const { items } = await client.list(ConfigMap, { namespace, labelSelector: '!nothing' })
    expect(items.filter(({ data }) => data?.['text'] === text)).toHaveLength(names.length)
    expect(new Set(proxy.asked)).toEqual(new Set([target.host]))
  })

  it('The proxy resolves the name of the server', async ({ home }) => {
    const proxy = await started(start({ target }))
    const cluster = { server: 'https://cluster.invalid:6443', 'tls-server-name': 'kubernetes' }
    const client = connect(await through(home, `${scheme}://${proxy.host}`, { cluster }))
    expect(await whoami(client)).toBe('admin')
    expect(proxy.asked).toContain('cluster.invalid:6443')
  })

  it('The certificate of the server is verified through the proxy', async ({ home }) => {
    const proxy = await started(start({ target }))
    const cluster = { server: 'https://cluster.invalid:6443' }
    const client = connect(await through(home, `${scheme}://${proxy.host}`, { cluster }))
    await expect(whoami(client)).rejects.toThrow(
      `the certificate of https://cluster.invalid:6443 through the proxy ${proxy.host} is not accepted ` +
        '(ERR_TLS_CERT_ALTNAME_INVALID: ',
    )
  })

  it('A client certificate goes to the server, and not to the proxy', async ({ home }) => {
    const proxy = await started(start({ target }))
    const { certificate, key } = await plane.clientCertificate('ann')
    const user = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) }
    const client = connect(await through(home, `${scheme}://${proxy.host}`, { user }))
    expect(await whoami(client)).toBe('ann')
    expect(proxy.asked).toContain(target.host)
  })

  it('The proxy accepts a name and a password, and the error says when they are wrong', async ({ home }) => {
    const proxy = await started(start({ target, login: 'ann:p@ss word' }))
    const right = connect(await through(home, `${scheme}://ann:p%40ss%20word@${proxy.host}`))
    expect(await whoami(right)).toBe('admin')
    const asked = proxy.asked.length
    const wrong = connect(await through(home, `${scheme}://ann:wrong@${proxy.host}`))
    await expect(whoami(wrong)).rejects.toThrow(
      scheme === 'socks5' ? /uthentication failed/ : /Proxy response \(407\)/,
    )
    await expect(whoami(wrong)).rejects.toThrow(`through the proxy ${proxy.host} `)
    expect(proxy.asked).toHaveLength(asked)
  })

  it('The error names a proxy that is down', async ({ home }) => {
    const proxy = await start({ target })
    await proxy.close()
    const client = connect(await through(home, `${scheme}://${proxy.host}`))
    await expect(whoami(client)).rejects.toThrow(
      `nothing listens at the proxy ${proxy.host}; check that the proxy runs and that context "prod" of ${home.path('.kube/config')} names it`,
    )
  })

  it('The client uses a proxy again after an outage', async ({ home }) => {
    const proxy = await started(start({ target }))
    const client = connect(await through(home, `${scheme}://${proxy.host}`))
    expect(await whoami(client)).toBe('admin')
    proxy.cut()
    await eventually(async () => expect(await whoami(client)).toBe('admin'))
  })
})

it('A proxy with a certificate of an unknown authority is refused', async ({ home }) => {
  const serving = await servingCertificate(await certificateAuthority('somebody else'))
  const proxy = await started(startHttpProxy({ target }, serving))
  const client = connect(await through(home, `https://${proxy.host}`))
  await expect(whoami(client)).rejects.toThrow(/certificate .*is not accepted/)
  expect(proxy.asked).toEqual([])
})
