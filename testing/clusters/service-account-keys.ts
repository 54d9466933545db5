import { generateKeyPairSync } from 'node:crypto'
import type { Premises } from './workspace.ts'

/** Paths. The API server and the controller manager both sign service account tokens. */
export interface ServiceAccountKeyFiles {
  readonly publicKey: string
  readonly privateKey: string
}

export async function writeServiceAccountKeys(premises: Premises): Promise<ServiceAccountKeyFiles> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return {
    publicKey: await premises.write('service-account.pub', publicKey),
    privateKey: await premises.write('service-account.key', privateKey),
  }
}
