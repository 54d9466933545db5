import { createPrivateKey, X509Certificate } from 'node:crypto'

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** What is wrong with the PEM of one or more certificates, in words; undefined if nothing is. */
export function certificateProblem(pem: string): string | undefined {
  const blocks = pem.match(certificateBlock) ?? []
  if (blocks.length === 0) return 'holds no PEM certificate ("-----BEGIN CERTIFICATE-----")'
  // `cat a.pem b.pem`, where a.pem does not end with a line break: among authorities, OpenSSL would pass over these and
  // all that follow, and say nothing.
  if (pem.includes('-----END CERTIFICATE----------BEGIN')) {
    return 'holds PEM blocks without a line break between them; start each on a line of its own'
  }
  const broken = blocks.findIndex((block) => !isCertificate(block))
  if (broken === -1) return undefined
  return blocks.length === 1
    ? 'holds a PEM block that is no X.509 certificate'
    : `holds ${blocks.length} PEM blocks, of which number ${broken + 1} is no X.509 certificate`
}

/** What is wrong with the PEM of a private key, in words. Never quotes it. */
export function privateKeyProblem(pem: string): string | undefined {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) {
    return 'holds no PEM private key ("-----BEGIN … PRIVATE KEY-----")'
  }
  if (/BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(pem)) {
    return 'holds an encrypted private key; decrypt it first, for example with `openssl pkey`'
  }
  try {
    createPrivateKey(pem)
    return undefined
  } catch {
    return 'holds a PEM private key that cannot be decoded'
  }
}

/** Whether the key is that of the (first) certificate. Both must be sound. */
export function belongTogether(certificate: string, key: string): boolean {
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).subject !== null
  } catch {
    return false
  }
}
