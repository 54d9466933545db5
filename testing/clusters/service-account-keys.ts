import { generateKeyPairSync } from 'node:crypto'
import type { Workspace } from './workspace.ts'

/** Paths. The API server and the controller manager both sign service account tokens. */
export interface ServiceAccountKeyFiles {
  readonly publicKey: string
  readonly privateKey: string
}

export async function writeServiceAccountKeys(workspace: Workspace): Promise<ServiceAccountKeyFiles> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return {
    publicKey: await workspace.write('service-account.pub', publicKey),
    privateKey: await workspace.write('service-account.key', privateKey),
  }
}
