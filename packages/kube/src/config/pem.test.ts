import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { certificateAuthority } from '../certificates.ts'
import { belongTogether, certificateProblem, privateKeyProblem } from './pem.ts'

const one = await certificateAuthority('one')
const other = await certificateAuthority('other')
const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const bundle = (...pems: string[]) => pems.map((pem) => `${pem}\n`).join('')
const none = 'holds no PEM certificate ("-----BEGIN CERTIFICATE-----")'

it.each([
  { pem: one.certificate, holds: 'one', problem: undefined },
  { pem: bundle(one.certificate, other.certificate), holds: 'two', problem: undefined },
  {
    pem: bundle('# one', one.certificate, '# two', other.certificate),
    holds: 'two with comments',
    problem: undefined,
  },
  {
    pem: one.certificate + other.certificate,
    holds: 'two with no line break between them',
    problem: 'holds PEM blocks without a line break between them; start each on a line of its own',
  },
  { pem: '', holds: 'nothing', problem: none },
  { pem: one.key, holds: 'a key', problem: none },
  { pem: one.certificate.slice(0, -30), holds: 'one that was cut off', problem: none },
  { pem: broken, holds: 'a broken one', problem: 'holds a PEM block that is no X.509 certificate' },
  {
    pem: bundle(broken, one.certificate),
    holds: 'a broken one before a sound one',
    problem: 'holds 2 PEM blocks, of which number 1 is no X.509 certificate',
  },
  {
    pem: bundle(one.certificate, other.certificate, broken),
    holds: 'a broken one after sound ones',
    problem: 'holds 3 PEM blocks, of which number 3 is no X.509 certificate',
  },
])('The PEM of certificates that holds $holds has the problem: $problem', ({ pem, problem }) => {
  expect(certificateProblem(pem)).toBe(problem)
})

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const secret = { cipher: 'aes-128-cbc', passphrase: 's3cret' }
const noKey = 'holds no PEM private key ("-----BEGIN … PRIVATE KEY-----")'
const encrypted = 'holds an encrypted private key; decrypt it first, for example with `openssl pkey`'

it.each([
  { pem: ec.export({ format: 'pem', type: 'pkcs8' }), holds: 'PKCS #8', problem: undefined },
  { pem: ec.export({ format: 'pem', type: 'sec1' }), holds: 'SEC 1', problem: undefined },
  { pem: rsa.export({ format: 'pem', type: 'pkcs1' }), holds: 'PKCS #1', problem: undefined },
  { pem: '', holds: 'nothing', problem: noKey },
  { pem: one.certificate, holds: 'a certificate', problem: noKey },
  {
    pem: ec.export({ format: 'pem', type: 'pkcs8', ...secret }),
    holds: 'encrypted PKCS #8',
    problem: encrypted,
  },
  {
    pem: rsa.export({ format: 'pem', type: 'pkcs1', ...secret }),
    holds: 'encrypted PKCS #1',
    problem: encrypted,
  },
  {
    pem: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
    holds: 'nonsense',
    problem: 'holds a PEM private key that cannot be decoded',
  },
])('The PEM of a private key that holds $holds has the problem: $problem', ({ pem, problem }) => {
  expect(privateKeyProblem(pem.toString())).toBe(problem)
})

it('A private key belongs to the first certificate beside it, and to no other', () => {
  expect(belongTogether(one.certificate, one.key)).toBe(true)
  const both = bundle(one.certificate, other.certificate)
  expect(belongTogether(both, one.key)).toBe(true)
  expect(belongTogether(both, other.key)).toBe(false)
})
