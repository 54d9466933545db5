import type { Certificate } from '@portcullis/kube/internal/certificates.ts'
import { stringify } from 'yaml'

export interface KubeconfigContent {
  readonly server: string
  /** PEM. */
  readonly ca: string
  readonly user: string
  /** A bearer token, or a client certificate. */
  readonly token?: string
  readonly certificate?: Certificate
}

/** A kubeconfig with one cluster, one user and one context, which needs no other file. */
export function kubeconfig({ server, ca, user, token, certificate }: KubeconfigContent): string {
  const name = 'portcullis-control-plane'
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [
      {
        name: user,
        user:
          certificate === undefined
            ? { token }
            : {
                'client-certificate-data': base64(certificate.certificate),
                'client-key-data': base64(certificate.key),
              },
      },
    ],
    contexts: [{ name, context: { cluster: name, user, namespace: 'default' } }],
  })
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
