// @peculiar/x509 cannot be loaded before it.
// oxlint-disable-next-line import/no-unassigned-import
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

/** A certificate and its private key, PEM: plain data, so that even an authority can be handed to another process. */
export interface Certificate {
  readonly certificate: string
  readonly key: string
}

const elliptic = { name: 'ECDSA', namedCurve: 'P-256' }
const signing = { name: 'ECDSA', hash: 'SHA-256' }
const anHourMs = 3_600_000
const aYearMs = 365 * 24 * anHourMs

/** An authority of this name, signed by itself. */
export async function certificateAuthority(name: string): Promise<Certificate> {
  const keys = await webcrypto.subtle.generateKey(elliptic, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...validity(),
    name: [{ CN: [name] }],
    keys,
    signingAlgorithm: signing,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  })
  return { certificate: certificate.toString('pem'), key: await privateKeyPem(keys.privateKey) }
}

/** For a server on this machine that is also known by the names given. */
export function servingCertificate(authority: Certificate, ...names: string[]): Promise<Certificate> {
  const all = ['127.0.0.1', 'localhost', 'kubernetes', ...names]
  const alternatives = all.map((value) => ({
    type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const),
    value,
  }))
  return issue(authority, [{ CN: ['kubernetes'] }], ExtendedKeyUsage.serverAuth, [
    new SubjectAlternativeNameExtension(alternatives),
  ])
}

/** Proves to the API server that its bearer is this user, a member of these groups. */
export function clientCertificate(
  authority: Certificate,
  user: string,
  groups: readonly string[] = [],
): Promise<Certificate> {
  const subject = [{ CN: [user] }, ...groups.map((group) => ({ O: [group] }))]
  return issue(authority, subject, ExtendedKeyUsage.clientAuth, [])
}

async function issue(
  authority: Certificate,
  subject: JsonName,
  usage: ExtendedKeyUsage,
  extensions: Extension[],
): Promise<Certificate> {
  const keys = await webcrypto.subtle.generateKey(elliptic, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.create({
    ...validity(),
    subject,
    issuer: new X509Certificate(authority.certificate).subjectName,
    publicKey: keys.publicKey,
    signingKey: await importPrivateKey(authority.key),
    signingAlgorithm: signing,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([usage]),
      ...extensions,
    ],
  })
  return { certificate: certificate.toString('pem'), key: await privateKeyPem(keys.privateKey) }
}

/** From an hour ago, since clocks differ. */
function validity() {
  const now = Date.now()
  return { notBefore: new Date(now - anHourMs), notAfter: new Date(now + aYearMs) }
}

async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), PemConverter.PrivateKeyTag)
}

function importPrivateKey(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(pem), elliptic, false, ['sign'])
}
