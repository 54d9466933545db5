import { createPrivateKey, X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { certificateAuthority, clientCertificate, servingCertificate } from './certificates.ts'

const authority = await certificateAuthority('portcullis-test-authority')

test('A serving certificate is valid for this machine and for the names given', async () => {
  const { certificate, key } = await servingCertificate(authority, 'api.example.com', '10.96.0.1')
  const parsed = new X509Certificate(certificate)
  for (const name of ['localhost', 'kubernetes', 'api.example.com']) expect(parsed.checkHost(name)).toBe(name)
  for (const address of ['127.0.0.1', '10.96.0.1']) expect(parsed.checkIP(address)).toBe(address)
  expect(parsed.checkHost('example.com')).toBeUndefined()
  expect(parsed.checkPrivateKey(createPrivateKey(key))).toBe(true)
})

test('A client certificate names the user and every group, and is signed by the authority', async () => {
  const { certificate } = await clientCertificate(authority, 'system:ann', ['dev', 'ops,night'])
  const parsed = new X509Certificate(certificate)
  const issuer = new X509Certificate(authority.certificate)
  expect(parsed.toLegacyObject().subject).toMatchObject({ CN: 'system:ann', O: ['dev', 'ops,night'] })
  expect(parsed.checkIssued(issuer)).toBe(true)
  expect(parsed.verify(issuer.publicKey)).toBe(true)
})
