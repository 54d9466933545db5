import { delimiter } from 'node:path'
import { expect } from 'vitest'
import { certificateAuthority } from '../certificates.ts'
import { silentLogger } from '../log.ts'
import { aKubeconfig, base64, it, type KubeHome } from '../testing/kube-home.ts'

async function loadAll(home: KubeHome, ...configs: object[]) {
  const paths = await Promise.all(configs.map((config, index) => home.write(`dir${index}/config`, config)))
  return home.load({ environment: home.environment({ env: { KUBECONFIG: paths.join(delimiter) } }) })
}

it('Several files make one configuration: context, cluster and user may be in different files', async ({
  home,
}) => {
  const { clusters, users, contexts } = aKubeconfig({ user: { token: 'anns' } })
  const access = await loadAll(home, { 'current-context': 'prod' }, { contexts }, { clusters }, { users })
  expect(access.server.host).toBe('east.example:6443')
  expect(access.source).toBe(`context "prod" of ${home.path('dir1/config')}`)
  expect(await access.credentials.current()).toEqual({ authorization: 'Bearer anns' })
})

it('Several files never mix two entries of one name: the first file gives all of it', async ({ home }) => {
  const first = aKubeconfig({ cluster: { server: 'https://first.example' } })
  const second = aKubeconfig({
    cluster: { server: 'https://second.example', 'tls-server-name': 'second' },
    user: { token: 'second' },
  })
  const access = await loadAll(home, first, second)
  expect(access.server.host).toBe('first.example')
  expect(access.tls.serverName).toBeUndefined()
  expect(await access.credentials.current()).toEqual({})
})

it('Several files take the current context from the first that sets one', async ({ home }) => {
  const other = { name: 'other', context: { cluster: 'east', namespace: 'others' } }
  const access = await loadAll(
    home,
    { 'current-context': '' },
    { 'current-context': 'other', contexts: [other] },
    aKubeconfig({}),
  )
  expect(access.namespace).toBe('others')
})

it('Several files each resolve relative paths against their own folder', async ({ home }) => {
  const { certificate, key } = await certificateAuthority('portcullis-test-authority')
  const { contexts, clusters, users } = aKubeconfig({
    cluster: { 'certificate-authority': 'ca.pem' },
    user: {
      'client-certificate': '../pki/ann.pem',
      'client-key': '../pki/ann-key.pem',
      tokenFile: 'token',
    },
  })
  await home.write('dir0/ca.pem', certificate)
  await home.write('pki/ann.pem', certificate)
  await home.write('pki/ann-key.pem', key)
  await home.write('dir1/token', 'from-dir1')
  const access = await loadAll(home, { 'current-context': 'prod', contexts, clusters }, { users })
  expect(access.tls.ca).toBe(certificate)
  expect(await access.credentials.current()).toEqual({
    authorization: 'Bearer from-dir1',
    clientCertificate: { certificate, key },
  })
})

it('Several broken files are all reported', async ({ home }) => {
  await expect(loadAll(home, { clusters: 1 }, { users: 2 })).rejects.toMatchObject({
    problems: [
      expect.stringContaining('dir0/config: clusters: must be a list'),
      expect.stringContaining('dir1/config: users: must be a list'),
    ],
  })
})

it('A context can be chosen over the current one', async ({ home }) => {
  const config = aKubeconfig({})
  const dev = { name: 'dev', context: { cluster: 'east', namespace: 'dev-space' } }
  await home.write('.kube/config', { ...config, contexts: [...config.contexts, dev] })
  expect((await home.load({ context: 'dev' })).namespace).toBe('dev-space')
  expect((await home.load()).namespace).toBe('default')
})

it('A context without a user is anonymous', async ({ home }) => {
  const { credentials } = await home.loadWith({ context: { user: undefined } })
  const credential = await credentials.current()
  expect(credential).toEqual({})
  expect(await credentials.rejected(credential)).toBe(false)
})

it('A context is not held up by the faults of users, clusters and contexts that it does not use', async ({
  home,
}) => {
  const config = aKubeconfig({})
  await home.write('.kube/config', {
    ...config,
    users: [...config.users, { name: 'broken', user: { 'client-key-data': '%%%', exec: 5 } }],
    clusters: [...config.clusters, { name: 'broken', cluster: { server: 7 } }],
    contexts: [...config.contexts, { name: 'broken', context: { cluster: 'nowhere', user: 'nobody' } }],
  })
  expect((await home.load()).server.host).toBe('east.example:6443')
})

it('A context reads null and empty fields as not set', async ({ home }) => {
  const access = await home.loadWith({
    cluster: {
      'certificate-authority': '',
      'certificate-authority-data': null,
      'proxy-url': '',
      'tls-server-name': null,
    },
    user: {
      token: '',
      tokenFile: null,
      username: '',
      'client-certificate-data': '',
      exec: null,
      'as-groups': null,
    },
    context: { namespace: '' },
  })
  expect(access).toMatchObject({ namespace: 'default', tls: { insecureSkipVerify: false } })
  expect(access).not.toHaveProperty('proxy')
  expect(access).not.toHaveProperty('impersonate')
  expect(await access.credentials.current()).toEqual({})
})

it('A cluster gives server, path, TLS name and proxy', async ({ home }) => {
  const access = await home.loadWith({
    cluster: {
      server: 'https://rancher.example/k8s/clusters/c-1?ignored=1',
      'tls-server-name': 'kubernetes.default',
      'proxy-url': 'socks5://proxy.example:1080',
    },
  })
  expect(access.server.href).toBe('https://rancher.example/k8s/clusters/c-1')
  expect(access.tls).toEqual({ serverName: 'kubernetes.default', insecureSkipVerify: false })
  expect(access.proxy?.href).toBe('socks5://proxy.example:1080')
})

it('A cluster may ask to skip the check of the certificate', async ({ home }) => {
  const access = await home.loadWith({ cluster: { 'insecure-skip-tls-verify': true } })
  expect(access.tls).toEqual({ insecureSkipVerify: true })
})

it('A cluster prefers the inline authority to the file, which then need not exist', async ({ home }) => {
  const { certificate } = await certificateAuthority('ca')
  const access = await home.loadWith({
    cluster: { 'certificate-authority': 'nowhere', 'certificate-authority-data': base64(certificate) },
  })
  expect(access.tls.ca).toBe(certificate)
})

it('A cluster on plain http is sent no credentials, and a warning says so', async ({ home }) => {
  const warnings: string[] = []
  const log = { ...silentLogger, warn: (_: object, message: string) => warnings.push(message) }
  const parts = { cluster: { server: 'http://127.0.0.1:8080' }, user: { token: 'secret', as: 'root' } }
  const access = await home.loadWith(parts, { log })
  expect(await access.credentials.current()).toEqual({})
  expect(access.impersonate).toEqual({ user: 'root' })
  expect(warnings).toEqual([expect.stringContaining('no credentials are sent')])
})

it('A user can have a name and password', async ({ home }) => {
  const { credentials } = await home.loadWith({ user: { username: 'ann', password: 'pässword' } })
  expect(await credentials.current()).toEqual({ authorization: `Basic ${base64('ann:pässword')}` })
})

it('A user can have a client certificate inline, together with a token', async ({ home }) => {
  const { certificate, key } = await certificateAuthority('portcullis-test-authority')
  const { credentials } = await home.loadWith({
    user: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key), token: 'too' },
  })
  expect(await credentials.current()).toEqual({
    authorization: 'Bearer too',
    clientCertificate: { certificate, key },
  })
})

it('The inline certificate and key of a user win over the files', async ({ home }) => {
  const { certificate, key } = await certificateAuthority('portcullis-test-authority')
  const { credentials } = await home.loadWith({
    user: {
      'client-certificate': 'nowhere.pem',
      'client-certificate-data': base64(certificate),
      'client-key': 'nowhere-key.pem',
      'client-key-data': base64(key),
    },
  })
  expect(await credentials.current()).toEqual({ clientCertificate: { certificate, key } })
})

it('A user may impersonate another', async ({ home }) => {
  const { impersonate } = await home.loadWith({
    user: {
      as: 'bob',
      'as-uid': '42',
      'as-groups': ['dev', 'ops'],
      'as-user-extra': { scopes: ['view', 'edit'] },
    },
  })
  expect(impersonate).toEqual({
    user: 'bob',
    uid: '42',
    groups: ['dev', 'ops'],
    extra: { scopes: ['view', 'edit'] },
  })
})

it('A kubeconfig may be YAML with anchors and merge keys, or JSON', async ({ home }) => {
  await home.write(
    '.kube/config',
    `
# written by hand
current-context: prod
contexts: [{ name: prod, context: { cluster: east, user: ann } }]
clusters:
- name: west
  cluster: &shared { server: "https://west.example", tls-server-name: shared }
- name: east
  cluster: { <<: *shared, server: "https://east.example" }
users: [{ name: ann, user: { token: "12345" } }]
`,
  )
  const access = await home.load()
  expect(access.server.host).toBe('east.example')
  expect(access.tls.serverName).toBe('shared')
})
