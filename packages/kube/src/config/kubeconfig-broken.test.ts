// oxlint-disable max-lines -- A table of every fault of a kubeconfig with the message that a person gets.

import { chmod, mkdir } from 'node:fs/promises'
import { describe, expect } from 'vitest'
import { certificateAuthority } from '../certificates.ts'
import { aKubeconfig, base64, it } from '../testing/kube-home.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

const certificates = await certificateAuthority('portcullis-test-authority')
const others = await certificateAuthority('others')
const secret = 's3cr3t-do-not-print'

const cluster = (fields: object) => aKubeconfig({ cluster: fields })
const user = (fields: object) => aKubeconfig({ user: fields })
const exec = (fields: object) =>
  user({
    exec: {
      command: 'plugin',
      apiVersion: 'client.authentication.k8s.io/v1',
      interactiveMode: 'Never',
      ...fields,
    },
  })

/** What is in the file, and what is said about it after the file's name. */
interface Broken {
  readonly fault: string
  readonly config: object | string
  readonly says: string
}

const outline: readonly Broken[] = [
  {
    fault: 'an unclosed quote',
    config: `current-context: prod\nusers:\n- name: "ann\n  user: {token: ${secret}}\n`,
    says: 'line 5, column 1: is not valid YAML: Missing closing "quote',
  },
  {
    fault: 'a bad indentation',
    config: `clusters:\n- name: east\n   cluster: ${secret}\n`,
    says: 'line 2, column 9: is not valid YAML: Nested mappings are not allowed in compact mappings',
  },
  {
    fault: 'a stray text between the lines',
    config: `users: []\n${secret}\nclusters: []\n`,
    says: 'line 2, column 1: is not valid YAML: Implicit keys need to be on a single line',
  },
  {
    fault: 'a text that the parser would quote',
    config: `users: |${secret}\n`,
    says: 'line 1, column 9: is not valid YAML: Block scalar header includes extra characters',
  },
  {
    fault: 'an alias of nothing',
    config: `users: [{name: ann, user: {password: *${secret}}}]`,
    says: 'is not valid YAML: Unresolved alias (the anchor must be set before the alias)',
  },
  {
    fault: 'a key that is written twice',
    config: 'current-context: one\ncurrent-context: two\n',
    says: 'line 2, column 1: is not valid YAML: Map keys must be unique',
  },
  {
    fault: 'text instead of a configuration',
    config: secret,
    says: 'is not a kubeconfig: it must be a mapping with clusters, users and contexts, but is text',
  },
  {
    fault: 'another kind of object',
    config: { apiVersion: 'v1', kind: 'Pod' },
    says: 'kind: is "Pod", but a kubeconfig is a "Config"; name another file',
  },
  {
    fault: 'another version',
    config: { apiVersion: 'v2', kind: 'Config' },
    says: 'apiVersion: is "v2", but only "v1" is known',
  },
  {
    fault: 'clusters that are no list',
    config: { clusters: { east: {} } },
    says: 'clusters: must be a list, but is a mapping',
  },
  {
    fault: 'a user that is no mapping',
    config: { users: ['ann'] },
    says: 'users[0]: must be a mapping, but is text',
  },
  {
    fault: 'the fields of a user that are no mapping',
    config: { users: [{ name: 'ann', user: secret }] },
    says: 'users[0].user (user "ann"): must be a mapping, but is text',
  },
  {
    fault: 'a context without a name',
    config: { contexts: [{ context: {} }] },
    says: 'contexts[0].name: is missing; every context needs one',
  },
  {
    fault: 'a name that is a number',
    config: 'clusters: [{ name: 12 }]',
    says: 'clusters[0].name: must be text, but is a number; put it in quotes',
  },
  {
    fault: 'two users of one name',
    config: { users: [{ name: 'ann' }, { name: 'bob' }, { name: 'ann' }] },
    says: 'users[2].name: "ann" is the name of another user in this file; rename one of the two',
  },
]

const references: readonly Broken[] = [
  {
    fault: 'a current context that does not exist',
    config: { ...aKubeconfig({}), 'current-context': 'prd' },
    says: 'current-context: there is no context "prd"; did you mean "prod"? there is "prod"',
  },
  {
    fault: 'a current context unlike any other',
    config: { ...aKubeconfig({}), 'current-context': 'staging' },
    says: 'current-context: there is no context "staging"; there is "prod"',
  },
  {
    fault: 'a current context without contexts',
    config: { 'current-context': 'prod' },
    says: 'current-context: there is no context "prod"; there are no contexts at all',
  },
  {
    fault: 'a context with an unknown cluster',
    config: aKubeconfig({ context: { cluster: 'eest' } }),
    says: 'contexts[0].context.cluster (context "prod"): there is no cluster "eest"; did you mean "east"? there is "east"',
  },
  {
    fault: 'a context without a cluster',
    config: aKubeconfig({ context: { cluster: null } }),
    says: 'contexts[0].context.cluster (context "prod"): is missing; name the cluster to talk to',
  },
  {
    fault: 'a context with an unknown user',
    config: aKubeconfig({ context: { user: 'zoe' } }),
    says: 'contexts[0].context.user (context "prod"): there is no user "zoe"; there is "ann"',
  },
  {
    fault: 'a context with an impossible namespace',
    config: aKubeconfig({ context: { namespace: 'My Space' } }),
    says: 'contexts[0].context.namespace (context "prod"): "My Space" is not the name of a namespace',
  },
]

const atCluster = (field: string) => `clusters[0].cluster.${field} (cluster "east"): `
const clusters: readonly Broken[] = [
  {
    fault: 'no server',
    config: cluster({ server: '' }),
    says: `${atCluster('server')}is missing; write the URL of the API server, for example https://10.0.0.1:6443`,
  },
  {
    fault: 'a server without a scheme',
    config: cluster({ server: 'east.example:6443' }),
    says: `${atCluster('server')}"east.example:6443" is not an http or https URL; write https://east.example:6443`,
  },
  {
    fault: 'a server with another scheme',
    config: cluster({ server: 'ftp://east.example' }),
    says: `${atCluster('server')}"ftp://east.example" is not an http or https URL; it must start with https:// or http://`,
  },
  {
    fault: 'a server that is a number',
    config: cluster({ server: 6443 }),
    says: `${atCluster('server')}must be text, but is a number; put it in quotes`,
  },
  {
    fault: 'a server with a password in it',
    config: cluster({ server: `https://ann:${secret}@east.example` }),
    says: `${atCluster('server')}holds a user name or password; put them into the user of the context`,
  },
  {
    fault: 'an authority that is not base64',
    config: cluster({ 'certificate-authority-data': `%${secret}` }),
    says: `${atCluster('certificate-authority-data')}is not base64; copy it again, it may have been cut off`,
  },
  {
    fault: 'an authority that is bare PEM',
    config: cluster({ 'certificate-authority-data': certificates.certificate }),
    says: `${atCluster('certificate-authority-data')}is PEM, but must be the base64 of it`,
  },
  {
    fault: 'an authority that is not PEM',
    config: cluster({ 'certificate-authority-data': base64(secret) }),
    says: `${atCluster('certificate-authority-data')}holds no PEM certificate ("-----BEGIN CERTIFICATE-----")`,
  },
  {
    fault: 'a bundle with a broken certificate',
    config: cluster({
      'certificate-authority-data': base64(
        `${certificates.certificate}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      ),
    }),
    says: `${atCluster('certificate-authority-data')}holds 2 PEM blocks, of which number 2 is no X.509 certificate`,
  },
  {
    fault: 'an authority in a file that does not exist',
    config: cluster({ 'certificate-authority': '/nowhere/ca.pem' }),
    says: `${atCluster('certificate-authority')}/nowhere/ca.pem does not exist`,
  },
  {
    fault: 'an authority together with no check at all',
    config: cluster({
      'insecure-skip-tls-verify': true,
      'certificate-authority-data': base64(certificates.certificate),
    }),
    says: `${atCluster('insecure-skip-tls-verify')}is true although a certificate authority is given; remove one`,
  },
  {
    fault: 'a flag that is text',
    config: cluster({ 'insecure-skip-tls-verify': 'yes' }),
    says: `${atCluster('insecure-skip-tls-verify')}must be true or false, but is text`,
  },
  {
    fault: 'a proxy of an unknown kind',
    config: cluster({ 'proxy-url': `ftp://ann:${secret}@proxy.example` }),
    says: `${atCluster('proxy-url')}"ftp://…@proxy.example" is not the URL of a proxy; it must start with http://, https:// or socks5://`,
  },
  {
    fault: 'a proxy whose password holds a slash',
    config: cluster({ 'proxy-url': `http://ann:a/${secret}@proxy.example` }),
    says: `${atCluster('proxy-url')}"http://…@proxy.example" is not the URL of a proxy; it must start with http://, https:// or socks5://`,
  },
]

const atUser = (field: string) => `users[0].user.${field} (user "ann"): `
const users: readonly Broken[] = [
  {
    fault: 'a token that is a number',
    config:
      'users: [{name: ann, user: {token: 12345}}]\ncurrent-context: prod\ncontexts: [{name: prod, context: {cluster: east, user: ann}}]\nclusters: [{name: east, cluster: {server: "https://east"}}]',
    says: `${atUser('token')}must be text, but is a number; put it in quotes`,
  },
  {
    fault: 'a token file that does not exist',
    config: user({ tokenFile: '/nowhere/token' }),
    says: `${atUser('tokenFile')}/nowhere/token does not exist`,
  },
  {
    fault: 'a certificate without a key',
    config: user({ 'client-certificate-data': base64(certificates.certificate) }),
    says: `${atUser('client-key')}is missing; a client certificate needs client-key or client-key-data`,
  },
  {
    fault: 'a key without a certificate',
    config: user({ 'client-key-data': base64(certificates.key) }),
    says: `${atUser('client-certificate')}is missing; a client key needs client-certificate or client-certificate-data`,
  },
  {
    fault: 'a key that is not base64',
    config: user({
      'client-certificate-data': base64(certificates.certificate),
      'client-key-data': `%${secret}`,
    }),
    says: `${atUser('client-key-data')}is not base64`,
  },
  {
    fault: 'a key that is not PEM',
    config: user({
      'client-certificate-data': base64(certificates.certificate),
      'client-key-data': base64(secret),
    }),
    says: `${atUser('client-key-data')}holds no PEM private key`,
  },
  {
    fault: 'a key that cannot be decoded',
    config: user({
      'client-certificate-data': base64(certificates.certificate),
      'client-key-data': base64(
        `-----BEGIN PRIVATE KEY-----\n${base64(secret)}\n-----END PRIVATE KEY-----\n`,
      ),
    }),
    says: `${atUser('client-key-data')}holds a PEM private key that cannot be decoded`,
  },
  {
    fault: 'an encrypted key',
    config: user({
      'client-certificate-data': base64(certificates.certificate),
      'client-key-data': base64(
        '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n',
      ),
    }),
    says: `${atUser('client-key-data')}holds an encrypted private key; decrypt it first`,
  },
  {
    fault: 'the key of another certificate',
    config: user({
      'client-certificate-data': base64(certificates.certificate),
      'client-key-data': base64(others.key),
    }),
    says: `${atUser('client-key-data')}is not the key of the certificate in users[0].user.client-certificate-data`,
  },
  {
    fault: 'a token and a password',
    config: user({ token: secret, username: 'ann', password: secret }),
    says: `${atUser('token')}is set together with username; keep one of them`,
  },
  {
    fault: 'a plugin and a token',
    config: user({
      token: secret,
      exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' },
    }),
    says: `${atUser('exec')}is set together with token; keep one of them`,
  },
  {
    fault: 'a provider of old',
    config: user({ 'auth-provider': { name: 'gcp', config: { 'access-token': secret } } }),
    says: `${atUser('auth-provider')}is no longer supported ("gcp"): Kubernetes replaced these providers by credential plugins; use exec`,
  },
  {
    fault: 'groups to act in, but nobody to act as',
    config: user({ 'as-groups': ['dev'] }),
    says: `${atUser('as-groups')}is set without as; name the user to act as`,
  },
  {
    fault: 'extras, but nobody to act as',
    config: user({ 'as-user-extra': { scopes: ['view'] } }),
    says: `${atUser('as-user-extra')}is set without as; name the user to act as`,
  },
  {
    fault: 'a uid, but nobody to act as',
    config: user({ 'as-uid': '42' }),
    says: `${atUser('as-uid')}is set without as; name the user to act as`,
  },
  {
    fault: 'a group that is a number',
    config: user({ as: 'bob', 'as-groups': ['dev', 5] }),
    says: 'users[0].user.as-groups[1] (user "ann"): must be text, but is a number',
  },
]

const plugins: readonly Broken[] = [
  {
    fault: 'no command',
    config: exec({ command: '' }),
    says: `${atUser('exec.command')}is missing; name the program that prints the credentials`,
  },
  {
    fault: 'no apiVersion',
    config: exec({ apiVersion: null }),
    says: `${atUser('exec.apiVersion')}is missing; write client.authentication.k8s.io/v1 if the plugin speaks it`,
  },
  {
    fault: 'the apiVersion that was removed',
    config: exec({ apiVersion: 'client.authentication.k8s.io/v1alpha1' }),
    says: `${atUser('exec.apiVersion')}is "client.authentication.k8s.io/v1alpha1", which Kubernetes removed in 1.24`,
  },
  {
    fault: 'an unknown apiVersion',
    config: exec({ apiVersion: 'v7' }),
    says: `${atUser('exec.apiVersion')}is "v7", but only client.authentication.k8s.io/v1 and client.authentication.k8s.io/v1beta1 are known`,
  },
  {
    fault: 'v1 without interactiveMode',
    config: exec({ interactiveMode: undefined }),
    says: `${atUser('exec.interactiveMode')}is missing; it must be Never, IfAvailable or Always`,
  },
  {
    fault: 'an unknown interactiveMode',
    config: exec({ interactiveMode: 'Sometimes' }),
    says: `${atUser('exec.interactiveMode')}is "Sometimes"; it must be Never, IfAvailable or Always`,
  },
  {
    fault: 'an environment variable without a name',
    config: exec({ env: [{ value: secret }] }),
    says: `${atUser('exec.env[0].name')}is missing; name the environment variable`,
  },
]

describe.each([
  { part: 'an outline', table: outline },
  { part: 'references', table: references },
  { part: 'a cluster', table: clusters },
  { part: 'a user', table: users },
  { part: 'a plugin', table: plugins },
])('a kubeconfig broken in $part', ({ table }) => {
  it.for(table)(
    'The error of a kubeconfig with $fault names the file, the field and the fix',
    async ({ config, says }, { home }) => {
      const path = await home.write('.kube/config', config)
      const error = await home.load().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(KubeconfigError)
      const { message, problems } = error as KubeconfigError
      expect(problems).toHaveLength(1)
      expect(message).toContain(`${path}: ${says}`)
      expect(message).not.toContain(secret)
      expect(message).not.toContain(base64(secret))
    },
  )
})

it('The error of a kubeconfig names everything that is wrong with the chosen context at once', async ({
  home,
}) => {
  const failure = home.loadWith({
    cluster: { server: 'nonsense', 'proxy-url': 'nonsense', 'certificate-authority': '/nowhere/ca.pem' },
    user: { tokenFile: '/nowhere/token', 'as-uid': '1' },
    context: { namespace: 'NO' },
  })
  await expect(failure).rejects.toThrow(/^The kubeconfig cannot be used; 6 things are wrong:\n- /)
})

it('The error of a kubeconfig that is a directory says so', async ({ home }) => {
  await mkdir(home.path('.kube/config'), { recursive: true })
  await expect(home.load()).rejects.toThrow(`${home.path('.kube/config')} cannot be read: it is a directory`)
})

it('The error of a kubeconfig that may not be read says so', async ({ home }) => {
  const path = await home.write('.kube/config', aKubeconfig({}))
  await chmod(path, 0o000)
  const error = await asOrdinaryUser(() => home.load().catch(String))
  expect(error).toContain(`${path} cannot be read: permission denied (EACCES)`)
})

it('The error of an unknown context names it and the contexts that exist', async ({ home }) => {
  const path = await home.write('.kube/config', aKubeconfig({}))
  await expect(home.load({ context: 'Prod' })).rejects.toThrow(
    `${path}: there is no context "Prod"; did you mean "prod"? there is "prod"`,
  )
})

/** The superuser may read everything, so it steps down for a moment. */
async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work()
  const unprivilegedUser = 65_534
  process.seteuid?.(unprivilegedUser)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}
