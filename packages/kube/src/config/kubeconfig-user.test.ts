import { expect, it } from 'vitest'
import { problemsIn } from '../testing/kubeconfig-problems.ts'
import { Problems } from './kubeconfig-error.ts'
import { readUser } from './kubeconfig-user.ts'

const source = '/home/ann/.kube/config'
const location = { source, path: 'user', owner: 'user "ann"' }
const v1 = 'client.authentication.k8s.io/v1'
const v1beta1 = 'client.authentication.k8s.io/v1beta1'

/** The user with these fields, and what was complained about: only the part of it after the file's name. */
function read(values: object) {
  const problems = new Problems()
  const user = readUser({ name: 'ann', location, values: { ...values } }, problems)
  return { user, problems: problemsIn(problems).map((each) => each.replace(`${source}: user.`, '')) }
}

const at = (path: string) => ({ ...location, path: `user.${path}` })
const stored = (identity: object) => ({ identity: { kind: 'stored', stored: identity } })
const inline = (name: string) => ({ kind: 'inline', location: at(`${name}-data`), base64: 'AAAA' })
const both = { 'client-certificate-data': 'AAAA', 'client-key-data': 'AAAA' }
const certificate = { certificate: inline('client-certificate'), key: inline('client-key') }
const command = { command: 'aws', apiVersion: v1, interactiveMode: 'Never' }
const plugin = {
  location: at('exec'),
  command: 'aws',
  args: [],
  env: {},
  apiVersion: v1,
  interactiveMode: 'Never',
  provideClusterInfo: false,
}

it.each([
  { fields: {}, user: { identity: { kind: 'anonymous' } } },
  { fields: { token: 'abc' }, user: stored({ token: { location: at('token'), value: 'abc' } }) },
  {
    fields: { tokenFile: 'token' },
    user: stored({ token: { location: at('tokenFile'), file: '/home/ann/.kube/token' } }),
  },
  {
    fields: { token: 'abc', tokenFile: '/token' },
    user: stored({ token: { location: at('tokenFile'), file: '/token', value: 'abc' } }),
  },
  { fields: { username: 'ann' }, user: stored({ basic: { username: 'ann', password: '' } }) },
  {
    fields: { username: 'ann', token: '', exec: null },
    user: stored({ basic: { username: 'ann', password: '' } }),
  },
  { fields: { password: 'pass' }, user: stored({ basic: { username: '', password: 'pass' } }) },
  { fields: both, user: stored({ certificate }) },
  {
    fields: { ...both, username: 'ann', password: 'pass' },
    user: stored({ basic: { username: 'ann', password: 'pass' }, certificate }),
  },
  { fields: { exec: command }, user: { identity: { kind: 'plugin', plugin } } },
  {
    fields: { as: 'bob', 'as-groups': [], 'as-user-extra': {} },
    user: { identity: { kind: 'anonymous' }, impersonate: { user: 'bob' } },
  },
  {
    fields: { as: 'bob', 'as-uid': '42', 'as-groups': ['dev'], 'as-user-extra': { scopes: ['view'] } },
    user: {
      identity: { kind: 'anonymous' },
      impersonate: { user: 'bob', uid: '42', groups: ['dev'], extra: { scopes: ['view'] } },
    },
  },
  { fields: { 'as-groups': [], 'as-user-extra': {} }, user: { identity: { kind: 'anonymous' } } },
])('A user with $fields is read as such', ({ fields, user }) => {
  expect(read(fields)).toStrictEqual({ user, problems: [] })
})

it.each([
  { fields: { token: 't', username: 'u' }, says: 'token (user "ann"): is set together with username' },
  {
    fields: { tokenFile: 't', password: 'p' },
    says: 'tokenFile (user "ann"): is set together with password',
  },
  { fields: { exec: command, token: 't' }, says: 'exec (user "ann"): is set together with token' },
  { fields: { exec: command, username: 'u' }, says: 'exec (user "ann"): is set together with username' },
  {
    fields: { exec: command, ...both },
    says: 'exec (user "ann"): is set together with client-certificate-data',
  },
  {
    fields: { exec: command, 'client-certificate': 'a.pem', 'client-key': 'a-key.pem' },
    says: 'exec (user "ann"): is set together with client-certificate',
  },
  {
    fields: { exec: command, tokenFile: 't', password: 'p', ...both },
    says: 'exec (user "ann"): is set together with tokenFile and password and client-certificate-data',
  },
])('A user has one way to authenticate, so that $fields is refused', ({ fields, says }) => {
  expect(read(fields).problems).toEqual([`${says}; keep one of them`])
})

it.each([
  {
    fields: { 'client-certificate-data': 'AAAA' },
    says: 'client-key (user "ann"): is missing; a client certificate needs client-key or client-key-data',
  },
  {
    fields: { 'client-key-data': 'AAAA' },
    says: 'client-certificate (user "ann"): is missing; a client key needs client-certificate or client-certificate-data',
  },
  {
    fields: { 'as-uid': '42', 'as-groups': ['dev'] },
    says: 'as-uid (user "ann"): is set without as; name the user to act as',
  },
  {
    fields: { 'as-groups': ['dev'], 'as-user-extra': { scopes: [] } },
    says: 'as-groups (user "ann"): is set without as; name the user to act as',
  },
  {
    fields: { 'as-user-extra': { scopes: [] } },
    says: 'as-user-extra (user "ann"): is set without as; name the user to act as',
  },
  {
    fields: { 'auth-provider': {} },
    says: 'auth-provider (user "ann"): is no longer supported: Kubernetes replaced these providers by credential plugins; use exec with the plugin of your cloud',
  },
  {
    fields: { 'auth-provider': { name: 'gcp' } },
    says: 'auth-provider (user "ann"): is no longer supported ("gcp"): Kubernetes replaced these providers by credential plugins; use exec with the plugin of your cloud',
  },
])('A user with $fields is refused', ({ fields, says }) => {
  const { user, problems } = read(fields)
  expect(problems).toEqual([says])
  expect(user).toEqual({ identity: { kind: 'anonymous' } })
})

it.each([
  {
    fields: { args: ['get-token'], provideClusterInfo: true },
    is: { args: ['get-token'], provideClusterInfo: true },
  },
  { fields: { installHint: 'brew install it' }, is: { installHint: 'brew install it' } },
  { fields: { interactiveMode: 'Always' }, is: { interactiveMode: 'Always' } },
  { fields: { interactiveMode: 'IfAvailable' }, is: { interactiveMode: 'IfAvailable' } },
  {
    fields: { apiVersion: v1beta1, interactiveMode: undefined },
    is: { apiVersion: v1beta1, interactiveMode: 'IfAvailable' },
  },
  { fields: { apiVersion: v1beta1 }, is: { apiVersion: v1beta1 } },
  { fields: { command: './aws' }, is: { command: '/home/ann/.kube/aws' } },
  { fields: { command: '/bin/aws' }, is: { command: '/bin/aws' } },
  {
    fields: { env: [{ name: 'A', value: 'a' }, { name: 'B' }, { name: 'C', value: null }] },
    is: { env: { A: 'a', B: '', C: '' } },
  },
])('A plugin with $fields is read as such', ({ fields, is }) => {
  expect(read({ exec: { ...command, ...fields } })).toStrictEqual({
    user: { identity: { kind: 'plugin', plugin: { ...plugin, ...is } } },
    problems: [],
  })
})

it.each([
  {
    fields: { command: '' },
    field: 'command',
    says: 'is missing; name the program that prints the credentials',
  },
  {
    fields: { apiVersion: null },
    field: 'apiVersion',
    says: `is missing; write ${v1} if the plugin speaks it`,
  },
  {
    fields: { apiVersion: 'client.authentication.k8s.io/v1alpha1' },
    field: 'apiVersion',
    says: `is "client.authentication.k8s.io/v1alpha1", which Kubernetes removed in 1.24; write ${v1} if the plugin speaks it, else update the plugin`,
  },
  {
    fields: { apiVersion: 'v7', interactiveMode: null },
    field: 'apiVersion',
    says: `is "v7", but only ${v1} and ${v1beta1} are known; write ${v1} if the plugin speaks it`,
  },
  {
    fields: { interactiveMode: '' },
    field: 'interactiveMode',
    says: 'is missing; it must be Never, IfAvailable or Always',
  },
  {
    fields: { interactiveMode: 'Sometimes', apiVersion: v1beta1 },
    field: 'interactiveMode',
    says: 'is "Sometimes"; it must be Never, IfAvailable or Always',
  },
])(
  'A plugin with $fields is refused, and no other credentials are used instead',
  ({ fields, field, says }) => {
    expect(read({ exec: { ...command, ...fields } })).toEqual({
      user: { identity: { kind: 'anonymous' } },
      problems: [`exec.${field} (user "ann"): ${says}`],
    })
  },
)

it('A plugin needs a name for each environment variable', () => {
  expect(read({ exec: { ...command, env: [{ name: '', value: 's3cret' }] } }).problems).toEqual([
    'exec.env[0].name (user "ann"): is missing; name the environment variable',
  ])
})
