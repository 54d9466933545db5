import { rename } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { type Client, type ClusterAccess, ConfigMap, kind } from '@portcullis/kube'
import { certificateAuthority, clientCertificate } from '@portcullis/kube/internal/certificates.ts'
import { base64, it, type KubeHome } from '@portcullis/kube/testing/kube-home'
import type { TokenRequest } from 'kubernetes-types/authentication/v1'
import type { ServiceAccount as CoreServiceAccount } from 'kubernetes-types/core/v1'
import { describe, expect } from 'vitest'
import { delay } from '../clusters/faults/faults.ts'
import { writes } from '../clusters/faults/requests.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { adminAccess, aNamespace, connect, throughProxy } from '../clusters/test-client.ts'
import { identity, whoami } from './identity.ts'
import { watchMaps } from './watch-maps.ts'

const ServiceAccount = kind<CoreServiceAccount>('v1', 'ServiceAccount')
const TokenOfServiceAccount = kind<TokenRequest>('v1', 'ServiceAccount')

/** After which files with credentials are read again. */
const rereadMs = 10_000

const plane = sharedControlPlane()
const server = { server: plane.server, 'certificate-authority-data': base64(plane.ca) }

/** Replaces a file atomically, as a rotation of credentials does. */
async function rotate(home: KubeHome, name: string, content: string): Promise<void> {
  await rename(await home.write(`${name}.new`, content), home.path(name))
}

describe('Bearer tokens', () => {
  it('A token authenticates the client', async ({ home }) => {
    const client = connect(await home.loadWith({ cluster: server, user: { token: plane.unprivilegedToken } }))
    expect(await whoami(client)).toBe('nobody')
  })

  it('A wrong token is a 401', async ({ home }) => {
    const client = connect(await home.loadWith({ cluster: server, user: { token: 'wrong' } }))
    await expect(whoami(client)).rejects.toMatchObject({ code: 401, reason: 'Unauthorized' })
  })

  it('A token file is read again at once when the server refuses the token', async ({ home }) => {
    await home.write('.kube/token', 'wrong\n')
    const client = connect(await home.loadWith({ cluster: server, user: { tokenFile: 'token' } }))
    await expect(whoami(client)).rejects.toMatchObject({ code: 401 })
    await rotate(home, '.kube/token', `${plane.unprivilegedToken}\n`)
    expect(await Promise.all(Array.from({ length: 10 }, () => whoami(client)))).toEqual(
      Array(10).fill('nobody'),
    )
  })

  it('A token file is read again from time to time, even while the server accepts the old token', async ({
    home,
  }) => {
    await home.write('.kube/token', plane.adminToken)
    const client = connect(await home.loadWith({ cluster: server, user: { tokenFile: 'token' } }))
    expect(await whoami(client)).toBe('admin')
    await rotate(home, '.kube/token', plane.unprivilegedToken)
    await home.clock.advance(rereadMs - 1)
    expect(await whoami(client)).toBe('admin')
    await home.clock.advance(1)
    expect(await whoami(client)).toBe('nobody')
  })
})

describe('Client certificates', () => {
  const files = { 'client-certificate': 'me.crt', 'client-key': 'me.key' }

  async function writePair(home: KubeHome, pair: { certificate: string; key: string }): Promise<void> {
    await rotate(home, '.kube/me.crt', pair.certificate)
    await rotate(home, '.kube/me.key', pair.key)
  }

  it('A client certificate in the kubeconfig authenticates the client', async ({ home }) => {
    const { certificate, key } = await plane.clientCertificate('ann', ['buyers', 'sellers'])
    const user = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) }
    const client = connect(await home.loadWith({ cluster: server, user }))
    expect(await identity(client)).toMatchObject({
      username: 'ann',
      groups: ['buyers', 'sellers', 'system:authenticated'],
    })
  })

  it('Client certificate files are read again from time to time, and new connections use them', async ({
    home,
  }) => {
    await writePair(home, await plane.clientCertificate('ann'))
    const client = connect(await home.loadWith({ cluster: server, user: files }))
    expect(await whoami(client)).toBe('ann')
    await writePair(home, await plane.clientCertificate('bob'))
    expect(await whoami(client)).toBe('ann')
    await home.clock.advance(rereadMs)
    expect(await whoami(client)).toBe('bob')
  })

  it('Client certificate files are read again at once when the server refuses the certificate', async ({
    home,
  }) => {
    await writePair(home, await clientCertificate(await certificateAuthority('somebody else'), 'ann'))
    const client = connect(await home.loadWith({ cluster: server, user: files }))
    await expect(whoami(client)).rejects.toMatchObject({ code: 401 })
    await writePair(home, await plane.clientCertificate('ann'))
    expect(await whoami(client)).toBe('ann')
  })

  it('A client certificate is replaced under a watch without ending it, and closing the client ends the watch', async ({
    home,
  }) => {
    const { client: admin, namespace } = await aNamespace(plane)
    await writePair(home, await plane.clientCertificate('ann', ['system:masters']))
    const client = connect(await home.loadWith({ cluster: server, user: files }))
    const watch = await watchMaps(client, namespace)
    await writePair(home, await plane.clientCertificate('bob', ['system:masters']))
    await home.clock.advance(rereadMs)
    expect(await whoami(client)).toBe('bob')
    await admin.create(ConfigMap, { metadata: { namespace, name: 'seen' } })
    expect(await watch.next('seen')).toBe('ADDED')
    await client.close()
    await expect(watch.next('more')).rejects.toThrow(
      /^Cannot watch ConfigMap .*: the connection to .* failed: /,
    )
  })
})

describe('Credential plugins', () => {
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    interactiveMode: 'Never',
    command: './plugin.mjs',
    args: ['--for', 'portcullis'],
  }

  /** Notes each run, and prints what lies in `answer-1`, the second time what lies in `answer-2`, and so on. */
  const plugin = `
    import { appendFileSync, readFileSync } from 'node:fs'
    appendFileSync(new URL('runs', import.meta.url), process.argv.slice(2).join(' ') + '\\n')
    const run = readFileSync(new URL('runs', import.meta.url), 'utf8').trim().split('\\n').length
    console.log(readFileSync(new URL(\`answer-\${run}\`, import.meta.url), 'utf8'))`

  async function loadPlugin(home: KubeHome, answers: object[]): Promise<ClusterAccess> {
    for (const [at, status] of answers.entries()) {
      await home.write(`.kube/answer-${at + 1}`, {
        apiVersion: exec.apiVersion,
        kind: 'ExecCredential',
        status,
      })
    }
    await home.writeProgram('.kube/plugin.mjs', plugin)
    return home.loadWith({ cluster: server, user: { exec } })
  }

  const asManyAtOnce = (client: Client) => Promise.all(Array.from({ length: 20 }, () => whoami(client)))
  const everyone = (name: string) => Array(20).fill(name)

  it('A credential plugin runs once for any number of requests', async ({ home }) => {
    const client = connect(await loadPlugin(home, [{ token: plane.unprivilegedToken }]))
    expect(await home.lines('.kube/runs')).toEqual([])
    expect(await asManyAtOnce(client)).toEqual(everyone('nobody'))
    expect(await asManyAtOnce(client)).toEqual(everyone('nobody'))
    expect(await home.lines('.kube/runs')).toEqual(['--for portcullis'])
  })

  it('A credential plugin runs again when the credential expires, and once when several requests get a 401', async ({
    home,
  }) => {
    const expirationTimestamp = new Date(home.clock.now().getTime() + 60_000).toISOString()
    const { credentials } = await loadPlugin(home, [
      { token: plane.unprivilegedToken, expirationTimestamp },
      { token: 'wrong' },
      { token: plane.adminToken },
    ])
    const { proxy, access } = await throughProxy(plane)
    const client = connect({ ...access, credentials })
    expect(await asManyAtOnce(client)).toEqual(everyone('nobody'))
    expect(await home.lines('.kube/runs')).toHaveLength(1)
    await home.clock.advance(60_000)
    const late = proxy.inject({ when: writes(), fault: delay(500), times: 3 })
    expect(await asManyAtOnce(client)).toEqual(everyone('admin'))
    expect(late.met).toBe(3)
    expect(await home.lines('.kube/runs')).toHaveLength(3)
  })

  it('A credential plugin whose credentials the server refuses is not run for ever', async ({ home }) => {
    const client = connect(await loadPlugin(home, [{ token: 'wrong' }, { token: 'wrong too' }]))
    await expect(whoami(client)).rejects.toMatchObject({ code: 401 })
    expect(await home.lines('.kube/runs')).toHaveLength(2)
  })

  it('A credential plugin may return a client certificate', async ({ home }) => {
    const ann = await plane.clientCertificate('ann')
    const status = { clientCertificateData: ann.certificate, clientKeyData: ann.key }
    const client = connect(await loadPlugin(home, [status]))
    expect(await whoami(client)).toBe('ann')
  })

  it('The error quotes a credential plugin that fails', async ({ home }) => {
    await home.writeProgram(
      '.kube/plugin.mjs',
      `console.error('your session has expired: run login'); process.exit(3)`,
    )
    const user = { exec }
    const client = connect(await home.loadWith({ cluster: server, user }))
    await expect(whoami(client)).rejects.toThrow(
      /plugin\.mjs" failed with exit code 3; it said:\nyour session has expired: run login$/,
    )
  })

  it('A credential plugin gets the cluster info that it asks for', async ({ home }) => {
    const body = `
      const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO)
      const token = spec.cluster.server === process.env.EXPECTED ? spec.cluster.config.token : 'wrong'
      console.log(JSON.stringify({ apiVersion: '${exec.apiVersion}', kind: 'ExecCredential', status: { token } }))`
    await home.writeProgram('.kube/plugin.mjs', body)
    const extension = { token: plane.unprivilegedToken }
    const cluster = { ...server, extensions: [{ name: 'client.authentication.k8s.io/exec', extension }] }
    const env = [{ name: 'EXPECTED', value: plane.server }]
    const user = { exec: { ...exec, provideClusterInfo: true, env } }
    const client = connect(await home.loadWith({ cluster, user }))
    expect(await whoami(client)).toBe('nobody')
  })
})

describe('Server certificates', () => {
  const user = { token: plane.unprivilegedToken }

  it('The server certificate is verified against tls-server-name', async ({ home }) => {
    const right = connect(
      await home.loadWith({ cluster: { ...server, 'tls-server-name': 'kubernetes' }, user }),
    )
    expect(await whoami(right)).toBe('nobody')
    const wrong = connect(
      await home.loadWith({ cluster: { ...server, 'tls-server-name': 'elsewhere.example' }, user }),
    )
    const refused = expect(whoami(wrong)).rejects
    await refused.toThrow(
      `the certificate of ${plane.server} is not accepted (ERR_TLS_CERT_ALTNAME_INVALID: `,
    )
    await expect(whoami(wrong)).rejects.toThrow(
      `check certificate-authority and tls-server-name in context "prod" of ${home.path('.kube/config')}`,
    )
  })

  it('A server certificate of an unknown authority is refused', async ({ home }) => {
    const client = connect(await home.loadWith({ cluster: { server: plane.server }, user }))
    await expect(whoami(client)).rejects.toThrow(
      new RegExp(
        `the certificate of ${plane.server} is not accepted \\(UNABLE_TO_VERIFY_LEAF_SIGNATURE: .*check certificate-authority`,
      ),
    )
  })

  it('A server certificate of another authority of the same name is refused', async ({ home }) => {
    const { certificate } = await certificateAuthority('portcullis-test-authority')
    const cluster = { server: plane.server, 'certificate-authority-data': base64(certificate) }
    const client = connect(await home.loadWith({ cluster, user }))
    await expect(whoami(client)).rejects.toThrow(/is not accepted .*check certificate-authority/)
  })

  it('The server certificate is not verified with insecure-skip-tls-verify', async ({ home }) => {
    const cluster = { server: plane.server, 'insecure-skip-tls-verify': true }
    expect(await whoami(connect(await home.loadWith({ cluster, user })))).toBe('nobody')
  })

  it('A server certificate of an authority in a file beside the kubeconfig is accepted', async ({ home }) => {
    await home.write('.kube/ca.crt', plane.ca)
    const cluster = { server: plane.server, 'certificate-authority': 'ca.crt' }
    expect(await whoami(connect(await home.loadWith({ cluster, user })))).toBe('nobody')
  })
})

describe('Impersonation', () => {
  it('Impersonation sends user, uid, groups and extra', async ({ home }) => {
    const user = {
      token: plane.adminToken,
      as: 'zoë@example.com',
      'as-uid': '7',
      'as-groups': ['buyers', 'the sellers, all of them', 'käufer €'],
      'as-user-extra': { 'example.com/Roles': ['one', 'two'], 'a b%c': ['naïve'] },
    }
    const client = connect(await home.loadWith({ cluster: server, user }))
    expect(await identity(client)).toEqual({
      username: 'zoë@example.com',
      uid: '7',
      groups: ['buyers', 'the sellers, all of them', 'käufer €', 'system:authenticated'],
      extra: { 'example.com/roles': ['one', 'two'], 'a b%c': ['naïve'] },
    })
  })

  it('Impersonation needs the right to impersonate', async ({ home }) => {
    const client = connect(
      await home.loadWith({ cluster: server, user: { token: plane.unprivilegedToken, as: 'admin' } }),
    )
    await expect(whoami(client)).rejects.toThrow(/403 Forbidden: .*User "nobody" cannot impersonate/)
  })
})

it('Several kubeconfig files are merged', async ({ home }) => {
  const { certificate, key } = await plane.clientCertificate('ann')
  await home.write('keys/ann.crt', certificate)
  await home.write('keys/ann.key', key)
  const user = { 'client-certificate': 'ann.crt', 'client-key': 'ann.key' }
  const files = [
    await home.write('contexts', {
      'current-context': 'prod',
      contexts: [{ name: 'prod', context: { cluster: 'east', user: 'ann', namespace: 'shop' } }],
    }),
    home.path('missing'),
    await home.write('clusters', { clusters: [{ name: 'east', cluster: server }] }),
    await home.write('keys/users', { users: [{ name: 'ann', user }] }),
    await home.write('late', { clusters: [{ name: 'east', cluster: { server: 'https://192.0.2.1' } }] }),
  ]
  const env = { KUBECONFIG: files.join(delimiter) }
  const access = await home.load({ environment: home.environment({ env }) })
  expect(access.namespace).toBe('shop')
  expect(await whoami(connect(access))).toBe('ann')
})

describe('Access in a pod', () => {
  const { hostname, port } = new URL(plane.server)
  const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port }

  /** A token such as the kubelet mounts into pods. */
  async function tokenOf(client: Client, namespace: string, name: string): Promise<string> {
    const { status } = await client.create(
      TokenOfServiceAccount,
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: { namespace, name },
        spec: { audiences: [], expirationSeconds: 600 },
      },
      { subresource: 'token' },
    )
    if (status === undefined) throw new Error('no token was issued')
    return status.token
  }

  it('A pod authenticates as its service account, also after its token has been rotated', async ({
    home,
  }) => {
    const { client: admin, namespace } = await aNamespace(plane)
    for (const name of ['before', 'after'])
      await admin.create(ServiceAccount, { metadata: { namespace, name } })
    const serviceAccountDirectory = home.path('serviceaccount')
    await home.write('serviceaccount/ca.crt', plane.ca)
    await home.write('serviceaccount/namespace', namespace)
    await home.write('serviceaccount/token', await tokenOf(admin, namespace, 'before'))

    const access = await home.load({ environment: home.environment({ env, serviceAccountDirectory }) })
    expect(access.namespace).toBe(namespace)
    const client = connect(access)
    expect(await identity(client)).toMatchObject({
      username: `system:serviceaccount:${namespace}:before`,
      groups: expect.arrayContaining(['system:serviceaccounts']),
    })
    await rotate(home, 'serviceaccount/token', await tokenOf(admin, namespace, 'after'))
    await home.clock.advance(rereadMs)
    expect(await whoami(client)).toBe(`system:serviceaccount:${namespace}:after`)
  })

  it('A kubeconfig takes precedence over the service account', async ({ home }) => {
    const { client: admin, namespace } = await aNamespace(plane)
    await admin.create(ServiceAccount, { metadata: { namespace, name: 'pod' } })
    await home.write('serviceaccount/ca.crt', plane.ca)
    await home.write('serviceaccount/token', await tokenOf(admin, namespace, 'pod'))
    const environment = home.environment({ env, serviceAccountDirectory: home.path('serviceaccount') })
    expect(await whoami(connect(await home.load({ environment })))).toBe(
      `system:serviceaccount:${namespace}:pod`,
    )
    const user = { token: plane.unprivilegedToken }
    expect(await whoami(connect(await home.loadWith({ cluster: server, user }, { environment })))).toBe(
      'nobody',
    )
  })
})

it('The kubeconfig of the admin authenticates as the admin', async () => {
  expect(await whoami(connect(await adminAccess(plane)))).toBe('admin')
})
