import { expect, it } from 'vitest'
import { certificateAuthority } from '../certificates.ts'
import type { ExecPlugin } from './exec-plugin.ts'
import { parseExecResponse } from './exec-response.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

const apiVersion = 'client.authentication.k8s.io/v1'
const plugin: ExecPlugin = {
  location: { source: '/home/ann/.kube/config', path: 'users[0].user.exec', owner: 'user "ann"' },
  command: 'aws',
  args: [],
  env: {},
  apiVersion,
  interactiveMode: 'Never',
  provideClusterInfo: false,
}

const one = await certificateAuthority('one')
const other = await certificateAuthority('other')
const pair = { clientCertificateData: one.certificate, clientKeyData: one.key }
const encryptedKey = '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n'

const withStatus = (status: unknown) => JSON.stringify({ apiVersion, kind: 'ExecCredential', status })

it.each([
  { holds: 'a token', status: { token: 'abc' }, issued: { credential: { authorization: 'Bearer abc' } } },
  {
    holds: 'a client certificate',
    status: pair,
    issued: { credential: { clientCertificate: { certificate: one.certificate, key: one.key } } },
  },
  {
    holds: 'both, and when they expire',
    status: { ...pair, token: 'abc', expirationTimestamp: '2026-11-18T12:00:00Z' },
    issued: {
      credential: {
        authorization: 'Bearer abc',
        clientCertificate: { certificate: one.certificate, key: one.key },
      },
      expires: new Date('2026-11-18T12:00:00Z'),
    },
  },
  {
    holds: 'a token, and null or empty text for all that is not set',
    status: { token: 'abc', clientCertificateData: null, clientKeyData: '', expirationTimestamp: null },
    issued: { credential: { authorization: 'Bearer abc' } },
  },
])('The response of a credential plugin with $holds is understood', ({ status, issued }) => {
  expect(parseExecResponse(plugin, withStatus(status))).toStrictEqual(issued)
})

it.each([
  ['nothing', '', 'printed nothing; it must print an ExecCredential'],
  ['white space', ' \n', 'printed nothing; it must print an ExecCredential'],
  ['no JSON', 's3cret', 'printed something that is not JSON; it must print an ExecCredential'],
  ['null', 'null', 'printed JSON that is not an ExecCredential'],
  ['text', '"s3cret"', 'printed JSON that is not an ExecCredential'],
  ['a list', '["s3cret"]', 'printed JSON that is not an ExecCredential'],
  [
    'another kind',
    JSON.stringify({ apiVersion, kind: 'Secret', status: { token: 's3cret' } }),
    'printed JSON that is not an ExecCredential',
  ],
  [
    'another apiVersion',
    JSON.stringify({ apiVersion: 'v7', kind: 'ExecCredential', status: { token: 's3cret' } }),
    `answered in apiVersion "v7", but the kubeconfig says "${apiVersion}"; write into the kubeconfig what the plugin speaks`,
  ],
  ['no status', withStatus(undefined), 'returned no status, where the credentials belong'],
  ['a status of null', withStatus(null), 'returned no status, where the credentials belong'],
  ['a status that is text', withStatus('s3cret'), 'returned no status, where the credentials belong'],
  ['an empty status', withStatus({}), 'returned neither a token nor a client certificate'],
  ['an empty token', withStatus({ token: '' }), 'returned neither a token nor a client certificate'],
  ['a token that is a number', withStatus({ token: 5 }), 'returned a status.token that is not text'],
  [
    'a certificate that is a list',
    withStatus({ ...pair, clientCertificateData: ['s3cret'] }),
    'returned a status.clientCertificateData that is not text',
  ],
  [
    'a key that is a mapping',
    withStatus({ ...pair, clientKeyData: { of: 's3cret' } }),
    'returned a status.clientKeyData that is not text',
  ],
  [
    'an expiry that is a number',
    withStatus({ token: 's3cret', expirationTimestamp: 5 }),
    'returned a status.expirationTimestamp that is not text',
  ],
  [
    'an expiry that is no time',
    withStatus({ token: 's3cret', expirationTimestamp: 'soon' }),
    'returned an expirationTimestamp that is no time: "soon"',
  ],
  [
    'a certificate without a key, beside a token',
    withStatus({ ...pair, clientKeyData: '', token: 's3cret' }),
    'returned only one of clientCertificateData and clientKeyData; both are needed',
  ],
  [
    'a key without a certificate',
    withStatus({ ...pair, clientCertificateData: null }),
    'returned only one of clientCertificateData and clientKeyData; both are needed',
  ],
  [
    'a certificate that is none',
    withStatus({ ...pair, clientCertificateData: 's3cret' }),
    'returned a clientCertificateData that holds no PEM certificate ("-----BEGIN CERTIFICATE-----")',
  ],
  [
    'an encrypted key',
    withStatus({ ...pair, clientKeyData: encryptedKey }),
    'returned a clientKeyData that holds an encrypted private key; decrypt it first, for example with `openssl pkey`',
  ],
  [
    'the key of another certificate',
    withStatus({ ...pair, clientKeyData: other.key }),
    'returned a clientKeyData of another certificate',
  ],
])(
  'The response of a credential plugin with %s is refused, and the message names the plugin and no secret',
  (_, stdout, says) => {
    const location = '/home/ann/.kube/config: users[0].user.exec (user "ann")'
    expect(() => parseExecResponse(plugin, stdout)).toThrow(
      new KubeconfigError([`${location}: the credential plugin "aws" ${says}`]),
    )
  },
)
