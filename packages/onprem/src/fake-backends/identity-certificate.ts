// @peculiar/x509 cannot be loaded before it.
// oxlint-disable-next-line import/no-unassigned-import
import 'reflect-metadata'
import { webcrypto, X509Certificate } from 'node:crypto'
import { PemConverter, SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509'

/** A certificate that identifies a fake backend through a load balancer that passes TLS through. */
export interface IdentityCertificate {
  readonly certificate: string
  readonly key: string
  /** SHA-256, as Node's TLS shows it. */
  readonly fingerprint: string
}

const elliptic = { name: 'ECDSA', namedCurve: 'P-256' }
const anHourMs = 3_600_000

/** Signed by itself: a fake backend has no authority to ask. */
export async function identityCertificate(address: string, now: number): Promise<IdentityCertificate> {
  const keys = await webcrypto.subtle.generateKey(elliptic, true, ['sign', 'verify'])
  const made = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [`portcullis fake backend ${address}`] }],
    notBefore: new Date(now - anHourMs),
    notAfter: new Date(now + 30 * 24 * anHourMs),
    keys,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [new SubjectAlternativeNameExtension([{ type: 'ip', value: address }])],
  })
  const certificate = made.toString('pem')
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    certificate,
    key: PemConverter.encode(key, PemConverter.PrivateKeyTag),
    fingerprint: new X509Certificate(certificate).fingerprint256,
  }
}
